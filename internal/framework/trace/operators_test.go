package trace

import (
	"cmp"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// TestOperators: what PyTorch 1.13 and 2.15 return on a CPU where the rule is not what one expects; TestAgainstTorch compares random chains.
func TestOperators(t *testing.T) {
	last := []int{3, 1, 3, 3} // (2,3,1,1) in channels_last
	for _, c := range []struct {
		shape, strides []int
		step           string
		want           []int
		offset         int
		dtype          string
	}{
		{[]int{2, 3, 1, 1}, last, "relu", []int{3, 1, 1, 1}, 0, ""},           // contiguous too, which is tested first
		{[]int{2, 3, 1, 1}, last, "add(1)", []int{3, 1, 3, 3}, 0, ""},         // a number is of another shape: no such test
		{[]int{2, 3, 1, 1}, last, "pow(2)", []int{3, 1, 1, 1}, 0, ""},         // but not this number
		{[]int{2, 3, 1, 1}, last, "mul((2,3,1,1))", []int{3, 1, 1, 1}, 0, ""}, // both contiguous
		{[]int{2, 3, 1, 1}, last, "cat(x,dim=1)", []int{6, 1, 6, 6}, 0, ""},   // suggest_memory_format reads size-1 dims
		{[]int{2, 3, 1, 1}, last, "cat((2,3,1,1),dim=1)", []int{6, 1, 1, 1}, 0, ""},
		{[]int{2, 3}, []int{2, 4}, "relu", []int{1, 2}, 0, ""},                              // not dense: the order stays
		{[]int{2, 3}, []int{2, 4}, "half", []int{1, 2}, 0, ""},                              // as clone
		{[]int{3, 1}, []int{1, 1}, "add((1,4):(4,1))", []int{4, 1}, 0, ""},                  // each decides one dim
		{[]int{64, 1}, []int{1, 64}, "add((64,8):(1,64))", []int{1, 64}, 0, ""},             // the one that is not broadcast decides
		{[]int{4, 6}, []int{1, 4}, "add((1,4,6):(24,6,1))", []int{24, 1, 4}, 0, ""},         // the new dim of x has stride 0, which decides nothing
		{[]int{1, 1, 1, 2}, []int{2, 1, 2, 1}, "stack(dim=4)", []int{2, 1, 2, 1, 1}, 0, ""}, // channels_last_3d, and no view
		{[]int{2, 3, 1, 1}, last, "stack(x,dim=1)", []int{6, 3, 1, 6, 6}, 0, ""},            // a view of cat
		{[]int{1, 2, 1}, []int{1, 1, 2}, "conv2d((2,1,1,1):(2,1,2,2))", []int{2, 1, 1}, 0, ""},
		{[]int{1, 2, 2, 2}, nil, "conv2d((3,2,1,1):channels_last)", []int{12, 1, 6, 3}, 0, ""},
		{[]int{3, 4}, nil, "view(float64)", []int{2, 1}, 0, ""},
		{[]int{3, 4}, nil, "view(int16)", []int{8, 1}, 0, ""},
		{[]int{4, 3}, []int{1, 4}, "chunk(3)[1]", []int{1, 4}, 2, ""},
		{[]int{4, 3}, []int{1, 4}, "split((1,3))[-1]", []int{1, 4}, 1, ""},
		{[]int{4, 3}, []int{1, 4}, "matmul((3,2))", []int{2, 1}, 0, ""},
		{[]int{2, 8}, nil, "view(uint32)", []int{2, 1}, 0, "float8_e5m2"},
		{[]int{2, 8}, nil, "view(float8_e8m0fnu)", []int{64, 1}, 0, "complex64"},
		{[]int{2, 3, 1}, nil, "where((2,3,1):(1,0,2),0.5)", []int{3, 1, 1}, 0, "int32"}, // only the ints are converted
		{[]int{2, 4, 5, 5}, []int{100, 5, 20, 1}, "where((2,4,5,5):(5,0,0,1),0.5)", []int{100, 5, 20, 1}, 0, "int32"},
		{[]int{2, 3, 1, 1}, last, "abs", []int{3, 1, 3, 3}, 0, "complex64"}, // as empty_like, not as relu
	} {
		s := start(c.shape, c.strides, 24)
		s.DType, _ = dtype.Parse(cmp.Or(c.dtype, "float32"))
		s.ItemSize = s.DType.ItemSize()
		if got := follow(t, s, nil, c.step).State; !slices.Equal(got.Strides, c.want) || got.Offset != c.offset {
			t.Errorf("%s of %v: %v, want %v at %d", c.step, s.Strided, got.Strided, c.want, c.offset)
		}
	}
}
