package picture

import (
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

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
