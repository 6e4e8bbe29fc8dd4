package explain

import (
	"github.com/tlayout/tlayout/internal/tensor"
)

// Example is a coordinate that shows how addresses add up: {1,0,1} of (2,2,3), {1,2} of (2,5). Of a dim in blocks it takes
// the second lane of the second block.
func Example(l tensor.Layout) []int {
	coord, on := make([]int, l.Rank()), true
	if l.Rank() == 2 {
		return []int{max(0, min(l.Dim(0).Size-1, 1)), max(0, min(l.Dim(1).Size-1, 2))}
	}
	for i := l.Rank() - 1; i >= 0; i-- {
		d := l.Dim(i)
		switch {
		case len(d.Digits) > 1:
			coord[i] = max(0, min(d.Size-1, d.Digits[0].Extent+1))
		case d.Size > 1:
			if on {
				coord[i] = 1
			}
			on = !on
		}
	}
	return coord
}
