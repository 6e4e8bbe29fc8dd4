package trace

import (
	"math/big"
	"regexp"
	"strings"
	"testing"
)

// equation is a sum of products of numbers, of two at least, and what it is said to be: "0 + 2·20 = 40".
var equation = regexp.MustCompile(`(?:^|[ =(])(-?\d+(?:·-?\d+| ?[+-] ?-?\d+)+) = (-?\d+)(?:[ ,;.)]|$)`)

// equations lists those in a text, and those of them that do not hold among numbers of any length.
func equations(text string) (all, wrong []string) {
	for _, e := range equation.FindAllStringSubmatch(text, -1) {
		all = append(all, e[0])
		want, _ := new(big.Int).SetString(e[2], 10)
		if sum(e[1]).Cmp(want) != 0 {
			wrong = append(wrong, e[0])
		}
	}
	return all, wrong
}

// wantTrue fails where an equation in the text does not hold.
func wantTrue(t *testing.T, text string) {
	t.Helper()
	if _, wrong := equations(text); len(wrong) > 0 {
		t.Errorf("%q does not hold, in %q", wrong, text)
	}
}

var summand = regexp.MustCompile(`( ?[+-] ?)?(-?\d+(?:·-?\d+)*)`)

func sum(text string) *big.Int {
	total := new(big.Int)
	for i, s := range summand.FindAllStringSubmatch(text, -1) {
		product := big.NewInt(1)
		for factor := range strings.SplitSeq(s[2], "·") {
			n, _ := new(big.Int).SetString(factor, 10)
			product.Mul(product, n)
		}
		if strings.Contains(s[1], "-") {
			product.Neg(product)
		}
		if i == 0 || s[1] != "" {
			total.Add(total, product)
		}
	}
	return total
}

// TestEquations proves that equations are found wherever they stand, and the wrong ones among them.
func TestEquations(t *testing.T) {
	for text, want := range map[string]int{
		"offset = 3 + 2·20 = 43": 1, "stride = 3·-1 = -3": 1, "size = 5-1 = 4, stride = 2·3 = 6": 2, "index 1 = 4 - 3, the dim goes": 0,
		"stride 2·4611686018427387904 = 9223372036854775808": 1, "size = 8-3+1 = 6": 1, "stride of dim 0 = 4·5·3 = 60": 1, "-3·2 = -6": 1,
	} {
		if all, wrong := equations(text); len(all) != want || len(wrong) > 0 {
			t.Errorf("%q: equations %q, wrong %q, want %d", text, all, wrong, want)
		}
	}
	for _, text := range []string{"offset = 3 + 2·20 = 40", "stride 2·4611686018427387904 = -9223372036854775808, but", "size = 8-3+1 = 5"} {
		if _, wrong := equations(text); len(wrong) != 1 {
			t.Errorf("%q: %q is found", text, wrong)
		}
	}
}
