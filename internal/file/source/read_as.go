package source

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Misread is the element that a reader of another layout finds at a coordinate.
type Misread struct {
	Offset int `json:"offset"` // offset of an element in the storage, in elements
	// indices of an element, in logical order
	Coord []int `json:"coord" jsonschema:"null for padding"`
	// value as text
	Value *string `json:"value" jsonschema:"null without data"`
}

// String says what is read: "offset 4 holds [0,1,0,0], value 4".
func (m *Misread) String() string {
	s := fmt.Sprintf("offset %d is padding", m.Offset)
	if m.Coord != nil {
		s = fmt.Sprintf("offset %d holds %s", m.Offset, text.Brackets(m.Coord))
	}
	if m.Value != nil {
		s += ", value " + text.Shorten(*m.Value)
	}
	return s
}

// Reader returns the layout of a reader that takes the tensor's memory, from its first element on, as the same dims in layout l; a layout with
// sizes counts from the start of the storage. It returns nil for nil. Errors are fault.Usage: other dims, or offsets outside of the storage.
func (t *Tensor) Reader(l *notation.Layout) (*tensor.Layout, error) {
	if l == nil {
		return nil, nil
	}
	named, err := l.For(t.Layout.Shape(), t.DType.Bits())
	if err != nil {
		return nil, fault.In("--read-as", err)
	}
	r, err := t.takenAs(named)
	if err == nil {
		r, err = r.Renamed(t.Layout.Names(), t.Layout.Alloc())
	}
	if low, high, _ := r.Span(); err == nil && !r.InBounds() {
		err = fault.New(fault.Usage, "layout %s uses offsets %d to %d, the storage has %d elements", r, low, high, r.Alloc()).
			WithHint("the tensor's own layout is %s", t.Layout)
	}
	return &r, fault.In("--read-as", err)
}

// takenAs returns a layout for the tensor's dims.
func (t *Tensor) takenAs(l notation.Layout) (tensor.Layout, error) {
	switch f := notation.RowMajor(t.Layout.Names()); {
	case l.Exact != nil && slices.Equal(l.Exact.Shape(), t.Layout.Shape()):
		return *l.Exact, nil
	case l.Exact != nil:
		return *l.Exact, fault.New(fault.Usage, "sizes %s are not the tensor's %s", tensor.Tuple(l.Exact.Shape()), tensor.Tuple(t.Layout.Shape()))
	case l.Own == notation.OwnFortran:
		l.Format = f.Reversed()
	case l.Own != notation.NotOwn:
		l.Format = f
	}
	r, err := t.In(l.Format)
	if err != nil {
		return r, err
	}
	first, _, _ := t.Layout.Span()
	return r.Moved(first)
}

// maxCompared bounds the elements that MisreadText compares.
const maxCompared = 1 << 20

// MisreadText says what a reader of the tensor's memory sees: "4 of 12 coordinates hold other elements, first [0,0,0,1]: the element of
// [0,1,0,0]".
func (t *Tensor) MisreadText(reader tensor.Layout) string {
	compared := 0
	moved := 0
	first := ""
	for coord, offset := range t.Layout.Logical() {
		if compared == maxCompared {
			break
		}
		compared++
		at := reader.At(coord...)
		if at == offset {
			continue
		}
		moved++
		if first == "" {
			first = text.Brackets(coord) + ": padding"
			if found, _ := t.Layout.Find(at, 1); len(found) > 0 {
				first = text.Brackets(coord) + ": the element of " + text.Brackets(found[0])
			}
		}
	}
	of := text.Count(compared, "coordinate")
	if compared < t.Layout.Numel() {
		of = "the first " + of
	}
	if moved == 0 {
		return of + " hold" + text.Plural(compared, "s its", " their") + " own " + text.Plural(compared, "element", "elements")
	}
	return fmt.Sprintf("%d of %s hold other elements, first %s", moved, of, first)
}

// Misread returns what a reader finds at a coordinate; nil without one. Call Data first, and Misread inside Guard.
func (t *Tensor) Misread(reader *tensor.Layout, coord []int) *Misread {
	if reader == nil {
		return nil
	}
	m := &Misread{Offset: reader.At(coord...)}
	if found, _ := t.Layout.Find(m.Offset, 1); len(found) > 0 {
		m.Coord = found[0]
	}
	if value, ok := t.Value(m.Offset); ok {
		m.Value = &value
	}
	return m
}
