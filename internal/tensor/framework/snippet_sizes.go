package framework

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// sizes are the texts of a memory order's sizes: numbers, or expressions of the names of x's dims.
type sizes struct {
	notation.Format
	dims []dim
	axis func(notation.Axis) string
}

// dim has the texts of a dim's size, of what is missing to whole blocks, and of the size in whole blocks.
type dim struct{ size, pad, padded string }

// block is what a dim is padded to a multiple of.
func block(f notation.Format, d int) int {
	for _, a := range f.Axes() {
		if a.Dim == d && a.Extent == 0 {
			return a.Div
		}
	}
	return 1
}

func givenSizes(f notation.Format, shape []int) sizes {
	s := sizes{Format: f}
	for d, n := range shape {
		b := block(f, d)
		full := (n + b - 1) / b * b
		s.dims = append(s.dims, dim{strconv.Itoa(n), strconv.Itoa(full - n), strconv.Itoa(full)})
	}
	s.axis = func(a notation.Axis) string {
		if a.Extent != 0 {
			return strconv.Itoa(a.Extent)
		}
		return strconv.Itoa((shape[a.Dim] + a.Div - 1) / a.Div)
	}
	return s
}

func namedSizes(f notation.Format) sizes {
	s := sizes{Format: f}
	names := strings.Split(strings.ToLower(strings.Join(f.Names(), " ")), " ")
	for d, n := range names {
		x := dim{n, "0", n}
		if b := block(f, d); b != 1 {
			x.pad, x.padded = fmt.Sprintf("-%s %% %d", n, b), fmt.Sprintf("%s + -%s %% %d", n, n, b)
		}
		s.dims = append(s.dims, x)
	}
	s.axis = func(a notation.Axis) string {
		switch {
		case a.Extent != 0:
			return strconv.Itoa(a.Extent)
		case a.Div != 1:
			return fmt.Sprintf("-(-%s // %d)", names[a.Dim], a.Div)
		}
		return names[a.Dim]
	}
	return s
}

// opening names the sizes of x.
func opening(f notation.Format) string {
	names := f.Names()
	return strings.ToLower(strings.Join(names, ", ")) + tail(len(names)) + " = x.shape"
}
