package bench

import (
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Subject is what to measure: a tensor, its layouts and the patterns. The first layout is the tensor's own, which is converted to the
// others and back.
type Subject struct {
	Source   string
	DType    dtype.Type
	Layouts  []Layout
	Patterns []Pattern
	Converts bool
}

// Check fails if the subject cannot be measured: its elements overlap, or it has no channels or no pixels.
func (s Subject) Check() error {
	for _, l := range s.Layouts {
		if err := l.measurable(s.DType); err != nil {
			return err
		}
	}
	return nil
}

// measurable fails if a tensor cannot have the layout, or has no bytes to visit.
func (l Layout) measurable(d dtype.Type) error {
	if d.Packed() {
		return fault.New(fault.Unsupported, "elements of %s share bytes, which a loop cannot read one by one", d).WithHint("measure the words, without --dtype %s", d)
	}
	if l.Numel() == 0 || d.ItemSize() == 0 {
		return fault.New(fault.Usage, "tensor %s of %s has no bytes to measure", tensor.Tuple(l.Shape()), d)
	}
	if _, err := Channel.order(l.Layout); err != nil {
		return err
	}
	const dense = "measure a dense tensor of this shape instead: --shape without --strides"
	if !l.Swizzle().IsZero() {
		return fault.New(fault.Unsupported, "layout %s is swizzled, but bench requires constant strides", l).
			WithHint("tlayout draw --from %s --dtype %s --banks rows:%d", text.Shell(l.String()), d, d.ItemSize())
	}
	if strided, ok := l.Strided(); ok && strided.Negative() {
		return fault.New(fault.Unsupported, "layout %s has negative strides", l).WithHint("%s", dense)
	}
	if !l.InBounds() {
		return fault.New(fault.Usage, "layout %s exceeds its storage of %d elements", l, l.Alloc())
	}
	if l.Occupancy().Overlapping != tensor.No {
		return fault.New(fault.Unsupported, "elements of layout %s overlap", l).WithHint("%s", dense)
	}
	return nil
}

// DefaultLayouts returns the formats to compare for a tensor with these dims, row-major first; none without channels.
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
		if f := l.Format; text.SameSet(f.Names(), names) {
			formats = append(formats, f)
		}
	}
	return formats
}

// rows returns the rows of the report to come, without measurements.
func (s Subject) rows() []Row {
	var rows []Row
	base := Row{Shape: s.Layouts[0].Shape(), DType: s.DType.String(), Bytes: s.bytes()}
	for _, p := range s.Patterns {
		for _, l := range s.Layouts {
			r := base
			r.Suite = Access
			r.Layout = l.Name
			r.Pattern = p
			rows = append(rows, r)
		}
	}
	for _, l := range s.Layouts[1:] {
		if !s.Converts {
			break
		}
		for _, way := range [][2]Layout{{s.Layouts[0], l}, {l, s.Layouts[0]}} {
			r := base
			r.Suite = Convert
			r.From = way[0].Name
			r.To = way[1].Name
			r.Bytes = s.bytes() + way[1].Alloc()*s.DType.ItemSize()
			rows = append(rows, r)
		}
	}
	return rows
}

// Keys returns the keys of the rows of the report to come.
func (s Subject) Keys() []string {
	var keys []string
	for _, r := range s.rows() {
		keys = append(keys, r.Key())
	}
	return keys
}

// rowMajor returns the dense layout in logical order.
func (s Subject) rowMajor() (tensor.Layout, error) {
	first := s.Layouts[0]
	return notation.RowMajor(first.Names()).Bind(first.Shape())
}

// Size returns the size of a dim.
func (s Subject) Size(dim string) int {
	l := s.Layouts[0].Layout
	return l.Dim(slices.Index(l.Names(), dim)).Size
}

// bytes returns the size of the elements.
func (s Subject) bytes() int { return s.Layouts[0].Numel() * s.DType.ItemSize() }

// Fits fails with Resource if a measurement needs more memory than is available, or than a program can address.
func (s Subject) Fits(o Options) error {
	available := float64(o.Machine.Memory)
	if available == 0 {
		available = defaultMemory
	}
	available = min(available, math.MaxInt)
	if need := s.memory(o); need > available {
		return fault.New(fault.Resource, "the tensor in %d layouts needs %.0f MiB of memory, but %.0f MiB are available",
			len(s.Layouts), need/(1<<20), available/(1<<20)).WithHint("use fewer --layouts or a smaller --shape")
	}
	return nil
}

// defaultMemory is the limit if the available memory is unknown.
const defaultMemory = 8 << 30

// memory estimates the bytes that the measurement needs: the tensor in every layout and in row-major order, and the memory of the roofs.
func (s Subject) memory(o Options) float64 {
	elems := float64(s.Layouts[0].Numel())
	size := float64(s.DType.ItemSize())
	roofs := 2 * elems * size
	if o.LevelRoofs {
		roofs = max(roofs, float64(largest(levelRoofs(o.Machine))))
	}
	n := elems*size + roofs
	for _, l := range s.Layouts {
		n += float64(l.Alloc()) * size
	}
	return n
}
