package explain

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// Blocks is a dim that ends inside a block, of which the rest is padding.
type Blocks struct {
	Dim   int
	Name  string
	Size  int
	Count int // of blocks
	Block int // indices in a block
	Spare int // lanes of the last block that belong to no index
}

// NewBlocks lists the dims of a layout that end inside a block.
//
// Post: Size + Spare = Count · Block = l.PaddedShape()[Dim].
func NewBlocks(l tensor.Layout) []Blocks {
	var all []Blocks
	for i, padded := range l.PaddedShape() {
		d := l.Dim(i)
		last := d.Digits[len(d.Digits)-1]
		if spare := padded - d.Size; spare > 0 {
			all = append(all, Blocks{i, d.Name, d.Size, last.Extent, last.Div, spare})
		}
	}
	return all
}

// String tells of the padding: "C is 62, in 4 blocks of 16: the last 2 lanes are padding".
func (b Blocks) String() string {
	lanes := "lane is"
	if b.Spare > 1 {
		lanes = fmt.Sprintf("%d lanes are", b.Spare)
	}
	return fmt.Sprintf("%s is %d, in %s of %d: the last %s padding", b.Name, b.Size, words.Count(b.Count, "block"), b.Block, lanes)
}
