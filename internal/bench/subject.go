package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// Subject is what is measured: a tensor, the layouts that it is laid in, and what is done with it. The first layout is
// the one that it has, from which it is converted into the others and back.
type Subject struct {
	Source   string
	DType    dtype.Type
	Layouts  []Layout
	Patterns []Pattern
	Converts bool
}

// NewSubject checks that there is something to measure: elements, channels and pixels, each in a place of its own, and a
// type that the operations know. An operation that does not suit is an error where it was named, and else left out, which a
// note says. A walk is added where an operation visits elements in its order, for it tells what of the operation's time is
// memory's.
func NewSubject(s Subject, named []Pattern) (Subject, []string, error) {
	for _, l := range s.Layouts {
		if err := l.measurable(s.DType); err != nil {
			return s, nil, err
		}
	}
	var suited []Pattern
	var reasons []string
	left := map[string][]string{} // patterns, by why they are left out
	for _, p := range s.Patterns {
		err := s.suits(p)
		switch {
		case err == nil:
			suited = append(suited, p)
		case slices.Contains(named, p):
			return s, nil, err
		default:
			if left[err.Error()] == nil {
				reasons = append(reasons, err.Error())
			}
			left[err.Error()] = append(left[err.Error()], string(p))
		}
	}
	var notes []string
	for _, why := range reasons {
		notes = append(notes, fmt.Sprintf("without %s: %s", strings.Join(left[why], ", "), why))
	}
	s.Patterns = nil
	for _, p := range Patterns {
		walked := p.Walk() && slices.ContainsFunc(suited, func(q Pattern) bool { return q.Order() == p })
		if walked || slices.Contains(suited, p) {
			s.Patterns = append(s.Patterns, p)
		}
	}
	return s, notes, nil
}

func (s Subject) suits(p Pattern) error {
	if p.Walk() {
		return nil
	}
	return suits(p, s.Layouts[0].Layout, newItem(s.DType))
}

// measurable fails where a tensor cannot be laid out so, or there would be nothing to visit.
func (l Layout) measurable(d dtype.Type) error {
	if l.Numel() == 0 || d.ItemSize() == 0 {
		return fault.New(fault.Usage, "the tensor %s of %s has no bytes to measure", tensor.Tuple(l.Shape()), d)
	}
	if _, err := Channel.order(l.Layout); err != nil {
		return err
	}
	strided, ok := l.Strided()
	switch packed := "measure a packed tensor of this shape instead: --shape without --strides"; {
	case ok && strided.Negative():
		return fault.New(fault.Unsupported, "layout %s has negative strides", l).WithHint("%s", packed)
	case !l.InBounds():
		return fault.New(fault.Usage, "layout %s reaches outside of its %d elements", l, l.Alloc())
	case l.Occupancy().Overlapping != tensor.No:
		return fault.New(fault.Unsupported, "elements of layout %s lie in the same place", l).WithHint("%s", packed)
	}
	return nil
}

// DefaultLayouts are those that are worth comparing for a tensor with these dims: their formats, from the row-major one
// on; none where there are no channels.
func DefaultLayouts(names []string) []notation.Format {
	var spelled []string
	switch len(names) {
	case 5:
		spelled = []string{"ncdhw", "ndhwc", "NCDHW4c", "NCDHW8c", "NCDHW16c", "NCDHW32c", "cdhwn"}
	case 4:
		spelled = []string{"nchw", "nhwc", "NCHW4c", "NCHW8c", "NCHW16c", "NCHW32c", "chwn", "CHWN4c"}
	case 3:
		spelled = []string{"chw", "hwc", "CHW4c", "CHW8c", "CHW16c", "CHW32c"}
	}
	var formats []notation.Format
	for _, s := range spelled {
		l, err := notation.Parse(s)
		if err != nil {
			panic(err)
		}
		if f := l.Format; slices.Equal(slices.Sorted(slices.Values(f.Names())), slices.Sorted(slices.Values(names))) {
			formats = append(formats, f)
		}
	}
	return formats
}

// rows are those that the report will have, without what is measured.
func (s Subject) rows() []Row {
	var rows []Row
	base := Row{Shape: s.Layouts[0].Shape(), DType: s.DType.String(), Bytes: s.bytes()}
	for _, p := range s.Patterns {
		for _, l := range s.Layouts {
			r := base
			r.Suite, r.Layout, r.Pattern = Access, l.Name, p
			rows = append(rows, r)
		}
	}
	for _, l := range s.Layouts[1:] {
		if !s.Converts {
			break
		}
		for _, way := range [][2]Layout{{s.Layouts[0], l}, {l, s.Layouts[0]}} {
			r := base
			r.Suite, r.From, r.To, r.Bytes = Convert, way[0].Name, way[1].Name, s.bytes()+way[1].Alloc()*s.DType.ItemSize()
			rows = append(rows, r)
		}
	}
	return rows
}

// Keys are those of the rows that the report will have.
func (s Subject) Keys() []string {
	var keys []string
	for _, r := range s.rows() {
		keys = append(keys, r.Key())
	}
	return keys
}

// rowMajor is the packed layout in logical order.
func (s Subject) rowMajor() (tensor.Layout, error) {
	first := s.Layouts[0]
	return notation.RowMajor(first.Names()).Bind(first.Shape())
}

// bytes are those of the elements.
func (s Subject) bytes() int { return s.Layouts[0].Numel() * s.DType.ItemSize() }

// Fits fails with Resource where the memory for a measurement is not there, or is more than a program can address.
func (s Subject) Fits(o Options) error {
	most := float64(o.Machine.Memory)
	if most == 0 {
		most = unknownMemory
	}
	most = min(most, math.MaxInt)
	if need := s.memory(o); need > most {
		return fault.New(fault.Resource, "the tensor in %d layouts takes %.0f MiB, and %.0f MiB of memory are free",
			len(s.Layouts), need/(1<<20), most/(1<<20)).WithHint("fewer --layouts, or a smaller --shape")
	}
	return nil
}

// unknownMemory is taken at most where nobody tells how much there is.
const unknownMemory = 8 << 30

// memory is about how many bytes the measurement takes: the tensor in every layout and row by row, what the roofs read and
// copy, and the results of operations beside those of their definitions.
func (s Subject) memory(o Options) float64 {
	elems, size := float64(s.Layouts[0].Numel()), float64(s.DType.ItemSize())
	roofs := 2 * elems * size
	if o.LevelRoofs {
		roofs = max(roofs, float64(largest(levelRoofs(o.Machine))))
	}
	n := elems*size + roofs
	for _, l := range s.Layouts {
		n += float64(l.Alloc()) * size
	}
	if slices.ContainsFunc(s.Patterns, func(p Pattern) bool { return !p.Walk() }) {
		n += 8*elems + 8*2*elems + 8*(Filters+2)*elems/float64(s.channels())
	}
	return n
}

func (s Subject) channels() int {
	l := s.Layouts[0].Layout
	return l.Dim(slices.Index(l.Names(), "C")).Size
}
