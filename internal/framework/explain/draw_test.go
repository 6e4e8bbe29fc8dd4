package explain

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// drawLayout is a layout of one to three dims of one to three digits, whose strides nest, repeat, overlap or leave gaps.
func drawLayout(t *testing.T, d *rand.Rand) tensor.Layout {
	t.Helper()
	run, dims := 1, make([]tensor.Dim, 1+d.IntN(3))
	for _, i := range d.Perm(len(dims)) {
		dims[i] = tensor.Dim{Name: "ABC"[i : i+1], Size: 1 + d.IntN(6)}
		div := 1
		for range d.IntN(3) * d.IntN(2) {
			block := 1 + d.IntN(4)
			dims[i].Digits = append(dims[i].Digits, tensor.Digit{Div: div, Extent: block})
			div *= block
		}
		dims[i].Digits = append(dims[i].Digits, tensor.Digit{Div: div, Extent: (dims[i].Size + div - 1) / div})
		for k := range dims[i].Digits {
			g := &dims[i].Digits[k]
			run += d.IntN(2) * d.IntN(3)
			g.Stride = []int{run, run, run, run, run, run, 0, 1 + d.IntN(9), -run}[d.IntN(9)]
			run *= g.Extent
		}
	}
	l, err := tensor.New(dims, d.IntN(2)*(20+d.IntN(9)), tensor.Unbounded)
	if err == nil && d.IntN(4) == 0 {
		l, err = l.Swizzled(tensor.Swizzle{Bits: 1 + d.IntN(2), Base: d.IntN(3), Shift: []int{2, 3, -2}[d.IntN(3)]}, tensor.Unbounded)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

var dotProduct = regexp.MustCompile(`^\{([-\d,]*)\} · \{([-\d,]*)\}(?: \+ (\d+))?$`)

var swizzled = regexp.MustCompile(`^Sw<(\d+),(\d+),(-?\d+)>\((.*)\)$`)

// evaluate computes a dot product, a sum of products or a number, written with "·" or " · "; false if it has names.
func evaluate(side string) (int, bool) {
	if m := dotProduct.FindStringSubmatch(side); m != nil {
		sum, _ := strconv.Atoi(m[3])
		strides := strings.Split(m[2], ",")
		for k, i := range strings.Split(m[1], ",") {
			a, _ := strconv.Atoi(i)
			b, _ := strconv.Atoi(strides[k])
			sum += a * b
		}
		return sum, true
	}
	if m := swizzled.FindStringSubmatch(side); m != nil {
		var n [3]int
		for i := range n {
			n[i], _ = strconv.Atoi(m[i+1])
		}
		sum, ok := evaluate(m[4])
		return tensor.Swizzle{Bits: n[0], Base: n[1], Shift: n[2]}.Apply(sum), ok
	}
	sum := 0
	for term := range strings.SplitSeq(side, " + ") {
		product := 1
		for factor := range strings.SplitSeq(term, "·") {
			n, err := strconv.Atoi(strings.TrimSpace(factor))
			if err != nil {
				return 0, false
			}
			product *= n
		}
		sum += product
	}
	return sum, true
}

// divide computes "17 div 4 mod 4".
func divide(text string) int {
	words := strings.Fields(text)
	n, _ := strconv.Atoi(words[0])
	for k := 1; k < len(words); k += 2 {
		if by, _ := strconv.Atoi(words[k+1]); words[k] == "div" {
			n /= by
		} else {
			n %= by
		}
	}
	return n
}
