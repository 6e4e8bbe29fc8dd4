package explain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Axis is a digit of a dim's index, or the whole index of a dim that is not split. One step of it moves the address by
// Stride elements.
type Axis struct {
	Dim     int // in logical order
	DimName string
	Last    bool // the most significant digit of its dim, which is not wrapped
	tensor.Digit
}

// Whole reports whether the axis is all of its dim's index.
func (a Axis) Whole() bool { return a.Last && a.Div == 1 }

// Name is C, or of a dim in blocks of 16 C//16 and C%16.
func (a Axis) Name() string {
	name := a.DimName
	if a.Div != 1 {
		name += "//" + strconv.Itoa(a.Div)
	}
	if !a.Last {
		name += "%" + strconv.Itoa(a.Extent)
	}
	return name
}

// Symbol is the extent in letters: C, ⌈C/16⌉, 16.
func (a Axis) Symbol() string {
	switch {
	case !a.Last:
		return strconv.Itoa(a.Extent)
	case a.Div != 1:
		return fmt.Sprintf("⌈%s/%d⌉", a.DimName, a.Div)
	}
	return a.DimName
}

// Letter is the index of the axis's dim: c.
func (a Axis) Letter() string { return strings.ToLower(a.DimName) }

// Taken says how the digit is taken from the index: " div 16", " mod 16", " div 4 mod 2"; nothing for all of it.
func (a Axis) Taken() string {
	text := ""
	if a.Div != 1 {
		text = fmt.Sprintf(" div %d", a.Div)
	}
	if !a.Last {
		text += fmt.Sprintf(" mod %d", a.Extent)
	}
	return text
}

// DigitName names digit k of a dim, C//4 or C%4.
func DigitName(d tensor.Dim, k int) string {
	return Axis{DimName: d.Name, Last: k == len(d.Digits)-1, Digit: d.Digits[k]}.Name()
}
