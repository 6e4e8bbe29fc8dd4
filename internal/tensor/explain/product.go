package explain

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// Product is a product of sizes, in letters and in numbers.
type Product struct {
	Symbols []string
	Factors []int // as many
	Value   int   // a size of 0 counts as 1, as in a stride
}

// newProduct multiplies the extents of axes.
func newProduct(axes []Axis) Product {
	p := Product{Value: 1}
	for _, q := range axes {
		p.Symbols, p.Factors = append(p.Symbols, q.Symbol()), append(p.Factors, q.Extent)
		p.Value *= max(q.Extent, 1)
	}
	return p
}

// In writes the product with a sign between its factors: with " · ", "H · W = 5 · 4 = 20"; of one factor "W = 4", of one
// that is a number "16"; of none "1".
func (p Product) In(sign string) string {
	letters := strings.Join(p.Symbols, sign)
	switch len(p.Factors) {
	case 0:
		return strconv.Itoa(p.Value)
	case 1:
		return strings.Join(slices.Compact([]string{letters, strconv.Itoa(p.Factors[0])}), " = ")
	}
	return strings.Join(slices.Compact([]string{letters, words.Ints(p.Factors, sign), strconv.Itoa(p.Value)}), " = ")
}

// InBytes writes a number of elements in bytes, however large.
func InBytes(n, itemSize int) string { return times(n, itemSize) }

// times writes a·b, however large.
func times(a, b int) string { return string(appendTimes(nil, a, b)) }

func appendTimes(text []byte, a, b int) []byte {
	if n, ok := tensor.Mul(a, b); ok {
		return strconv.AppendInt(text, int64(n), 10)
	}
	return new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(int64(b))).Append(text, 10)
}
