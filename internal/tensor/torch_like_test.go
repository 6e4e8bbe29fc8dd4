package tensor

import (
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
)

// likeCase is a tensor of rank 4 or 5; likeAnswer what testdata/torch_like_oracle.py says of it.
type likeCase struct {
	Shape   []int `json:"shape"`
	Strides []int `json:"strides"`
}

type likeAnswer struct {
	Cpp       bool
	Python    *bool  // null from PyTorch 2.11 on, which has one rule
	Suggested string // by torch._prims_common.suggest_memory_format: torch.channels_last
}

// TestLikeChannelsLastAgainstTorch proves that both rules for strides like those of channels_last, C++'s and Python's,
// answer as the installed PyTorch does, on tensors at the border: strides nested in some order, then off by one or zero.
// Each pair of answers is drawn, so that neither rule can stand in for the other.
func TestLikeChannelsLastAgainstTorch(t *testing.T) {
	o := oracle.Torch(t, "torch_like_oracle.py")
	seen := map[[2]bool]int{}
	n := cases(t, "TLAYOUT_TEST_TORCH_CASES", 4000)
	differential(t, o, n, drawLike, func(t reporter, c likeCase, a likeAnswer) {
		s := Strided{c.Shape, c.Strides, 0}
		f := channelsLastOf(s.Rank())
		cpp, python := s.LikeChannelsLast(f), s.PrimsLikeChannelsLast(f)
		seen[[2]bool{cpp, python}]++
		same(t, "LikeChannelsLast", s, cpp, a.Cpp)
		if a.Python == nil {
			return
		}
		same(t, "PrimsLikeChannelsLast", s, python, *a.Python)
		want := "torch.contiguous_format"
		if python {
			want = "torch." + string(f)
		}
		same(t, "torch._prims_common.suggest_memory_format", s, want, a.Suggested)
	})
	for _, pair := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
		if seen[pair] < n/200 {
			t.Errorf("C++ and Python answer %v in %d of %d cases only", pair, seen[pair], n)
		}
	}
	t.Logf("C++ and Python agree on %d yes and %d no, and differ on %d and %d", seen[[2]bool{true, true}], seen[[2]bool{false, false}],
		seen[[2]bool{true, false}], seen[[2]bool{false, true}])
}

// drawLike nests strides, mostly in the order of channels_last, and moves some of them to the border.
func drawLike(d dice) likeCase {
	c := likeCase{make([]int, between(d, 4, 5)), nil}
	c.Strides = make([]int, len(c.Shape))
	for i := range c.Shape {
		c.Shape[i] = pick(d, 1, 1, 1, 2, 3, 4)
	}
	if d.IntN(30) == 0 {
		c.Shape[d.IntN(len(c.Shape))] = 0
	}
	order := channelsLastOf(len(c.Shape)).order()
	if d.IntN(4) == 0 {
		order = Strided{Shape: c.Shape}.lastToFirst()
	}
	step := 1
	for _, i := range order {
		c.Strides[i] = step
		switch d.IntN(8) {
		case 0:
			c.Strides[i] = max(0, step+pick(d, -1, 1))
		case 1:
			c.Strides[i] = pick(d, 0, 1, 1, 1, 2)
		}
		step = max(1, c.Strides[i]*c.Shape[i])
	}
	return c
}

// The answers for two shapes, which PyTorch 1.13 gave: C++ and Python may differ both ways.
func TestLikeChannelsLast(t *testing.T) {
	for _, c := range []struct {
		shape, strides []int
		cpp, python    bool
	}{
		{[]int{2, 1, 3, 1}, []int{3, 1, 1, 1}, true, false},
		{[]int{2, 3, 4, 4}, []int{48, 1, 12, 1}, false, true},
		{[]int{2, 1, 3, 1, 1}, []int{3, 1, 1, 1, 1}, true, false},
		{[]int{2, 3, 4, 4}, []int{48, 1, 12, 3}, true, true},
		{[]int{2, 3, 4}, []int{12, 1, 3}, false, false}, // of another rank
	} {
		s := Strided{c.shape, c.strides, 0}
		f := channelsLastOf(s.Rank())
		same(t, "LikeChannelsLast", s, s.LikeChannelsLast(f), c.cpp)
		same(t, "PrimsLikeChannelsLast", s, s.PrimsLikeChannelsLast(f), c.python)
		same(t, "LikeChannelsLast of another format", s, s.LikeChannelsLast(ContiguousFormat), false)
	}
}
