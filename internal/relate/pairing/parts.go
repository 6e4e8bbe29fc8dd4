package pairing

import (
	"slices"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/tensor"
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

	item int // its number
}

// Fused is a tensor that holds the elements of several of the other side, and no others.
type Fused struct {
	Whole int // the number of its item
	InA   bool
	Items []int // of the parts, in the order of Parts
	Parts []Part
}

// FindFused finds the tensors of one side that are several of the other, one after the other along a dim. unpaired are the numbers of the items
// without a partner.
func FindFused(sides [2]Side, items [2][]relate.Item, unpaired [2][]int, work *relate.Work) (all []Fused) {
	for _, f := range relate.FindFused(items[0], items[1], unpaired, work) {
		whole := 1
		parts := 0
		if f.InA {
			whole = 0
			parts = 1
		}
		s := cutting{whole: sides[whole], other: sides[parts], items: items[parts], work: work}
		if found := s.parts(items[whole][f.Whole].Name, f.Parts); found != nil {
			numbers := make([]int, len(found))
			for k, p := range found {
				numbers[k] = p.item
			}
			all = append(all, Fused{f.Whole, f.InA, numbers, found})
		}
	}
	return all
}

// cutting finds the parts of a tensor of one side among those of the other.
type cutting struct {
	whole, other Side
	items        []relate.Item // of the other side
	work         *relate.Work
	budget       *relate.Budget // for the fingerprints of slices
}

// parts finds items of the other side one after the other along a dim of a tensor; nil if they are not whole slices of it.
func (c *cutting) parts(whole string, numbers []int) []Part {
	t, err := c.whole.Open(whole)
	if err != nil {
		return nil
	}
	defer t.Close()
	strided, ok := t.Layout.Strided()
	if !ok {
		return nil
	}
	c.budget = c.work.Budget(Whole(t).Bytes())
	for dim := range strided.Shape {
		if parts := c.along(t, strided, dim, numbers); parts != nil {
			return parts
		}
	}
	return nil
}

// along finds all items along a dim.
func (c *cutting) along(t *source.Tensor, whole tensor.Strided, dim int, numbers []int) (parts []Part) {
	q, ok := c.queue(numbers, whole.Numel()/whole.Shape[dim])
	if !ok {
		return nil
	}
	for start := 0; start < whole.Shape[dim]; start += parts[len(parts)-1].Size {
		part, ok := c.next(&q, t, whole, Part{Dim: dim, Start: start})
		if !ok {
			return nil
		}
		parts = append(parts, part)
	}
	return parts
}

// queue is the parts that are not found yet, by their fingerprints.
type queue struct {
	sizes []int       // in slices, each once, in the order of the parts
	count map[int]int // parts of a size
	items map[relate.Fingerprint][]int
}

// queue returns a queue of parts whose slices have so many elements; ok is false if one is not made of whole slices.
func (c *cutting) queue(numbers []int, slice int) (q queue, ok bool) {
	q = queue{count: map[int]int{}, items: map[relate.Fingerprint][]int{}}
	for _, i := range numbers {
		print := c.items[i].Print
		if print.Count%slice != 0 {
			return q, false
		}
		size := print.Count / slice
		if q.count[size] == 0 {
			q.sizes = append(q.sizes, size)
		}
		q.count[size]++
		q.items[print] = append(q.items[print], i)
	}
	return q, true
}

// maxAlike bounds the parts of the same elements that are tried in one place: of more, such as slices of zeros, each costs a comparison, and
// any order of theirs is as good.
const maxAlike = 4

// next finds the part that starts at a slice. Each size that is left is tried, and of that size only parts with the elements of the slices.
func (c *cutting) next(q *queue, t *source.Tensor, whole tensor.Strided, p Part) (Part, bool) {
	for _, p.Size = range q.sizes {
		if q.count[p.Size] == 0 || p.Start+p.Size > whole.Shape[p.Dim] {
			continue
		}
		if !c.budget.Take(stepsOfSlices + p.Size*whole.Numel()/whole.Shape[p.Dim]/elementsPerStep) {
			return p, false
		}
		cut := View{t, narrow(t, whole, p)}
		print, err := c.whole.print(cut)
		if err != nil {
			return p, false
		}
		candidates := q.items[print]
		for k, i := range candidates[:min(len(candidates), maxAlike)] {
			if c.take(&p, cut, i) {
				q.count[p.Size]--
				copy(candidates[1:], candidates[:k])
				q.items[print] = candidates[1:]
				return p, true
			}
		}
	}
	return p, false
}

// The work of a fingerprint, in steps of relate.Work: of no elements, and of each.
const (
	stepsOfSlices   = 64
	elementsPerStep = 8 // some ten nanoseconds
)

// narrow returns the layout of a part's slices; a single one lacks the dim if the tensor has others.
func narrow(t *source.Tensor, whole tensor.Strided, p Part) tensor.Layout {
	v := tensor.Strided{Shape: slices.Clone(whole.Shape), Strides: slices.Clone(whole.Strides), Offset: whole.Offset + p.Start*whole.Strides[p.Dim]}
	names := slices.Clone(t.Layout.Names())
	v.Shape[p.Dim] = p.Size
	if p.Size == 1 && len(names) > 1 {
		v.Shape = slices.Delete(v.Shape, p.Dim, p.Dim+1)
		v.Strides = slices.Delete(v.Strides, p.Dim, p.Dim+1)
		names = slices.Delete(names, p.Dim, p.Dim+1)
	}
	l, err := v.Layout(names, t.Layout.Alloc())
	if err != nil {
		panic(err) // a part of a layout is one
	}
	return l
}

// take makes an item the part, if the slices hold it in any order of its dims.
func (c *cutting) take(p *Part, cut View, item int) bool {
	t, err := c.other.Open(c.items[item].Name)
	if err != nil {
		return false
	}
	defer t.Close()
	r, err := Related(Whole(t), cut, Search{SameElements: true, Budget: c.work.Budget(2 * cut.Bytes()), Convert: c.whole.Convert})
	if err != nil || r == nil || r.Explained < 1 { // as where no order was found
		return false
	}
	p.item = item
	p.Name = c.items[item].Name
	p.Reading = r.Reading
	p.CanRead = r.CanRead
	if order := orderWithin(r, cut.Layout); !slices.IsSorted(order) {
		p.Order = order
	}
	return true
}

// orderWithin returns the order in which slices of a whole have the dims of a part, the one with the largest stride first; dims of size 1
// follow the dim before them. It is nil if the slices are no transposition of the part.
func orderWithin(r *Relation, whole tensor.Layout) (order []int) {
	if !r.CanRead {
		return nil
	}
	part, plain := r.Reading.Strided()
	v, alsoPlain := whole.Strided()
	if !plain || !alsoPlain || part.Offset != v.Offset {
		return nil
	}
	for k, n := range v.Shape {
		if n == 1 {
			continue
		}
		d := dimLike(part, n, v.Strides[k], order)
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
