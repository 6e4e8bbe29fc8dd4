package explain

import (
	"github.com/tlayout/tlayout/internal/tensor"
)

// PaddedLanes tells of each dim that ends inside a block what the rest of the block holds.
func PaddedLanes(l tensor.Layout) []string {
	var lines []string
	for _, b := range NewBlocks(l) {
		lines = append(lines, b.String())
	}
	return lines
}
