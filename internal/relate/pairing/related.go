package pairing

import (
	"bytes"
	"cmp"
	"runtime"
	"slices"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/relate/diff"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// View is a tensor, or a part of one.
type View struct {
	Tensor *source.Tensor
	Layout tensor.Layout // of its storage
}

// Whole returns all of a tensor.
func Whole(t *source.Tensor) View { return View{t, t.Layout} }

func (v View) side() (diff.Side, error) {
	data, err := v.Tensor.Data()
	return diff.Side{Layout: v.Layout, DType: v.Tensor.DType, Data: data, Pages: v.Tensor}, err
}

// Relation is how b's memory holds a's elements.
type Relation struct {
	*relate.Relation
	// Transpose is the order of a's dims in which its file, or framework, has b's: b = a.transpose(Transpose); nil without one.
	Transpose []int `json:"-"`
	// Reading is a layout of b's storage with a's dims; valid if CanRead.
	Reading tensor.Layout `json:"-"`
	CanRead bool          `json:"-"`
	// Rows is a layout of b's storage in the order of a's elements, whose dims are not a's; valid if there is no Reading and HasRows.
	Rows    tensor.Layout `json:"-"`
	HasRows bool          `json:"-"`
}

// Bytes returns the size of the elements.
func (v View) Bytes() int { return v.Layout.Numel() * v.Tensor.DType.ItemSize() }

// Related finds how b's memory holds a's elements, possibly as they are; alike says that their fingerprints are equal. It returns nil if it
// does not, if the budget ended before, or if either is too large to be copied into row-major order.
func Related(a, b View, alike bool, budget *relate.Budget, o convert.Options) (r *Relation, err error) {
	o.Guard = nil
	err = a.Tensor.Guard(func() error {
		return b.Tensor.Guard(func() error {
			r, err = related(a, b, alike, budget, o)
			return err
		})
	})
	if fault.ClassOf(err) == fault.Unsupported {
		err = nil
	}
	return r, err
}

func related(a, b View, alike bool, budget *relate.Budget, o convert.Options) (*Relation, error) {
	first, err := a.rows(o)
	if err != nil {
		return nil, err
	}
	second, start, err := b.memory(o)
	if err != nil {
		return nil, err
	}
	if first.Type.Equal(second.Type) && bytes.Equal(first.Bytes, second.Bytes) {
		return same(first, b, start)
	}
	count := func(l tensor.Layout) (int, bool) { return differing(a, b, l, start, o) }
	found := relate.Find(first, second, relate.Options{Threads: cmp.Or(o.Threads, runtime.GOMAXPROCS(0)), Alike: alike, Count: count, Budget: budget})
	if found == nil {
		return nil, nil
	}
	r := &Relation{Relation: found}
	switch {
	case found.IsLayout:
		r.Reading, err = b.reading(found.Layout, start)
		r.CanRead = err == nil
	case start >= 0 && found.Skip == 0 && found.Padding == 0 && found.Count == a.Layout.Numel():
		r.Rows, err = invert(found.Loops, start)
		r.HasRows = err == nil
	}
	r.compareDims(b, first.Names)
	return r, nil
}

// differing counts the elements of a that are others in b's memory, which starts at an offset of its storage, by a layout of a's dims.
func differing(a, b View, l tensor.Layout, start int, o convert.Options) (n int, ok bool) {
	if start < 0 {
		return 0, false
	}
	moved, err := l.Moved(start + l.Offset())
	first, errA := a.side()
	second, errB := b.side()
	if cmp.Or(err, errA, errB) != nil {
		return 0, false
	}
	second.Layout = moved
	found, err := diff.Run(first, second, diff.Rule{}, diff.Options{Convert: o})
	return found.Differing, err == nil
}

// same returns the relation of equal bytes, of which constants and single elements tell nothing else.
func same(a relate.Values, b View, start int) (*Relation, error) {
	r := &Relation{Relation: &relate.Relation{Kind: relate.Same, Sentence: "holds a's elements in the same order", Explained: 1, Order: a.Names,
		Loops: []relate.Loop{{N: len(a.Bytes) / max(1, a.Type.ItemSize()), Step: 1}}}}
	packed, err := tensor.Packed(a.Shape)
	if err != nil {
		return nil, err
	}
	rows, err := packed.Layout(a.Names, tensor.Unbounded)
	if err != nil {
		return nil, err
	}
	r.Reading, err = b.reading(rows, start)
	r.CanRead = err == nil
	if axes := b.axes().Shape; !slices.Equal(a.Shape, axes) {
		r.Kind = relate.Reshaped
		r.Sentence = r.Sentence + ", under the shape " + tensor.Tuple(axes)
		if size := a.Type.ItemSize(); len(a.Bytes) > size && bytes.Equal(a.Bytes[size:], a.Bytes[:len(a.Bytes)-size]) {
			r.Ambiguous = true
			r.Why = "all elements are equal"
		}
	}
	r.compareDims(b, a.Names)
	return r, nil
}

// reading returns a layout of the elements that memory returned as one of the storage: from start on, or of rows.
func (v View) reading(l tensor.Layout, start int) (tensor.Layout, error) {
	if start >= 0 {
		return l.Moved(start + l.Offset())
	}
	s, ok := v.Layout.Strided()
	if !ok {
		return l, errRows
	}
	return throughRows(l, s, v.Layout.Alloc())
}

// axes returns the dims of b as its file, or framework, has them; if they have no single strides, only their sizes.
func (v View) axes() tensor.Strided {
	t := v.Tensor
	s, ok := v.Layout.Strided()
	if !ok {
		s.Shape = v.Layout.Shape()
	}
	if t.StorageView || t.FileShape == nil || v.Layout.Numel() != t.Layout.Numel() {
		return s
	}
	l, err := t.FileLayout()
	if err != nil {
		return s
	}
	file, _ := l.Strided()
	file.Offset, _, _ = v.Layout.Span()
	return file
}

// compareDims finds Transpose, and makes the kind what it says: relate.Find knows b's memory and not the dims that b has over it.
func (r *Relation) compareDims(b View, dims []string) {
	r.Transpose = r.transpose(b.axes(), dims)
	switch r.Kind {
	case relate.Permuted, relate.Relabeled, relate.Same, relate.Reshaped:
	default:
		return
	}
	inPlace := r.Kind == relate.Same || r.Kind == relate.Reshaped
	switch {
	case r.Transpose != nil && !r.SameDims():
		r.Kind = relate.Permuted
		r.As = "as if written by transpose(" + text.Ints(r.Transpose, ",") + ")"
		if inPlace {
			r.Sentence = "holds a's elements in the same memory order"
		}
	case r.Transpose != nil:
		r.Kind = relate.Same
		r.As = ""
		if r.Scale != nil || r.DType != "" || r.Swapped {
			r.Kind = relate.Converted
		}
	case r.Kind == relate.Permuted:
		r.Kind = relate.Relabeled
		r.As = ""
	case r.Kind == relate.Same && r.CanRead:
		r.Kind = relate.Relabeled
		r.Sentence = "holds a's elements in the same memory order, under other strides"
	}
}

// SameDims reports whether b's dims are a's, in a's order.
func (r *Relation) SameDims() bool { return r.Transpose != nil && slices.IsSorted(r.Transpose) }

// transpose finds Transpose. Without a Reading, b's elements are in row-major order of its dims.
func (r *Relation) transpose(b tensor.Strided, dims []string) (order []int) {
	a, ok := r.Reading.Strided()
	switch {
	case !r.CanRead && (r.Kind == relate.Same || r.Kind == relate.Permuted) && len(r.Reversed) == 0:
		for _, name := range r.Order {
			order = append(order, slices.Index(dims, name))
		}
		return order
	case !r.CanRead || !ok || len(b.Strides) != len(a.Shape) || a.Offset != b.Offset:
		return nil
	}
	for k, n := range b.Shape {
		next := -1
		for d := range slices.Backward(a.Shape) {
			if a.Shape[d] == n && (n == 1 || a.Strides[d] == b.Strides[k]) && !slices.Contains(order, d) {
				next = d
			}
		}
		if next < 0 {
			return nil
		}
		order = append(order, next)
	}
	return order
}

// rows returns the elements in row-major order of the dims.
func (v View) rows(o convert.Options) (x relate.Values, err error) {
	x = relate.Values{Type: v.Tensor.DType, Shape: v.Layout.Shape(), Names: v.Layout.Names()}
	side, err := v.side()
	if err == nil {
		x.Bytes, err = diff.Dense(side, o)
	}
	return x, err
}

// memory returns the elements in the order of the memory, which starts at an offset of the storage, with the shape that a reader of the file
// sees. If they have gaps or repeat, they are in row-major order, and start is −1.
func (v View) memory(o convert.Options) (x relate.Values, start int, err error) {
	t := v.Tensor
	l := v.Layout
	s, plain := l.Strided()
	low, _, ok := l.Span()
	if !ok || !l.Packed() || !l.Swizzle().IsZero() || plain && s.Negative() {
		x, err = v.rows(o)
		return x, -1, err
	}
	side, err := v.side()
	if err != nil {
		return x, 0, err
	}
	size := t.DType.ItemSize()
	x = relate.Values{Bytes: side.Data[low*size:][:l.Numel()*size], Type: t.DType, Shape: []int{l.Numel()}}
	switch {
	case !t.StorageView && t.FileShape != nil && !t.Header.Fortran && l.Numel() == t.Layout.Numel():
		x.Shape = t.FileShape
	case plain:
		x.Shape = v.axes().Shape
	}
	return x, low, nil
}
