package pairing

import (
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/relate"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// Part is a tensor of one side within a larger one of the other, the whole, which has part.transpose(Order); a nil Order is the part's own.
type Part struct {
	Name  string `json:"name"`                  // its name
	Dim   int    `json:"along_dim"`             // dim of the whole along which parts follow each other
	Start int    `json:"first_slice"`           // along along_dim
	Size  int    `json:"slices"`                // along along_dim
	Order []int  `json:"permutation,omitempty"` // of the part's dims
	// Reading is the part in the storage of the whole, with the part's dims; valid if CanRead.
	Reading tensor.Layout `json:"-"`
	CanRead bool          `json:"-"`
}

// Fused is a tensor that holds the elements of several of the other side, and no others.
type Fused struct {
	Whole int // the number of its item
	InA   bool
	Items []int // of the parts
	Parts []Part
}

// FindFused finds the tensors of one side that are several of the other, one after the other along a dim. left are the numbers of the items
// without a partner.
func FindFused(sides [2]Side, items [2][]relate.Item, left [2][]int) (all []Fused) {
	for _, f := range relate.FindFused(items[0], items[1], left) {
		whole, parts := 1, 0
		if f.InA {
			whole, parts = 0, 1
		}
		found := sides[whole].parts(items[whole][f.Whole].Name, items[parts], f.Parts, sides[parts])
		if found != nil {
			all = append(all, Fused{f.Whole, f.InA, f.Parts, found})
		}
	}
	return all
}

// parts finds items of another side one after the other along a dim of a tensor; nil if they are not whole slices of it.
func (s Side) parts(whole string, items []relate.Item, numbers []int, other Side) []Part {
	t, err := s.Open(whole)
	if err != nil {
		return nil
	}
	defer t.Close()
	strided, ok := t.Layout.Strided()
	if !ok {
		return nil
	}
	var left []relate.Item
	for _, i := range numbers {
		left = append(left, items[i])
	}
	for dim := range strided.Shape {
		if parts := s.along(t, strided, dim, slices.Clone(left), other); parts != nil {
			return parts
		}
	}
	return nil
}

// along finds all items along a dim.
func (s Side) along(t *source.Tensor, whole tensor.Strided, dim int, left []relate.Item, other Side) (parts []Part) {
	slice := whole.Numel() / whole.Shape[dim] // elements
	for start := 0; len(left) > 0; start += parts[len(parts)-1].Size {
		next := slices.IndexFunc(left, func(x relate.Item) bool {
			size := x.Print.Count / slice
			if x.Print.Count%slice != 0 || start+size > whole.Shape[dim] {
				return false
			}
			part := Part{Name: x.Name, Dim: dim, Start: start, Size: size}
			part.Reading = narrow(t, whole, part)
			if ok := s.take(&part, View{t, part.Reading}, x, other); !ok {
				return false
			}
			parts = append(parts, part)
			return true
		})
		if next < 0 {
			return nil
		}
		left = slices.Delete(left, next, next+1)
	}
	return parts
}

// narrow returns the layout of a part's slices; a single one lacks the dim if the tensor has others.
func narrow(t *source.Tensor, whole tensor.Strided, p Part) tensor.Layout {
	v := tensor.Strided{Shape: slices.Clone(whole.Shape), Strides: slices.Clone(whole.Strides), Offset: whole.Offset + p.Start*whole.Strides[p.Dim]}
	names := slices.Clone(t.Layout.Names())
	v.Shape[p.Dim] = p.Size
	if p.Size == 1 && len(names) > 1 {
		v.Shape, v.Strides, names = slices.Delete(v.Shape, p.Dim, p.Dim+1), slices.Delete(v.Strides, p.Dim, p.Dim+1), slices.Delete(names, p.Dim, p.Dim+1)
	}
	l, err := v.Layout(names, t.Layout.Alloc())
	if err != nil {
		panic(err) // a part of a layout is one
	}
	return l
}

// take reports whether slices hold an item, in any order of its dims.
func (s Side) take(p *Part, of View, x relate.Item, other Side) bool {
	if print, err := s.print(of); err != nil || print != x.Print {
		return false
	}
	t, err := other.Open(x.Name)
	if err != nil {
		return false
	}
	defer t.Close()
	r, err := Related(Whole(t), of, true, s.Convert)
	if err != nil || r == nil || r.Explained < 1 || r.Kind == relate.Shuffled {
		return false
	}
	p.Reading, p.CanRead = r.Reading, r.CanRead
	if order := orderWithin(r, of.Layout); !slices.IsSorted(order) {
		p.Order = order
	}
	return true
}

// orderWithin returns the order in which slices of a whole have the dims of a part, the one with the largest stride first; dims of size 1
// follow the dim before them. It is nil if the slices are no transposition of the part.
func orderWithin(r *Relation, whole tensor.Layout) (order []int) {
	part, ok := r.Reading.Strided()
	v, also := whole.Strided()
	if !r.CanRead || !ok || !also || part.Offset != v.Offset {
		return nil
	}
	for k, n := range v.Shape {
		if n == 1 {
			continue
		}
		d := slices.IndexFunc(ints.Range(part.Rank()), func(d int) bool {
			return part.Shape[d] == n && part.Strides[d] == v.Strides[k] && !slices.Contains(order, d)
		})
		if d < 0 {
			return nil
		}
		order = append(order, d)
	}
	for d, n := range part.Shape {
		if n == 1 {
			order = slices.Insert(order, slices.Index(order, d-1)+1, d)
		}
	}
	if len(order) != part.Rank() {
		return nil
	}
	return order
}
