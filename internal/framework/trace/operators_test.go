package trace

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// TestInPlace: functions that write into the tensor return it, and refuse one whose elements are several of it, as PyTorch 2.15 does.
func TestInPlace(t *testing.T) {
	for _, text := range []string{
		"F.relu(x, True)", "F.relu(x, inplace=True)", "F.relu6(x, True)", "F.hardtanh(x, -1, 1, True)", "F.leaky_relu(x, 0.1, True)",
		"F.elu(x, 1.0, True)", "F.celu(x, alpha=2, inplace=True)", "F.threshold(x, 0, 0, True)", "F.selu(x, True)", "F.mish(x, inplace=True)",
		"F.silu(x, inplace=True)", "F.hardswish(x, True)", "F.hardsigmoid(x, True)", "F.dropout(x, 0.5, True, True)",
		"F.dropout2d(x, 0.5, True, inplace=True)",
	} {
		s := start([]int{2, 3, 4, 4}, nil, 96)
		if got := follow(t, s, nil, text).Kind; got != Self {
			t.Errorf("%s returns %s", text, got)
		}
		if strings.Contains(text, "threshold") { // which may write an element twice
			continue
		}
		refusal(t, start([]int{2, 3, 4, 4}, []int{0, 16, 4, 1}, 48), text)
	}
	if got := follow(t, start([]int{2, 3}, nil, 6), nil, "F.elu(x, 1.0, False)").Kind; got != New {
		t.Errorf("F.elu(x, 1.0, False) returns %s", got)
	}
}

// TestToAnotherDevice: the device of a tensor without a shape is assumed to be that of x.
func TestToAnotherDevice(t *testing.T) {
	for text, want := range map[string]Kind{
		"x.to(y.device)": Self, "x.to(self.weight.device)": Self, "x.to(device=y.device, dtype=torch.float16)": New, "x.to('cpu', dtype=torch.int64)": New,
	} {
		statements, err := ParseAll([]string{text})
		if err != nil {
			t.Fatal(err)
		}
		f, err := start([]int{2, 3}, nil, 6).FollowAll(statements)
		if err != nil || f.Steps[0].Kind != want {
			t.Errorf("%s: %+v, %v", text, f.Steps, err)
		}
	}
}

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
