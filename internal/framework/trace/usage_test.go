package trace

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// TestMisuse: a call that the framework does not have is an error with a hint.
func TestMisuse(t *testing.T) {
	for _, c := range []struct {
		rules            Rules
		step, text, hint string
	}{
		{PyTorch, "transpose(1)", "transpose: missing dim1", "transpose takes dim0, dim1: transpose(0,2)"},
		{PyTorch, "transpose(0,1,2)", "transpose: 1 argument too many", "transpose takes dim0, dim1: transpose(0,2)"},
		{PyTorch, "transpose(0,1,dim0=2)", "transpose: dim0 is given twice", "transpose takes dim0, dim1: transpose(0,2)"},
		{PyTorch, "transpose((0,1),2)", "transpose: dim0 must be an int", "transpose takes dim0, dim1: transpose(0,2)"},
		{PyTorch, "transpoze(1)", "unknown operation \"transpoze\"", "did you mean transpose?"},
		{PyTorch, "flatten(start=1)", "flatten: unknown argument \"start\"; did you mean start_dim?", "flatten takes [start_dim[, end_dim]]: flatten(1)"},
		{PyTorch, "flatten(strat_dim=1)", "flatten: unknown argument \"strat_dim\"; did you mean start_dim?",
			"flatten takes [start_dim[, end_dim]]: flatten(1)"},
		{PyTorch, "T(1)", "T: 1 argument too many", "T takes no arguments: T"},
		{PyTorch, "view()", "view: missing size", "view takes size…[, dtype]: view(2,-1)"},
		{PyTorch, "view(float33)", "the value of float33 is not known", "give it in a step before: float33=2"},
		{PyTorch, "view(3.0)", "view: size must be ints", "view takes size…[, dtype]: view(2,-1)"},
		{PyTorch, "add(y)", "the shape of y is not known", "give it in a step before: 'y=(2,3)'"},
		{PyTorch, "add((2,3):(3,1,1))", "add: 3 strides for 2 dims: strides (3, 1, 1), shape (2, 3)", ""},
		{PyTorch, "add((2,3):nhwc)", "add: (2, 3):nhwc is not a tensor of PyTorch",
			"write a shape with strides or a memory format: (2,3):(1,2), (8,3,4,4):channels_last"},
		{PyTorch, "unsqueeze(0).conv2d((8,1,3,3),2,1)", "conv2d: bias must be x or a tensor: (2,3):(3,1)",
			"conv2d takes weight[, bias[, stride[, padding[, dilation[, groups]]]]]: conv2d((8,4,3,3):channels_last,padding=1)"},
		{PyTorch, "view(2,torch.int8)", "view: size and dtype exclude each other", "view takes size…[, dtype]: view(2,-1)"},
		{PyTorch, "view(torch.int8,torch.int8)", "view: dtype is given twice", "view takes size…[, dtype]: view(2,-1)"},
		{PyTorch, "float(3)", "float: memory_format must be a name or a string", "float takes [memory_format]: float"},
		{PyTorch, "concat(tensors=x)", "concat: unknown argument \"tensors\"", "concat takes [tensors…[, dim]]: concat((2,4,4,6),dim=1)"},
		{PyTorch, "clamp(0,(3,4))", "clamp: min and max must be two numbers or two tensors", ""},
		{PyTorch, "unsqueeze(0).unsqueeze(0).conv2d((8,3))", "conv2d: a weight of shape (8, 3)",
			"a weight is (output channels, input channels / groups, height, width)"},
		{PyTorch, "unsqueeze(0).conv2d((1,1,1,1),stride=0)", "conv2d: stride, dilation and groups must be positive, padding not negative, in one or two dims", ""},
		{PyTorch, "contiguous(nhwc)", "contiguous: unknown memory format \"nhwc\"", "PyTorch calls nhwc channels_last"},
		{PyTorch, "to(float16,dtype=float32)", "to: dtype is given twice", "to takes one dtype, or one tensor that has it"},
		{PyTorch, "to(NDHWC)", "to: unknown memory format \"NDHWC\"", "PyTorch calls NDHWC channels_last"},
		{PyTorch, "unsqueeze(0).unsqueeze(0).unsqueeze(0).to(nhwc)", "to: unknown memory format \"nhwc\"", "PyTorch calls nhwc channels_last_3d"},
		{PyTorch, "np.flip(x,0)", "np.flip is a NumPy function, but the steps follow PyTorch", ""},
		{NumPy, "torch.flip(x,(0,))", "torch.flip is a PyTorch function, but the steps follow NumPy", ""},
		{PyTorch, "torch.view(x,(12,))", "PyTorch has no function view: it is a method", "write x.view(…)"},
		{NumPy, "np.flatten(x)", "NumPy has no function flatten: it is a method", "write x.flatten(…)"},
		{PyTorch, "torch.permute(x,1,0)", "torch.permute requires dims as a tuple", "the method permute(…) also accepts separate ints"},
		{PyTorch, "torch.reshape(x,12)", "torch.reshape requires shape as a tuple", "the method reshape(…) also accepts separate ints"},
		{NumPy, "np.transpose(x,1,0)", "np.transpose requires axes as a tuple", "the method transpose(…) also accepts separate ints"},
		{PyTorch, "contiguous(1)", "contiguous: memory_format must be a name or a string",
			"contiguous takes [memory_format]: contiguous(channels_last)"},
		{PyTorch, "to(channels_lst)", "to: unknown memory format \"channels_lst\"", "did you mean channels_last?"},
		{PyTorch, "ascontiguousarray", "PyTorch has no operation \"ascontiguousarray\"", "PyTorch calls it contiguous"},
		{NumPy, "permute(0,1)", "NumPy has no operation \"permute\"", "NumPy calls it transpose"},
		{NumPy, "view(3,4)", "view: NumPy's view changes the dtype, not the shape", "reshape(3,4) returns a view if possible"},
		{NumPy, "view((3,4))", "view: NumPy's view changes the dtype, not the shape", "reshape(3,4) returns a view if possible"},
		{NumPy, "view(int16)", "view: changing the dtype is not supported", "view without arguments is a new view of the same data"},
		{NumPy, "reshape(3,4,order=1)", "reshape: order must be a name or a string", "reshape takes shape…[, order]: reshape(2,-1)"},
	} {
		s := start([]int{3, 4}, nil, 12)
		s.Rules = c.rules
		statements, err := ParseAll([]string{c.step})
		if err == nil {
			_, err = s.FollowAll(statements)
		}
		var e *fault.Error
		if !errors.As(err, &e) || e.Class != fault.Usage || e.Text != c.text || e.Hint != c.hint {
			t.Errorf("%s: %+v", c.step, err)
		}
	}
}

// TestFunctions: a function of the tensor is the method of that name in NumPy and PyTorch, but np.copy(x) keeps the memory order,
// which x.copy() does not.
func TestFunctions(t *testing.T) {
	for _, c := range []struct {
		rules       Rules
		chain, like string
		strides     []int
	}{
		{NumPy, "np.flip(x, 0)", "flip(0)", []int{-4, 1}},
		{NumPy, "numpy.transpose(a).reshape(2, 6)", "T.reshape(2,6)", []int{6, 1}},
		{NumPy, "np.reshape(x, 12)", "reshape(12)", []int{1}},
		{NumPy, "np.transpose(x, (1, 0))", "transpose(1,0)", []int{1, 4}},
		{NumPy, "T.copy()", "T.copy('C')", []int{3, 1}},
		{NumPy, "np.lib.stride_tricks.as_strided(x, (2,), (8,))", "as_strided((2,),(8,))", []int{2}},
		{PyTorch, "torch.permute(x, (1, 0))[0]", "permute(1,0)[0]", []int{4}},
		{PyTorch, "torch.flip(x, dims=(0,))", "flip(0)", []int{4, 1}},
		{PyTorch, "F.relu(x)", "relu", []int{4, 1}},
		{PyTorch, "torch.nn.functional.silu(x)", "silu", []int{4, 1}},
		{PyTorch, "torch.flatten(x)", "flatten", []int{1}},
	} {
		s := start([]int{3, 4}, nil, 12)
		s.Rules = c.rules
		got, want := follow(t, s, nil, c.chain), follow(t, s, nil, c.like)
		if !slices.Equal(got.State.Strides, c.strides) || !slices.Equal(want.State.Strides, c.strides) || got.Kind != want.Kind {
			t.Errorf("%s: %v, %s; %s: %v, %s", c.chain, got.State.Strided, got.Kind, c.like, want.State.Strided, want.Kind)
		}
	}
	s := start([]int{4, 3}, []int{1, 4}, 12)
	s.Rules = NumPy
	if got := follow(t, s, nil, "np.copy(x)").State.Strides; !slices.Equal(got, []int{1, 4}) {
		t.Errorf("np.copy(x) has strides %v", got)
	}
}

// TestExamples: the example of every step parses and applies.
func TestExamples(t *testing.T) {
	for _, rules := range []Rules{PyTorch, NumPy} {
		seen := map[string]bool{}
		for _, u := range Steps(rules) {
			for _, name := range append([]string{u.Name}, u.Also...) {
				if seen[name] && name != "repeat" { // einops' and PyTorch's
					t.Errorf("%s: %s is listed twice", rules, name)
				}
				seen[name] = true
			}
			call, err := parseOne(u.Example)
			if err != nil {
				t.Fatal(err)
			}
			s := start([]int{2, 4, 4, 6}, nil, 192)
			s.Rules = rules
			if _, err := s.Follow(s.asX(call)); err != nil && fault.ClassOf(err) == fault.Usage {
				t.Errorf("%s: %v", u.Example, err)
			}
		}
	}
	for name := range unsupported() {
		if operationNames(PyTorch)[name] && operationNames(NumPy)[name] {
			t.Errorf("%s is supported", name)
		}
	}
	for from, to := range counterparts {
		if !operationNames(PyTorch)[to] && !operationNames(NumPy)[to] {
			t.Errorf("neither framework has %s, the counterpart of %s", to, from)
		}
	}
}

// TestOverflow: numbers that overflow an int are an error.
func TestOverflow(t *testing.T) {
	const huge = 1 << 30
	for name, step := range map[string]func(State) (Step, error){
		"rank": func(s State) (Step, error) { return s.Apply(made(PyTorch, "unsqueeze", 0).Call) },
		"size": func(s State) (Step, error) {
			return s.Apply(made(PyTorch, "expand", append([]int{huge}, s.Shape...)).Call)
		},
		"stride": func(s State) (Step, error) { return s.Apply(index([3]*int{2: ptr(huge)}).Call) },
	} {
		s, err := start([]int{2, 4}, nil, 12), error(nil)
		for range 70 {
			var next Step
			if next, err = step(s); err != nil {
				break
			}
			if s = next.State; s.Numel() <= 0 || s.Strides[0] < 0 {
				t.Fatalf("%s: %v", name, s.Strided)
			}
		}
		if fault.ClassOf(err) != fault.Unsupported {
			t.Errorf("%s ends with %v: %v", name, s.Strided, err)
		}
	}
	big := start([]int{math.MaxInt / 2}, []int{0}, 1)
	if _, err := big.Apply(made(PyTorch, "contiguous").Call); fault.ClassOf(err) != fault.Unsupported {
		t.Errorf("a copy of %d floats: %v", big.Numel(), err)
	}
}

func ptr(n int) *int { return &n }
