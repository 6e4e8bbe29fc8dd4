package trace

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// convolutionCase is a conv2d as sent to Python; Given are the arguments after the weight.
type convolutionCase struct {
	DType         string `json:"dtype"`
	Shape         []int  `json:"shape"`
	Strides       []int  `json:"strides"`
	Weight        []int  `json:"weight"`
	WeightStrides []int  `json:"weight_strides"`
	Given         string `json:"given"`
}

// convolutionAnswer is what PyTorch returns with some number of threads.
type convolutionAnswer struct {
	Strides []int
	Error   string
}

// drawConvolution draws a case of any dtype whose channels fit, half of them in groups, a third of them of one image.
func drawConvolution(r *rand.Rand) convolutionCase {
	channels := oneOf(r, 1, 2, 3, 4)
	groups := oneOf(r, 1, channels)
	if channels == 4 && r.IntN(3) == 0 {
		groups = 2
	}
	c := convolutionCase{
		DType: oneOf(r, "float32", "float32", "float32", "complex64", "complex64", "float64", "int64", "int32", "uint8", "float16", "bfloat16", "complex128"),
		Shape: []int{oneOf(r, 1, 1, 2, 3, 16), channels, oneOf(r, 1, 1, 2, 4, 5), oneOf(r, 1, 1, 2, 4, 5)}, Given: fmt.Sprintf(",groups=%d", groups),
		Weight: []int{groups * oneOf(r, 1, 1, 2, 3), channels / groups},
	}
	for _, n := range c.Shape[2:] {
		c.Weight = append(c.Weight, oneOf(r, 1, n, 1+r.IntN(n+1)))
	}
	if r.IntN(3) == 0 {
		c.Shape = c.Shape[1:]
	}
	draw := drawer{r, State{}}
	_, c.Strides = draw.strides(c.Shape)
	_, c.WeightStrides = draw.strides(c.Weight)
	for _, name := range []string{"stride", "dilation", "padding"} {
		if r.IntN(4) == 0 {
			c.Given += fmt.Sprintf(",%s=%d", name, oneOf(r, 1, 2))
		}
	}
	return c
}

// drawDepending draws a case in which the strides depend on this, which few do.
func drawDepending(t *testing.T, r *rand.Rand, on string) convolutionCase {
	t.Helper()
	for range 100_000 {
		c := drawConvolution(r)
		conv, _, err := c.convolution(t)
		if !isStop(err) {
			continue
		}
		if _, depends := conv.usesOneDNN(); depends == on {
			return c
		}
	}
	t.Fatalf("no case depends on %s", on)
	return convolutionCase{}
}

// convolution returns the model's call; ok is false if it refuses it.
func (c convolutionCase) convolution(t *testing.T) (conv convolution, step Step, err error) {
	t.Helper()
	s := start(c.Shape, c.Strides, 1<<20)
	s.DType, _ = dtype.Parse(c.DType)
	s.ItemSize = s.DType.ItemSize()
	call, err := parseOne("conv2d(" + spell2(c.Weight, c.WeightStrides) + c.Given + ")")
	if err != nil {
		t.Fatal(err)
	}
	op, err := find(PyTorch, call)
	if err != nil {
		t.Fatal(err)
	}
	a, err := op.bind(call)
	if err != nil {
		t.Fatal(err)
	}
	if conv, err = s.convolution(a); err == nil {
		_, err = conv.size()
	}
	if err == nil {
		step, err = s.Apply(call)
	}
	return conv, step, err
}

// possible returns the strides that the model names where it cannot know which.
func (conv convolution) possible(rank int) (fused, split []int) {
	a, _ := conv.with(conv.fused)
	b, _ := conv.with(conv.split)
	return a.Strides[4-rank:], b.Strides[4-rank:]
}

// compare returns how the model differs from PyTorch with one thread and with two.
func (c convolutionCase) compare(t *testing.T, answers []convolutionAnswer) string {
	conv, step, err := c.convolution(t)
	one, two := answers[0], answers[1]
	switch {
	case strings.Contains(one.Error, "not implemented for"): // whether an operator has the dtype is not checked
		return ""
	case one.Error != "":
		if err == nil || !strings.HasPrefix(one.Error, err.Error()) {
			return fmt.Sprintf("refuses with %v", err)
		}
		return ""
	case err == nil:
		if !slices.Equal(step.State.Strides, one.Strides) || !slices.Equal(step.State.Strides, two.Strides) {
			return fmt.Sprintf("strides %v", step.State.Strides)
		}
		return ""
	case !isStop(err):
		return "refuses: " + err.Error()
	}
	fused, split := conv.possible(len(c.Shape))
	byThreads := slices.Equal(one.Strides, split) && slices.Equal(two.Strides, fused)
	byProcessor := slices.Equal(one.Strides, two.Strides) && (slices.Equal(one.Strides, fused) || slices.Equal(one.Strides, split))
	if _, reason := conv.usesOneDNN(); reason == "the number of threads" && !byThreads || reason == "the processor" && !byProcessor {
		return err.Error()
	}
	return ""
}

// TestConvolutionAgainstTorch compares the strides of conv2d with those of the installed PyTorch, with one thread and with two, for operands
// of all dtypes, in groups and not. Where they depend on the number of threads, both are as the model says.
//
// TLAYOUT_TEST_CONV2D_CASES sets how many, TLAYOUT_TEST_RANDOM_SEED which ones; TLAYOUT_TEST_REQUIRE_TORCH=1 fails without PyTorch.
func TestConvolutionAgainstTorch(t *testing.T) {
	n := random.Cases(t, "TLAYOUT_TEST_CONV2D_CASES", 600)
	o := oracle.Torch(t, "torch_conv2d.py")
	r := random.New(t)
	kinds := map[string]int{}
	for left := n; left > 0; left -= batch {
		cases := make([]convolutionCase, min(left, batch))
		for i := range cases {
			cases[i] = drawConvolution(r)
		}
		for i, on := range []string{"the number of threads", "the processor"} {
			if i < len(cases) {
				cases[i] = drawDepending(t, r, on)
			}
		}
		if err := o.Ask(cases); err != nil {
			t.Fatal(err)
		}
		var answers [][]convolutionAnswer
		if err := o.Read(&answers); err != nil {
			t.Fatal(err)
		}
		for i, c := range cases {
			if trouble := c.compare(t, answers[i]); trouble != "" {
				t.Errorf("%+v: PyTorch %+v\nthe model: %s", c, answers[i], trouble)
			}
			conv, _, err := c.convolution(t)
			_, depends := conv.usesOneDNN()
			switch {
			case err == nil:
				kinds[c.DType]++
			case isStop(err):
				kinds[depends]++
			}
		}
	}
	t.Log(o.Version, kinds)
	if n >= 600 && len(kinds) < 9+2 {
		t.Errorf("one-sided: %v", kinds)
	}
}

// TestConvolutionPairs: a list of another length than 1 or 2 is not a parameter by height and width.
func TestConvolutionPairs(t *testing.T) {
	s := start([]int{8, 3, 6, 6}, nil, 864)
	for _, name := range []string{"stride", "padding", "dilation"} {
		for _, list := range []string{"()", "(1,1,1)"} {
			call, err := parseOne("conv2d((8,3,3,3)," + name + "=" + list + ")")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Apply(call); fault.ClassOf(err) != fault.Usage {
				t.Errorf("%s=%s: %v", name, list, err)
			}
		}
	}
}

// TestConvolution: what PyTorch 2.15.0 returns on a CPU, and what it depends on.
func TestConvolution(t *testing.T) {
	last := func(shape ...int) []int {
		strides, _ := tensor.FormatStrides(shape, tensor.ChannelsLastFormat)
		return strides
	}
	for _, c := range []struct {
		dtype          string
		shape, strides []int
		call           string
		want           []int
		depends        string
	}{
		{"float32", []int{2, 4, 4, 4}, last(2, 4, 4, 4), "conv2d((4,1,4,4),groups=4)", []int{4, 1, 4, 4}, ""},
		{"float64", []int{2, 4, 4, 4}, last(2, 4, 4, 4), "conv2d((4,1,4,4),groups=4)", []int{4, 1, 1, 1}, ""},
		{"int64", []int{2, 4, 4, 4}, last(2, 4, 4, 4), "conv2d((4,1,4,4),groups=4)", []int{4, 1, 1, 1}, ""},
		{"complex64", []int{2, 4, 4, 4}, last(2, 4, 4, 4), "conv2d((4,1,4,4),groups=4)", []int{4, 1, 1, 1}, ""},
		{"float32", []int{4, 4, 4}, []int{1, 16, 4}, "conv2d((4,1,4,4),groups=4)", []int{1, 1, 1}, ""},
		{"float16", []int{2, 4, 4, 4}, last(2, 4, 4, 4), "conv2d((4,1,4,4),groups=4)", nil,
			"the strides of size-1 dims depend on the processor: (4, 1, 4, 4) or (4, 1, 1, 1)"},
		{"float32", []int{2, 4, 1, 1}, last(2, 4, 1, 1), "conv2d((4,1,1,1),groups=4)", nil,
			"the strides of size-1 dims depend on the number of threads: (4, 1, 4, 4) or (4, 1, 1, 1)"},
		{"float32", []int{2, 4, 1, 1}, last(2, 4, 1, 1), "conv2d((4,1,1,1),padding=1,groups=4)", nil,
			"the strides depend on the number of threads: (36, 1, 12, 4) or (36, 9, 3, 1)"},
		{"float32", []int{2, 4, 1, 1}, last(2, 4, 1, 1), "conv2d((4,4,1,1))", []int{4, 1, 4, 4}, ""},
	} {
		s := start(c.shape, c.strides, 1<<20)
		s.DType, _ = dtype.Parse(c.dtype)
		s.ItemSize = s.DType.ItemSize()
		call, err := parseOne(c.call)
		if err != nil {
			t.Fatal(err)
		}
		step, err := s.Apply(call)
		if c.depends != "" {
			if !isStop(err) || !strings.HasSuffix(err.Error(), c.depends) {
				t.Errorf("%s of %s: %v", c.call, c.dtype, err)
			}
			continue
		}
		if err != nil || !slices.Equal(step.State.Strides, c.want) {
			t.Errorf("%s of %s %v: %v, %v, want %v", c.call, c.dtype, c.shape, step.State.Strides, err, c.want)
		}
	}
}

// isStop reports whether an error says that a result is not known.
func isStop(err error) bool {
	var unknown *Stop
	return errors.As(err, &unknown)
}
