package layout

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Convert copies a tensor of elements of itemSize bytes from one layout into another, on all cores. dst and src are the storages, of at least
// to.Size() and from.Size() elements, and do not overlap; positions of dst that hold no element become 0. Dims are matched by name if both
// layouts have the same names, otherwise by position, and have the same sizes.
func Convert(dst, src []byte, from, to Layout, itemSize int) error {
	p, err := NewPlan(from, to, itemSize)
	if err != nil {
		return err
	}
	return p.Convert(dst, src)
}

// Plan is a conversion that was planned once, by NewPlan. It may be used by several goroutines.
type Plan struct {
	plan     *convert.Plan
	from, to int // bytes
}

// NewPlan plans a conversion, as Convert does.
func NewPlan(from, to Layout, itemSize int) (*Plan, error) {
	if itemSize < 1 {
		return nil, fmt.Errorf("an element has %d bytes", itemSize)
	}
	source, err := from.stored(itemSize, from.Dims())
	if err != nil {
		return nil, err
	}
	names := to.Dims()
	if !sameNames(names, from.Dims()) {
		names = from.Dims()
	}
	target, err := to.stored(itemSize, names)
	if err != nil {
		return nil, err
	}
	plan, err := convert.NewPlan(target, source, itemSize)
	if err != nil {
		return nil, err
	}
	return &Plan{plan, source.Alloc() * itemSize, target.Alloc() * itemSize}, nil
}

// sameNames reports whether dims have the same names in any order.
func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// stored returns the layout over a storage of Size elements, with dims of these names.
func (l Layout) stored(itemSize int, names []string) (tensor.Layout, error) {
	if l.isZero() {
		return tensor.Layout{}, errors.New("the zero Layout has no dims: use Parse or Strided")
	}
	if len(names) != l.l.Rank() {
		return tensor.Layout{}, fmt.Errorf("layout %s has %d dims, the other has %d", l, l.l.Rank(), len(names))
	}
	if low, _, ok := l.l.Span(); ok && low < 0 {
		return tensor.Layout{}, fmt.Errorf("layout %s: an element is at offset %d", l, low)
	}
	if l.Size() > math.MaxInt/itemSize {
		return tensor.Layout{}, fmt.Errorf("layout %s: %d elements of %d bytes exceed the address space", l, l.Size(), itemSize)
	}
	return l.l.Renamed(names, l.Size())
}

// Convert copies from src to dst, on all cores; see the function Convert.
func (p *Plan) Convert(dst, src []byte) error {
	if p.plan == nil {
		return errors.New("the zero Plan plans no conversion: use NewPlan")
	}
	if len(src) < p.from || len(dst) < p.to {
		return fmt.Errorf("the storages have %d and %d bytes, the layouts need %d and %d", len(src), len(dst), p.from, p.to)
	}
	if kernel.Overlap(dst[:p.to], src[:p.from]) {
		return errors.New("dst and src overlap: a conversion needs another storage")
	}
	return p.plan.Run(dst[:p.to], src[:p.from], nil, convert.Options{})
}
