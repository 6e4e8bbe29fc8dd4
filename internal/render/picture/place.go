package picture

import (
	"slices"

	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/explain"
)

// place is a storage that holds the tensor.
type place struct {
	layout tensor.Layout
	size   int // bytes of an item
	share  int // elements at each address in use, where that is one number; 0 elsewhere
	sums   explain.Addresses
	from   int // the offset where padding may begin
	end    int // and the one behind it, see Inside
}

// Of the elements at one address, listed are told and counted are counted.
const (
	listed  = 8
	counted = 100
)

func newPlace(l tensor.Layout, size int) place {
	n, _ := l.Sharing()
	from, end := Inside(l)
	return place{l, size, n, explain.NewAddresses(l), from, end}
}

// sharing counts the elements at an offset, up to counted where the strides do not tell.
func (p place) sharing(off int) int {
	if p.share > 0 {
		return p.share
	}
	coords, _ := p.layout.Find(off, counted)
	return len(coords)
}

// elements are those at an offset, in logical order, some of them where there are more than listed; n counts them as sharing
// does. Where all is false there may be more, even where none was found.
func (p place) elements(off int) (coords [][]int, n int, all bool) {
	if p.share > 0 {
		coords, all = p.layout.Find(off, listed)
		return coords, p.share * min(len(coords), 1), all || len(coords) > 0
	}
	coords, all = p.layout.Find(off, counted)
	slices.SortFunc(coords, slices.Compare)
	return coords, len(coords), all
}

// element draws the element of a coordinate, which lies at an offset of a place.
func (d *sketch) element(c *scene.Cell, coord []int, p place, off int) {
	text, x, ok := d.value(d.Layout.At(coord...))
	c.Kind, c.Labels, c.Tint = scene.Element, d.labels(coord, off, text), d.tints.of(c, coord, text, x, ok)
	c.Detail = d.detail(coord, p, off, text)
}

// value is what the source holds at an offset; a dash where it holds nothing.
func (d *sketch) value(off int) (text string, x float64, ok bool) {
	if d.Value == nil {
		return "", 0, false
	}
	if text, x, ok = d.Value(off); !ok {
		text = "-"
	}
	return text, x, ok
}
