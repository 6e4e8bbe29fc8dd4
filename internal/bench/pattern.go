package bench

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Pattern is an order of visits to all elements, and the computation on them.
type Pattern string

// The walks only read. The operations are a typical channel-wise and a typical spatial computation. Their results are float32, or float64
// for float64 elements.
const (
	Channel Pattern = "channel" // for every pixel, all its channels
	Spatial Pattern = "spatial" // for every channel, all its pixels

	Sum       Pattern = "sum"       // channel: out[n,h,w] = Σ over c of x[n,c,h,w]
	Depthwise Pattern = "depthwise" // spatial: out[n,c,h,w] = Σ over i, j of weight[c,i,j] · x[n,c,h+i−1,w+j−1], zero padding
)

// Patterns lists all patterns, walks first.
var Patterns = []Pattern{Channel, Spatial, Sum, Depthwise}

// Walk reports whether the pattern only reads.
func (p Pattern) Walk() bool { return p == Channel || p == Spatial }

// Order returns the walk with the pattern's order of visits.
func (p Pattern) Order() Pattern {
	if p == Channel || p == Sum {
		return Channel
	}
	return Spatial
}

// ParsePattern fails with Usage for an unknown pattern.
func ParsePattern(s string) (Pattern, error) {
	names := make([]string, len(Patterns))
	for i, p := range Patterns {
		if names[i] = string(p); names[i] == s {
			return p, nil
		}
	}
	err := fault.New(fault.Usage, "unknown pattern %s", text.Quoted(s))
	if near := text.Nearest(s, names); near != "" {
		return "", err.WithHint("did you mean %s?", near)
	}
	return "", err.WithHint("patterns are %s", strings.Join(names, ", "))
}

// suits fails if an operation cannot run over the layout: with Unsupported for types without a gather and for more channels
// than float32 sums exactly, with Usage for unknown or missing dims.
func suits(p Pattern, l tensor.Layout, enc encoding) error {
	if err := loads(enc); err != nil {
		return err
	}
	size := map[string]int{}
	for i := range l.Rank() {
		d := l.Dim(i)
		if !slices.Contains(opDims, d.Name) {
			return fault.New(fault.Usage, "%s does not support dim %s", p, text.Quoted(d.Name)).
				WithHint("supported dims: %s", strings.Join(opDims, ", "))
		}
		size[d.Name] = d.Size
	}
	switch c, d, h, w := size["C"], size["D"], size["H"], size["W"]; {
	case l.Numel() == 0:
		return fault.New(fault.Usage, "%s needs a tensor with elements", p)
	case c == 0:
		return fault.New(fault.Usage, "%s needs a dim C", p)
	case c > maxChannels && enc.size < 8:
		return fault.New(fault.Unsupported, "float32 cannot sum %d channels exactly", c).
			WithHint("measure with float64")
	case p == Depthwise && (h == 0 || w == 0):
		return fault.New(fault.Usage, "%s needs dims H and W", p)
	case d == 0 && h == 0 && w == 0:
		return fault.New(fault.Usage, "%s needs a dim D, H or W", p)
	}
	return nil
}

// opDims are the dims that operations support.
var opDims = []string{"N", "C", "D", "H", "W"}

// maxChannels is the number of values that float32 always sums exactly.
const maxChannels = 1 << 24 / (values - 1)
