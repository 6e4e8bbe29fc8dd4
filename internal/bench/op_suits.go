package bench

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// suits fails where the pattern, an operation, cannot be run over the layout: with Unsupported for types that no gather
// loads and for more channels than float32 sums up exactly, with Usage for dims that it does not know or needs.
func suits(p Pattern, l tensor.Layout, it item) error {
	if err := loads(it); err != nil {
		return err
	}
	size := map[string]int{}
	for i := range l.Rank() {
		d := l.Dim(i)
		if !slices.Contains(opDims, d.Name) {
			return fault.New(fault.Usage, "%s does not know what dim %s is", p, words.Quoted(d.Name)).
				WithHint("its dims are %s", strings.Join(opDims, ", "))
		}
		size[d.Name] = d.Size
	}
	switch c := size["C"]; {
	case l.Numel() == 0:
		return fault.New(fault.Usage, "%s of a tensor without elements", p)
	case c == 0:
		return fault.New(fault.Usage, "%s needs a dim C", p)
	case c > mostChannels && it.size < 8:
		return fault.New(fault.Unsupported, "%d channels are more than float32 sums up exactly", c).
			WithHint("measure with float64")
	}
	return p.suitsPixels(size["D"], size["H"], size["W"])
}

// opDims are the dims that operations know.
var opDims = []string{"N", "C", "D", "H", "W"}

// mostChannels is how many products of a value and a weight a float32 is sure to hold the sum of.
const mostChannels = 1 << 24 / ((values - 1) * mostWeight)

// suitsPixels fails with Usage where a pattern needs more of the dims of pixels. Those that are missing are 0.
func (p Pattern) suitsPixels(d, h, w int) error {
	switch windows := p == MaxPool || p == Depthwise; {
	case windows && (h == 0 || w == 0):
		return fault.New(fault.Usage, "%s needs dims H and W", p)
	case d == 0 && h == 0 && w == 0:
		return fault.New(fault.Usage, "%s needs a dim D, H or W", p)
	case p == MaxPool && min(h, w) < 2:
		return fault.New(fault.Usage, "%s needs H and W of at least 2", p)
	}
	return nil
}
