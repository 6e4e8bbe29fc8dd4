package layout

import (
	"fmt"
	"runtime"

	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Tensor is a tensor in memory, dense and in row-major order of its dims.
type Tensor struct {
	Data  []byte // values below a byte, such as int4, share bytes: the first one is in the lowest bits
	DType string // in any spelling: float32, <f4, torch.bfloat16, bf16
	Shape []int
}

// Relation describes where the elements of one tensor are in another.
type Relation struct {
	Sentence string  // about b: "holds a's elements in memory order N H W C, under the shape (2, 3, 4, 5)"
	Cause    string  // how that may have come about: "as if written by transpose(0,2,3,1) and read as (2, 3, 4, 5)"; may be empty
	Layout   *Layout // of b's memory, over a's dims: Convert with it undoes the mistake; nil if no layout explains b
}

// Relate finds the layout mistake that turned a into b: another memory order, dims that were exchanged or reversed, blocks, padding, a
// header, swapped bytes, another dtype, a factor. It returns nil if none explains at least 90 % of the elements, and for fewer than four.
func Relate(a, b Tensor) (*Relation, error) {
	from, err := a.values("a")
	if err != nil {
		return nil, err
	}
	to, err := b.values("b")
	if err != nil {
		return nil, err
	}
	found := relate.Find(from, to, relate.Options{Threads: runtime.GOMAXPROCS(0)})
	if found == nil {
		return nil, nil
	}
	r := &Relation{Sentence: found.Sentence, Cause: found.As}
	if found.IsLayout {
		r.Layout = &Layout{found.Layout}
	}
	return r, nil
}

// values checks that the data are those of the shape.
func (t Tensor) values(name string) (v relate.Values, err error) {
	v.Type, err = dtype.ParseTyped(t.DType)
	if err != nil {
		return v, fmt.Errorf("%s: %w", name, err)
	}
	l, err := Parse("c", t.Shape...)
	if err != nil {
		return v, fmt.Errorf("%s: %w", name, err)
	}
	if err := l.l.CheckBytes(v.Type.ItemSize(), v.Type); err != nil {
		return v, fmt.Errorf("%s: %w", name, err)
	}
	if want := v.Type.Size(int64(l.Len())); want != int64(len(t.Data)) {
		return v, fmt.Errorf("%s has %d bytes; shape %v of %s has %d", name, len(t.Data), t.Shape, v.Type, want)
	}
	v.Bytes = t.Data
	v.Shape = t.Shape
	if v.Type.Packed() {
		v.Bytes = make([]byte, l.Len())
		v.Type.Unpack(v.Bytes, t.Data)
	}
	return v, nil
}
