package picture

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
)

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
