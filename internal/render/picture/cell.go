package picture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/explain"
	"github.com/tlayout/tlayout/internal/words"
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

// Label is what is written on cells.
type Label string

// The labels.
const (
	Index  Label = "index"  // the element's number in logical order, all of the same width: 0000
	Coord  Label = "coord"  // its coordinate: 0,1,0,2
	Value  Label = "value"  // what it holds
	Offset Label = "offset" // where it lies in the source, in a memory its address there; elements
	Byte   Label = "byte"   // the same in bytes
)

// says is what a label is called in a sentence, where elements lie elsewhere in the memories than in the source or do not.
func (k Label) says(names []string, elsewhere bool) string {
	switch k {
	case Coord:
		return "coordinate " + strings.Join(names, ",")
	case Value:
		return "value"
	case Offset:
		return "offset" + ofWhich(elsewhere)
	case Byte:
		return "byte" + ofWhich(elsewhere)
	}
	return "number of the element in logical order"
}

func ofWhich(elsewhere bool) string {
	if elsewhere {
		return ", in each memory its own"
	}
	return ""
}

// labels are those of an element that lies at an offset.
func (d *sketch) labels(coord []int, off int, value string) []string {
	out := make([]string, len(d.Labels))
	for i, k := range d.Labels {
		switch k {
		case Coord:
			out[i] = words.Ints(coord, ",")
		case Value:
			out[i] = scene.CutLabel(value)
		case Offset:
			out[i] = strconv.Itoa(off)
		case Byte:
			out[i] = strconv.Itoa(off * d.Size)
		default:
			n := strconv.Itoa(number(d.Layout, coord))
			out[i] = strings.Repeat("0", d.digits-len(n)) + n
		}
	}
	return out
}

// paddingLabels are an x, or what padding holds where a value is asked for.
func (d *sketch) paddingLabels(value string) []string {
	if value == "" {
		return []string{"x"}
	}
	out := make([]string, len(d.Labels))
	held := false
	for i, k := range d.Labels {
		out[i] = "x"
		if k == Value {
			out[i], held = scene.CutLabel(value), true
		}
	}
	if !held {
		return out[:1]
	}
	return out
}

// number counts the elements before a coordinate in logical order.
//
//	number(i) = (…(i_0·d_1 + i_1)·d_2 + …) + i_last
func number(l tensor.Layout, coord []int) int {
	n := 0
	for k, i := range coord {
		n = n*l.Dim(k).Size + i
	}
	return n
}

// indexNames are the dims' names as their indices are written: c.
func indexNames(l tensor.Layout) []string {
	names := l.Names()
	for i, name := range names {
		names[i] = strings.ToLower(name)
	}
	return names
}

// detail says all there is to say of an element: its coordinate, where it lies, what it holds, and how its address comes
// about.
func (d *sketch) detail(coord []int, p place, off int, value string) string {
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
	return strconv.AppendInt(append(b, ", byte "...), int64(off*d.Size), 10)
}

// together lists the elements at one address, of which there are n, or more where these are not all.
func together(coords [][]int, n int, all bool) string {
	var out []string
	for _, c := range coords[:min(len(coords), listed)] {
		out = append(out, tensor.Tuple(c))
	}
	if n > listed {
		out = append(out, "…")
	}
	many := strconv.Itoa(n)
	if !all {
		many += " or more"
	}
	return fmt.Sprintf("%s elements lie here: %s", many, strings.Join(out, " "))
}
