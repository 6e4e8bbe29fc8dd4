package explain

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Division finds what lies at an offset: the strides are divided out, the largest first.
type Division struct {
	From  int // the offset less that of the storage
	Steps []DivisionStep
	Rest  int // what the smallest stride leaves over
}

// DivisionStep is Before = Value·Stride + Rest, of which Value is the axis's digit.
type DivisionStep struct {
	Axis
	Before int
	Value  int
	Rest   int
}

// NewDivision divides an offset; ok is false where that does not find what lies there, see tensor.Layout.Divide.
func NewDivision(l tensor.Layout, off int) (d Division, ok bool) {
	r, ok := l.Divide(off)
	if !ok {
		return Division{}, false
	}
	d = Division{From: off - l.Offset(), Steps: []DivisionStep{}, Rest: r.Rest}
	before := d.From
	for _, s := range r.Steps {
		d.Steps = append(d.Steps, DivisionStep{*stepAxis(l, s), before, s.Value, s.Rest})
		before = s.Rest
	}
	return d, true
}

// String writes the step: "7 = 1·6 + 1", without a rest "1 = 1·1".
func (s DivisionStep) String() string {
	text := fmt.Sprintf("%d = %d·%d", s.Before, s.Value, s.Stride)
	if s.Rest != 0 {
		text += fmt.Sprintf(" + %d", s.Rest)
	}
	return text
}
