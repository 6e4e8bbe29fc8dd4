package picture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/gpu/shared"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// storage is a memory that holds the tensor.
type storage struct {
	layout tensor.Layout
	size   int // bytes per element
	share  int // elements per address in use, if the same for all; otherwise 0
	sums   explain.Addresses
	banks  *shared.Cost // nil unless conflicts are counted
	from   int          // offsets without an element are padding in [from, end), see Inside
	end    int
	drawn  map[int][][]int // elements of the grid by their offset, if several may share one
}

// Limits for the elements at one address.
const (
	maxListed  = 8
	maxCounted = 100
)

func newStorage(l tensor.Layout, size int) storage {
	n, _ := l.Sharing()
	from, end := Inside(l)
	return storage{layout: l, size: size, share: n, sums: explain.NewAddresses(l), from: from, end: end}
}

// sharing returns the number of elements at an offset, counting to at most maxCounted if that takes a search.
func (p storage) sharing(off int) int {
	if p.share > 0 {
		return p.share
	}
	coords, _ := p.layout.Find(off, maxCounted)
	return len(coords)
}

// elements returns the elements at an offset, in logical order, up to maxListed or more; n counts them as sharing does. If all is false,
// the search was cut short and there may be more, even if it found none.
func (p storage) elements(off int) (coords [][]int, n int, all bool) {
	if p.share > 0 {
		coords, all = p.layout.Find(off, maxListed)
		return coords, p.share * min(len(coords), 1), all || len(coords) > 0
	}
	coords, all = p.layout.Find(off, maxCounted)
	slices.SortFunc(coords, slices.Compare)
	return coords, len(coords), all
}

// put notes the elements of the grid: those that share an offset may be too many to find.
func (p *storage) put(drawn [][]int) {
	if p.share == 1 {
		return
	}
	p.drawn = map[int][][]int{}
	for _, coord := range drawn {
		off := p.layout.At(coord...)
		p.drawn[off] = append(p.drawn[off], coord)
	}
}

// element draws the element with a coordinate at an offset of a storage.
func (d *sketch) element(c *scene.Cell, coord []int, p storage, off int) {
	text, x, ok := d.value(d.Layout.At(coord...))
	c.Kind, c.Labels, c.Tint = scene.Element, d.labels(coord, p, off, text), d.tints.tintOf(c, coord, text, x, ok)
	c.Holds = []int{number(d.Layout, coord)}
	c.Detail = d.detail(coord, p, off, text)
}

// value returns the source's value at an offset, or a dash outside the stored data.
func (d *sketch) value(off int) (text string, x float64, ok bool) {
	if d.Value == nil {
		return "", 0, false
	}
	text, x, ok = d.Value(off)
	if !ok {
		text = "-"
	}
	return text, x, ok
}

// Label selects the text of cells.
type Label string

// The labels.
const (
	Index  Label = "index"  // the element's number in logical order
	Coord  Label = "coord"  // its coordinate: 0,1,0,2
	Value  Label = "value"  // its value
	Offset Label = "offset" // its offset in the source, or in each memory; elements
	Byte   Label = "byte"   // the same in bytes
	Bank   Label = "bank"   // bank of shared memory, and the degree of a conflict: 3×8
)

// describe returns the meaning of a label; perMemory means that offsets in the memories differ from those in the source.
func (k Label) describe(names []string, perMemory bool) string {
	switch k {
	case Coord:
		return "coordinate " + strings.Join(names, ",")
	case Value:
		return "value"
	case Offset:
		return "offset" + eachMemory(perMemory)
	case Byte:
		return "byte" + eachMemory(perMemory)
	case Bank:
		return "bank of shared memory" + eachMemory(perMemory)
	}
	return "logical index"
}

func eachMemory(perMemory bool) string {
	if perMemory {
		return ", per memory"
	}
	return ""
}

// labels returns the texts of an element at an offset.
func (d *sketch) labels(coord []int, p storage, off int, value string) []string {
	out := make([]string, len(d.Labels))
	for i, k := range d.Labels {
		switch k {
		case Coord:
			out[i] = text.Ints(coord, ",")
		case Value:
			out[i] = d.short(value)
		case Offset:
			out[i] = strconv.Itoa(off)
		case Byte:
			out[i] = d.byteOf(off)
		case Bank:
			out[i] = bankLabel(p.banks, number(d.Layout, coord), off, d.Size)
		default:
			out[i] = strconv.Itoa(number(d.Layout, coord))
		}
	}
	return out
}

// paddingLabels returns the value of padding if values are drawn.
func (d *sketch) paddingLabels(value string) []string {
	if value == "" || !slices.Contains(d.Labels, Value) {
		return []string{}
	}
	out := make([]string, len(d.Labels))
	out[slices.Index(d.Labels, Value)] = d.short(value)
	return out
}

// short returns a value shortened for a cell.
func (d *sketch) short(value string) string {
	if d.Exact {
		return value
	}
	if d.Numeric {
		value = text.Short(value)
	}
	return scene.CutLabel(value)
}

// number returns the element's number in logical order.
//
//	number(i) = (…(i_0·d_1 + i_1)·d_2 + …) + i_last
func number(l tensor.Layout, coord []int) int {
	n := 0
	for k, i := range coord {
		n = n*l.Dim(k).Size + i
	}
	return n
}

// numbers returns the numbers of elements, each once.
func (d *sketch) numbers(coords [][]int) []int {
	list := make([]int, len(coords))
	for i, coord := range coords {
		list[i] = number(d.Layout, coord)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// indexNames returns the dims' names in lower case.
func indexNames(l tensor.Layout) []string {
	names := l.Names()
	for i, name := range names {
		names[i] = strings.ToLower(name)
	}
	return names
}

// detail describes an element: coordinate, offset, value, and the sum of its address.
func (d *sketch) detail(coord []int, p storage, off int, value string) string {
	b := d.text[:0]
	if len(coord) > 0 {
		b = append(d.appendIndices(b, coord), ", "...)
	}
	b = append(d.appendAt(b, off), ", "...)
	if value != "" {
		b = append(append(append(b, "value "...), value...), ", "...)
	}
	d.text = p.sums.At(coord).Append(b)
	return string(d.text)
}

func (d *sketch) at(off int) string { return string(d.appendAt(nil, off)) }

func (d *sketch) appendAt(b []byte, off int) []byte {
	b = strconv.AppendInt(append(b, "offset "...), int64(off), 10)
	return append(append(b, ", byte "...), d.byteOf(off)...)
}

// sharedText lists the n elements at one address, or more if all is false.
func sharedText(coords [][]int, n int, all bool) string {
	var out []string
	for _, c := range coords[:min(len(coords), maxListed)] {
		out = append(out, tensor.Tuple(c))
	}
	if n > maxListed {
		out = append(out, "…")
	}
	sharers := strconv.Itoa(n)
	if !all {
		sharers += " or more"
	}
	return fmt.Sprintf("shared by %s elements: %s", sharers, strings.Join(out, " "))
}
