package layout

import (
	"fmt"
	"runtime"

	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Relation describes where the elements of one tensor are in another.
type Relation struct {
	Sentence string  // about b: "holds a's elements in memory order N H W C, under the shape (2, 3, 4, 5)"
	Cause    string  // how that may have come about: "as if written by transpose(0,2,3,1) and read as (2, 3, 4, 5)"; may be empty
	Layout   *Layout // of b's memory, over a's dims: Convert with it undoes the mistake; nil if no layout explains b

	// Counts of b's elements; their sum is all of them.
	Explained int // the relation leads to an equal element of a
	Differ    int // it leads to another one
	Padding   int // it leads to none
}

// String returns the sentence and, if elements differ, how many of how many.
func (r Relation) String() string {
	if r.Differ == 0 {
		return r.Sentence
	}
	return fmt.Sprintf("%s; %d of %d elements differ", r.Sentence, r.Differ, r.Explained+r.Differ)
}

// Relate finds the layout mistake that turned a into b: another memory order, dims that were exchanged or reversed, blocks, padding, a
// header, swapped bytes, another dtype, a factor. Both are compared in the logical order of their elements, whatever their layouts.
//
// The error is [ErrUnrelated] if no mistake explains at least 90 % of the elements, and for fewer than four elements; others are those of
// Tensor.Check.
func Relate(a, b Tensor) (Relation, error) {
	from, err := a.values("a")
	if err != nil {
		return Relation{}, err
	}
	to, err := b.values("b")
	if err != nil {
		return Relation{}, err
	}
	found := relate.Find(from, to, relate.Options{Threads: runtime.GOMAXPROCS(0)})
	if found == nil {
		return Relation{}, fmt.Errorf("%w: no layout mistake explains 90 %% of the elements", ErrUnrelated)
	}
	r := Relation{Sentence: found.Sentence, Cause: found.As,
		Explained: found.Count - found.Padding - found.Differ, Differ: found.Differ, Padding: found.Padding}
	if found.IsLayout {
		r.Layout = &Layout{found.Layout}
	}
	return r, nil
}

// values returns the elements in row-major order.
func (t Tensor) values(name string) (v relate.Values, err error) {
	dense, err := t.RowMajor()
	if err != nil {
		return v, fmt.Errorf("%s: %w", name, err)
	}
	v = relate.Values{Bytes: dense.Data, Shape: dense.Layout.Shape()}
	if t.Layout.isNamed() {
		v.Names = t.Layout.Dims()
	}
	v.Type, err = dtype.ParseTyped(t.DType)
	if v.Type.Packed() {
		v.Bytes = make([]byte, dense.Layout.Len())
		v.Type.Unpack(v.Bytes, dense.Data)
	}
	return v, err
}
