package trace

import (
	"strings"
	"testing"
)

// TestWhy proves what is told about how shape, strides and offset come about.
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
			"dims 0 (N) and 2 (H) change places, with their strides: dim 0 has 2, dim 2 has 12"},
		{PyTorch, []int{1, 64, 5, 4}, "NCHW", "x.view(1,8,8,20)",
			"dim 1 (C) splits into 8·8: strides 8·20 = 160 and 20; " +
				"dims 2 (H) and 3 (W) run on as one dim of 5·4 = 20 with stride 1, for 4 = 4·1"},
		{PyTorch, []int{4, 1}, "HW", "x.expand(-1,4)", "dim 1 (W): size 1 → 4, stride 0: every index reads the same elements"},
		{PyTorch, []int{1, 64, 5, 4}, "NCHW", "x.contiguous(channels_last).contiguous()",
			"not contiguous: dim 3 (W) has stride 64, expected 1; N-stride = C·H·W = 64·5·4 = 1280; C-stride = H·W = 5·4 = 20; " +
				"H-stride = W = 4; W-stride = 1; copies 1280 elements, 5120 bytes"},
		{PyTorch, []int{1, 64, 5, 4}, "NCHW", "x.contiguous()", "already contiguous: itself"},
		{PyTorch, []int{3, 4}, "HW", "x.T.reshape(12)",
			"dims 0 (W) and 1 (H) cannot become one: to go on where H ends, W would need stride 3·4 = 12, but has 1; " +
				"stride of dim 0 = 1; copies 12 elements, 48 bytes"},
		{PyTorch, []int{1, 3, 4, 5}, "NCHW", "x.contiguous(channels_last).view(1,3,20)", // pytorch #113437
			"dims 2 (H) and 3 (W) run on as one dim of 4·5 = 20 with stride 3, for 15 = 5·3; " +
				"dim 0 (N): size 1, stride 3·1 = 3, size·stride of the next dim, where it had 60; never used"},
		{PyTorch, []int{2, 3, 32, 32}, "NCHW", "x.contiguous(channels_last)[0].unsqueeze(0).contiguous(channels_last)", // #68430
			"already contiguous in channels_last, which does not look at strides of dims of size 1: itself"},
		{PyTorch, []int{3, 4}, "HW", "x[-1]", "offset = 0 + 2·4 = 8; dim 0 (H): index 2 = 3 - 1, the dim goes"},
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

// TestNames proves that names stay with their dims, and that a dim which is several has none.
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
