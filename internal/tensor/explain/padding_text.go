package explain

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/words"
)

// String says where the padding lies and why, as it goes on behind "is padding": "between two rows: w would be 3, but W
// is 3".
func (p Padding) String() string {
	switch {
	case p.Kind == PadEmpty:
		return "for the tensor has no elements"
	case p.Kind == PadBefore:
		return fmt.Sprintf("before the first element, which is at offset %d", p.Edge)
	case p.Kind == PadBlock:
		return "in a block of " + p.block()
	case p.Kind == PadAfter && p.Over == nil:
		return fmt.Sprintf("after the last element, which is at offset %d", p.Edge)
	case p.Kind == PadAfter:
		return "after the last element: " + p.over()
	case p.Outer == nil:
		return "between elements: no coordinate leads there"
	case p.Over == nil:
		return fmt.Sprintf("%s: a step is %d elements, and %d is left over", p.between(), p.Outer.Stride, p.Rest)
	}
	return p.between() + ": " + p.over()
}

func (p Padding) between() string {
	if p.Outer.Name() == "H" {
		return "between two rows"
	}
	return "between two steps of " + p.Outer.Name()
}

// over says which digit runs past its end.
func (p Padding) over() string {
	switch {
	case !p.Over.Last:
		return fmt.Sprintf("%s would be %d, but runs from 0 to %d", p.Over.Name(), p.Over.Value, p.Over.Extent-1)
	case p.Rest != 0:
		return fmt.Sprintf("it is past %s = %d, the last", p.Over.Letter(), p.Size-1)
	}
	return fmt.Sprintf("%s would be %d, but %s is %d", p.Over.Letter(), p.Over.Of, p.Over.DimName, p.Size)
}

// block writes the digits of the index that is past its dim's size: "C: C//4 = 0 and C%4 = 3 would be c = 3, but C is 3".
func (p Padding) block() string {
	var digits []string
	for _, t := range p.Split {
		digits = append(digits, fmt.Sprintf("%s = %d", t.Name(), t.Value))
	}
	d := p.Split[0]
	return fmt.Sprintf("%s: %s would be %s = %d, but %s is %d", d.DimName, words.And(digits), d.Letter(), d.Of, d.DimName, p.Size)
}
