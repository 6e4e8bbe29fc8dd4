package trace

import (
	"math/big"
	"regexp"
	"strings"
	"testing"
)

// TestWhy: the equations of shape, strides and offset.
func TestWhy(t *testing.T) {
	for _, c := range []struct {
		rules Rules
		shape []int
		names string
		chain string
		why   string
	}{
		{PyTorch, []int{4, 6}, "HW", "x[1:3, ::2]",
			"offset = 0 + 1·6 = 6; dim 0 (H): size = 3-1 = 2, stride = 6·1 = 6; dim 1 (W): size = ⌈6/2⌉ = 3, stride = 1·2 = 2"},
		{PyTorch, []int{1, 3, 2, 2}, "NCHW", "x.transpose(0,2)",
			"dims 0 (N) and 2 (H) are swapped: dim 0 has stride 2, dim 2 has stride 12"},
		{PyTorch, []int{1, 64, 5, 4}, "NCHW", "x.view(1,8,8,20)",
			"dim 1 (C) splits into 8·8: strides 8·20 = 160 and 20; " +
				"dims 2 (H) and 3 (W) merge into one of size 5·4 = 20, stride 1, because stride[H] = 4·1 = 4"},
		{PyTorch, []int{4, 1}, "HW", "x.expand(-1,4)", "dim 1 (W): size 1 → 4, stride 0: every index reads the same elements"},
		{PyTorch, []int{1, 64, 5, 4}, "NCHW", "x.contiguous(channels_last).contiguous()",
			"not contiguous: dim 3 (W) has stride 64, expected 1; N-stride = C·H·W = 64·5·4 = 1280; C-stride = H·W = 5·4 = 20; " +
				"H-stride = W = 4; W-stride = 1; copies 1280 elements, 5120 bytes"},
		{PyTorch, []int{2, 3, 4, 5}, "NCHW", "x.contiguous(channels_last)",
			"not channels_last: dim 1 (C) has stride 20, expected 1; N-stride = H·W·C = 4·5·3 = 60; H-stride = W·C = 5·3 = 15; " +
				"W-stride = C = 3; C-stride = 1; copies 120 elements, 480 bytes"},
		{PyTorch, []int{2, 3, 2, 2, 2}, "NCDHW", "x.clone(channels_last_3d)",
			"N-stride = D·H·W·C = 2·2·2·3 = 24; D-stride = H·W·C = 2·2·3 = 12; H-stride = W·C = 2·3 = 6; " +
				"W-stride = C = 3; C-stride = 1; copies 48 elements, 192 bytes"},
		{PyTorch, []int{7}, "W", "x.unfold(0,3,2)",
			"new dim 1: the 3 elements of a window, stride 1; dim 0 (W): size = ⌊(7-3)/2⌋+1 = 3, stride = 1·2 = 2; windows overlap by 1 element"},
		{PyTorch, []int{6}, "W", "x.unfold(0,2,2)",
			"new dim 1: the 2 elements of a window, stride 1; dim 0 (W): size = ⌊(6-2)/2⌋+1 = 3, stride = 1·2 = 2"},
		{PyTorch, []int{6}, "W", "x.unfold(0,2,3)",
			"new dim 1: the 2 elements of a window, stride 1; dim 0 (W): size = ⌊(6-2)/3⌋+1 = 2, stride = 1·3 = 3"},
		{PyTorch, []int{1, 64, 5, 4}, "NCHW", "x.contiguous()", "already contiguous: returns the tensor itself"},
		{PyTorch, []int{3, 4}, "HW", "x.T.reshape(12)",
			"dims 0 (W) and 1 (H) cannot be merged: that needs stride[W] = size[H]·stride[H] = 3·4 = 12, got 1; " +
				"stride of dim 0 = 1; copies 12 elements, 48 bytes"},
		{PyTorch, []int{1, 3, 4, 5}, "NCHW", "x.contiguous(channels_last).view(1,3,20)", // pytorch #113437
			"dims 2 (H) and 3 (W) merge into one of size 4·5 = 20, stride 3, because stride[H] = 5·3 = 15; " +
				"dim 0 (N): size 1, stride 60 → 3·1 = 3 (size·stride of the next dim), never used"},
		{PyTorch, []int{2, 3, 32, 32}, "NCHW", "x.contiguous(channels_last)[0].unsqueeze(0).contiguous(channels_last)", // #68430
			"already channels_last contiguous, which ignores the strides of size-1 dims: returns the tensor itself"},
		{PyTorch, []int{3, 4}, "HW", "x[-1]", "offset = 0 + 2·4 = 8; dim 0 (H): index 2 = 3 - 1, the dim is removed"},
		{NumPy, []int{3, 4}, "HW", "x[::-1]", "offset = 0 + 2·4 = 8; dim 0 (H): size = 3, stride = 4·-1 = -4"},
		{NumPy, []int{3, 4}, "HW", "x[None]", "new dim 0: size 1, stride 0, never used"},
		{NumPy, []int{3, 4}, "HW", "x.copy('F')", "W-stride = H = 3; H-stride = 1; copies 12 elements, 48 bytes"},
	} {
		s := start(c.shape, nil, 1<<20)
		s.Rules = c.rules
		if got := strings.Join(follow(t, s, strings.Split(c.names, ""), c.chain).Why, "; "); got != c.why {
			t.Errorf("%s of %v:\n got %s\nwant %s", c.chain, c.shape, got, c.why)
		}
	}
}

// TestNames: names stay with their dims; merged and split dims have none.
func TestNames(t *testing.T) {
	for chain, want := range map[string]string{
		"x.permute(0,2,3,1)": "N H W C", "x.T": "W H C N", "x[:, 0, ::2]": "N H W", "x[:, None]": "N - C H W", "x.squeeze()": "C H W",
		"x.view(1,64,20)": "N C -", "x.view(1,8,8,5,4)": "N - - H W", "x.view(1,320,4)": "N - W", "x.expand(2,3,64,5,4)": "- N C H W",
		"x.movedim(1,-1).flip(0).clone()": "N H W C", "x.unfold(3,2,1)": "N C H W -", "x.diagonal(0,2,3)": "N C -",
		"x.as_strided((2,),(1,))": "-", "x.flatten(2).unflatten(2,(5,4))": "N C - -", "x.unsqueeze(0).squeeze(0)": "N C H W",
	} {
		s := start([]int{1, 64, 5, 4}, nil, 1280)
		names := follow(t, s, []string{"N", "C", "H", "W"}, chain).State.Names
		for d, n := range names {
			if n == "" {
				names[d] = "-"
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", chain, got, want)
		}
	}
}

// equation is a sum of products of at least two numbers, and its claimed value: "0 + 2·20 = 40".
var equation = regexp.MustCompile(`(?:^|[ =(])(-?\d+(?:·-?\d+| ?[+-] ?-?\d+)+) = (-?\d+)(?:[ ,;.)]|$)`)

// equations lists the equations in a text, and those that do not hold.
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

// wantTrue fails if an equation in the text does not hold.
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

// TestEquations: equations are found anywhere in a text, and wrong ones are detected.
func TestEquations(t *testing.T) {
	for text, want := range map[string]int{
		"offset = 3 + 2·20 = 43": 1, "stride = 3·-1 = -3": 1, "size = 5-1 = 4, stride = 2·3 = 6": 2, "index 1 = 4 - 3, the dim is removed": 0,
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
