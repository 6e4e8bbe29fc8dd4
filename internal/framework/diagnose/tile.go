package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/framework/mention"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
)

var (
	// fragment is how TileLang prints the layout of a tile in registers.
	fragment = lazy.Regexp(`Fragment\(\[([\d, ]+)\] -> \[([\d, ]+)\](?:, replicate: (\d+))?(?:, thread: (\d+))?`)
	// arrayShape and blockSize are how Pallas prints the shapes of an array and of a block.
	arrayShape = lazy.Regexp(`array shape ` + mention.List)
	blockSize  = lazy.Regexp(`\b\d+\b`)
)

// fragments says how many elements of a tile each thread has.
func fragments(c *complaint) (a Answer, ok bool) {
	for i, m := range fragment.Get().FindAllStringSubmatch(c.message, 4) {
		fact := fmt.Sprintf("layout %d: a tile of (%s), %s elements in each of %s threads", i+1, m[1], m[2], cmp.Or(m[4], "the"))
		if n := parsed(m[3]); n > 1 {
			fact += fmt.Sprintf(", each element in %d threads (replicate)", n)
		}
		a.Facts = append(a.Facts, fact)
	}
	return a, true
}

// otherBlock names the last two dims of a block that are neither a multiple of a tile of a TPU nor the whole dim.
func otherBlock(c *complaint) (a Answer, ok bool) {
	var block []int
	for _, n := range blockSize.Get().FindAllString(c.said["block"], 8) {
		block = append(block, parsed(n))
	}
	var array []int
	if m := arrayShape.Get().FindStringSubmatch(c.message); m != nil {
		array, _ = mention.Sizes(m[1])
	}
	if len(block) < 2 || len(array) != len(block) || slices.Min(block) < 0 {
		return Answer{}, true
	}
	for i, tile := range []int{8, 128} {
		d := len(block) - 2 + i
		if block[d]%tile == 0 || block[d] == array[d] {
			continue
		}
		a.Facts = append(a.Facts, fmt.Sprintf("dim %d: %d is neither a multiple of %d nor the whole dim, %d", d, block[d], tile, array[d]))
		block[d] = min((block[d]+tile-1)/tile*tile, array[d])
	}
	a.Fixes = []string{"pl.BlockSpec(" + tensor.Tuple(block) + ", index_map)  # index_map for these blocks"}
	return a, true
}
