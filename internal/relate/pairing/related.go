package pairing

import (
	"bytes"
	"cmp"
	"runtime"
	"slices"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/relate/diff"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
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

// Search configures Related.
type Search struct {
	SameElements bool         // by their fingerprints, both have the same
	Near         *relate.Near // how far numbers may be apart; nil: as far as most are found to be
	Budget       *relate.Budget
	Convert      convert.Options // how non-contiguous tensors are read
}

// Related finds how b's memory holds a's elements, possibly as they are. It returns nil if it does not, if the budget ended before, or if either
// is too large to be copied into row-major order.
func Related(a, b View, s Search) (r *Relation, err error) {
	s.Convert.Guard = nil
	err = a.Tensor.Guard(func() error {
		return b.Tensor.Guard(func() error {
			r, err = related(a, b, s)
			return err
		})
	})
	if fault.ClassOf(err) == fault.Unsupported {
		err = nil
	}
	return r, err
}

func related(a, b View, s Search) (*Relation, error) {
	o := s.Convert
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
	if areSameConstant(first, second) {
		r, err := same(first, b, start)
		if err == nil {
			r.castTo(second.Type)
		}
		return r, err
	}
	count := func(l tensor.Layout) (int, bool) { return differing(a, b, l, start, o) }
	found := relate.Find(first, second, relate.Options{Threads: cmp.Or(o.Threads, runtime.GOMAXPROCS(0)), Alike: s.SameElements, Near: s.Near, Count: count,
		Budget: s.Budget})
	if found == nil {
		return nil, nil
	}
	r := &Relation{Relation: found}
	switch found.Undo {
	case relate.ByLayout:
		r.Reading, err = b.reading(found.Layout, start)
		r.CanRead = err == nil
	case relate.ByInverse:
		if start >= 0 {
			r.Rows, err = invert(found.Loops, start)
			r.HasRows = err == nil
		}
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
		if len(a.Bytes) > a.Type.ItemSize() && isConstant(a) {
			r.Ambiguous = true
			r.Why = "all elements are equal"
		}
	}
	r.compareDims(b, a.Names)
	return r, nil
}

// isConstant reports whether all elements are equal.
func isConstant(v relate.Values) bool {
	size := min(v.Type.ItemSize(), len(v.Bytes))
	return bytes.Equal(v.Bytes[size:], v.Bytes[:len(v.Bytes)-size])
}

// firstNumber returns the first element; ok is false without one that float64 has.
func firstNumber(v relate.Values) (x float64, ok bool) {
	read, ok := dtype.Float64(v.Type)
	size := v.Type.ItemSize()
	if !ok || len(v.Bytes) < size {
		return 0, false
	}
	item := slices.Clone(v.Bytes[:size])
	if swap := dtype.LittleEndian(v.Type); swap != nil {
		swap(item)
	}
	return read(item), true
}

// areSameConstant reports whether two tensors of different types are one number, as norms of ones and biases of zeros are before and after a cast.
func areSameConstant(a, b relate.Values) bool {
	x, okA := firstNumber(a)
	y, okB := firstNumber(b)
	if !okA || !okB || x != y {
		return false
	}
	return ints.Product(a.Shape) == ints.Product(b.Shape) && isConstant(a) && isConstant(b)
}

// castTo says that the relation is one of numbers of another type.
func (r *Relation) castTo(t dtype.Type) {
	r.DType = t.String()
	r.Values = ", as " + r.DType
	r.Sentence += r.Values
	if r.Kind == relate.Same {
		r.Kind = relate.Converted
	}
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
	s, ok := v.Layout.Strided()
	if !ok {
		s.Shape = v.Layout.Shape()
	}
	if !v.hasFileShape() {
		return s
	}
	l, err := v.Tensor.FileLayout()
	if err != nil {
		return s
	}
	file, _ := l.Strided()
	file.Offset, _, _ = v.Layout.Span()
	return file
}

// hasFileShape reports whether the elements are those of a file that says their shape, which a reader of the file sees.
func (v View) hasFileShape() bool {
	t := v.Tensor
	return !t.StorageView && t.FileShape != nil && v.Layout.Numel() == t.Layout.Numel()
}

// compareDims finds Transpose, and makes the kind what it says: relate.Find knows b's memory and not the dims that b has over it.
func (r *Relation) compareDims(b View, dims []string) {
	r.Transpose = r.transpose(b.axes(), dims)
	switch r.Kind {
	case relate.Permuted, relate.Relabeled, relate.Same, relate.Reshaped:
	default:
		return
	}
	if r.Transpose != nil {
		r.tellTranspose()
		return
	}
	switch r.Kind {
	case relate.Permuted:
		r.Kind = relate.Relabeled
		r.As = ""
	case relate.Same:
		if r.CanRead {
			r.Kind = relate.Relabeled
			r.Sentence = "holds a's elements in the same memory order, under other strides"
		}
	}
}

// tellTranspose makes the kind what Transpose says.
func (r *Relation) tellTranspose() {
	if !r.SameDims() {
		if r.Kind == relate.Same || r.Kind == relate.Reshaped {
			r.Sentence = "holds a's elements in the same memory order"
		}
		r.Kind = relate.Permuted
		r.As = "as if written by transpose(" + text.Ints(r.Transpose, ",") + ")"
		return
	}
	r.TellSameOrder()
	r.Kind = relate.Same
	if r.ChangesValues() {
		r.Kind = relate.Converted
	}
}

// SameDims reports whether b's dims are a's, in a's order.
func (r *Relation) SameDims() bool { return r.Transpose != nil && slices.IsSorted(r.Transpose) }

// transpose finds Transpose.
func (r *Relation) transpose(b tensor.Strided, dims []string) (order []int) {
	if !r.CanRead {
		return r.transposeOfRows(dims)
	}
	a, ok := r.Reading.Strided()
	if !ok || len(b.Strides) != len(a.Shape) || a.Offset != b.Offset {
		return nil
	}
	for k, n := range b.Shape {
		d := dimLike(a, n, b.Strides[k], order)
		if d < 0 {
			return nil
		}
		order = append(order, d)
	}
	return order
}

// transposeOfRows is transpose without a Reading: b's elements are in row-major order of its dims.
func (r *Relation) transposeOfRows(dims []string) (order []int) {
	isOrder := r.Kind == relate.Same || r.Kind == relate.Permuted
	if !isOrder || len(r.Reversed) > 0 {
		return nil
	}
	for _, name := range r.Order {
		order = append(order, slices.Index(dims, name))
	}
	return order
}

// dimLike returns the first dim with a size and a stride, which means nothing for size 1, that is not used yet; −1 without one.
func dimLike(s tensor.Strided, size, stride int, used []int) int {
	for d, n := range s.Shape {
		if n != size || slices.Contains(used, d) {
			continue
		}
		if n == 1 || s.Strides[d] == stride {
			return d
		}
	}
	return -1
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
	start, ok := v.stretch()
	if !ok {
		x, err = v.rows(o)
		return x, -1, err
	}
	side, err := v.side()
	if err != nil {
		return x, 0, err
	}
	t := v.Tensor
	n := v.Layout.Numel()
	size := t.DType.ItemSize()
	x = relate.Values{Bytes: side.Data[start*size:][:n*size], Type: t.DType, Shape: []int{n}}
	if _, plain := v.Layout.Strided(); plain {
		x.Shape = v.axes().Shape
	}
	if v.hasFileShape() && !t.Header.Fortran {
		x.Shape = t.FileShape
	}
	return x, start, nil
}

// stretch returns where the elements start if they fill a stretch of the storage, each once, and no dim runs backwards.
func (v View) stretch() (start int, ok bool) {
	start, _, ok = v.Layout.Span()
	if !ok || !v.Layout.Packed() || !v.Layout.Swizzle().IsZero() {
		return 0, false
	}
	if s, plain := v.Layout.Strided(); plain && s.Negative() {
		return 0, false
	}
	return start, true
}
