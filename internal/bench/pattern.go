package bench

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// Pattern is what is measured over a tensor in a layout: a walk, an order of visits to all elements, or an operator of PyTorch.
type Pattern string

// Walks only read.
const (
	Channel Pattern = "channel" // for every pixel, all its channels
	Spatial Pattern = "spatial" // for every channel, all its pixels
)

// Operators are those of PyTorch. Under autocast, which casts the inputs of some, the type follows: conv2d.bfloat16. To add one: its name
// here, its function in _operator of python/tlayout/bench.py; the tests cover all of Operators.
const (
	Conv2D    Pattern = "conv2d"
	BatchNorm Pattern = "batch_norm" // with running statistics
	MaxPool2D Pattern = "max_pool2d" // 3×3, stride 2, padding 1
	MatMul    Pattern = "matmul"     // of every pixel's channels with a matrix
)

// The patterns, in the order of reports.
var (
	Walks     = []Pattern{Channel, Spatial}
	Operators = []Pattern{Conv2D, BatchNorm, MaxPool2D, MatMul}
)

// Walk reports whether the pattern is a walk.
func (p Pattern) Walk() bool { return slices.Contains(Walks, p) }

// casts reports whether autocast casts the inputs of the operator.
func (p Pattern) casts() bool { return p == Conv2D || p == MatMul }

// ParsePattern fails with Usage for an unknown pattern.
func ParsePattern(s string) (Pattern, error) {
	var names []string
	for _, p := range slices.Concat(Walks, Operators) {
		names = append(names, string(p))
		if string(p) == s {
			return p, nil
		}
	}
	err := fault.New(fault.Usage, "unknown pattern %s", text.Quoted(s))
	if near := text.Nearest(s, names); near != "" {
		return "", err.WithHint("did you mean %s?", near)
	}
	return "", err.WithHint("patterns are %s", strings.Join(names, ", "))
}
