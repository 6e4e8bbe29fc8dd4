package ask

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadings: what people type and paste is answered by the command that they mean; a reading without a note has no other meaning.
func TestReadings(t *testing.T) {
	for s, want := range map[string][]string{
		"(2, 3, 4)":               {"inspect --shape 2,3,4"},
		"torch.Size([4, 2, 1])":   {"inspect --shape 4,2,1"},
		"(60, 1, 15, 3)":          {"inspect --shape 60,1,15,3", "inspect --shape 1,3,4,5 --strides 60,1,15,3"},
		"[12, 4, 1]":              {"inspect --shape 12,4,1", "inspect --shape 1,3,4 --strides 12,4,1"},
		"(4, 1, 1)":               {"inspect --shape 4,1,1", "inspect --shape 1,4,1 --strides 4,1,1"},
		"(3, 2)":                  {"inspect --shape 3,2"},
		"(5)":                     {"inspect --shape 5"},
		"()":                      {"inspect --shape "},
		"5":                       nil,
		"#blocked = #ttg.blocked": {"threads #blocked = #ttg.blocked"},

		"nchw to nhwc":                           {"plan --shape 1,3,4,4 --from nchw --to nhwc", "draw --shape 1,3,4,4 --layouts nchw,nhwc"},
		"nchw->nhwc":                             {"plan --shape 1,3,4,4 --from nchw --to nhwc", "draw --shape 1,3,4,4 --layouts nchw,nhwc"},
		"how to convert NHWC to NCHW in pytorch": {"plan --shape 1,3,4,4 --from NHWC --to NCHW", "draw --shape 1,3,4,4 --layouts NHWC,NCHW"},
		"nchw vs nhwc":                           {"draw --shape 1,3,4,4 --layouts nchw,nhwc", "plan --shape 1,3,4,4 --from nchw --to nhwc"},
		"convert hwc to chw":                     {"plan --shape 3,4,4 --from hwc --to chw", "draw --shape 3,4,4 --layouts hwc,chw"},
		"what is channels_last?":                 {"formats channels_last", "draw --shape 1,3,4,4 --layouts channels_last"},
		"channels last 3d":                       {"formats channels_last_3d", "draw --shape 1,3,2,4,4 --layouts channels_last_3d"},
		"channels-last":                          {"formats channels_last", "draw --shape 1,3,4,4 --layouts channels_last"},
		"what does NHWC mean in TensorRT":        {"formats NHWC --framework tensorrt", "draw --shape 1,3,4,4 --layouts NHWC"},
		"row-major vs column-major order":        {"draw --shape 4,6 --layouts c,fortran", "plan --shape 4,6 --from c --to fortran"},
		"load NHWC images quickly":               {"formats NHWC", "draw --shape 1,3,4,4 --layouts NHWC"},
		"nhwc to hwc":                            nil, // other dims
		"nchw nhwc chw":                          nil, // three

		"x.permute(0,2,3,1).view(2,-1)":              {"trace --shape 2,3,4,5 x.permute(0,2,3,1).view(2,-1)"},
		"q.transpose(1, 2).reshape(6,4)":             {"trace --shape 2,3,4 q.transpose(1, 2).reshape(6,4)"},
		"x.t()":                                      {"trace --shape 2,3 x.t()"},
		"x[0, ::2].T":                                {"trace --shape 2,3,4,5 x[0, ::2].T"},
		"x.stride()":                                 {"trace --shape 2,3,4,5 x.stride()"},
		"torch.zeros(2, 3).stride()":                 {"trace torch.zeros(2, 3).stride()"},
		"np.zeros((2,3)).strides":                    {"trace --numpy np.zeros((2,3)).strides"},
		"tensor([[1., 2.]])":                         {"trace tensor([[1., 2.]])"},
		"tensor([[1., 2.]], grad_fn=<AddBackward0>)": {"trace tensor([[1., 2.]])"},
		"array([[1, 2]], dtype=float32)":             {"trace --numpy array([[1, 2]], dtype=float32)"},
		"b c h w -> b (h w) c":                       {`trace --shape 2,3,4,5 rearrange("b c h w -> b (h w) c")`},
		"model.forward(x)":                           nil,
		"print(x)":                                   nil,
		"w = load('m.pt')['w']; w.t().view(-1)":      {"trace --shape 2,3 w = load('m.pt')['w']; w.t().view(-1)"},
		"shape = torch.Size([2, 3])":                 {"why shape = torch.Size([2, 3])"},
		"x.T":                                        {"trace --shape 2,3,4,5 x.T"},
		"x.shape":                                    {"trace --shape 2,3,4,5 x.shape"},
		"x.pt":                                       nil,
		"x.view(B, -1)":                              {"trace --shape 2,3,4,5 x.view(B, -1)"},
		"y = torch.FloatTensor(2, 3)":                {"trace --shape 2,3,4,5 y = torch.FloatTensor(2, 3)"},
		"np.nothing(3)":                              {"trace --numpy --shape 2,3,4,5 np.nothing(3)"},
		"print(x.shape)":                             {"trace --shape 2,3,4,5 print(x.shape)"},
		">>> x.t()":                                  {"trace --shape 2,3 >>> x.t()"},
		">>> x.view(8, 3)\nRuntimeError: shape '[8, 3]' is invalid for input of size 6": {
			"why >>> x.view(8, 3)\nRuntimeError: shape '[8, 3]' is invalid for input of size 6"},

		"mat2 must be col_major":              {"why mat2 must be col_major"},
		"RuntimeError: whatever happened":     {"why RuntimeError: whatever happened"},
		"expected NCHW but got NHWC":          {"why expected NCHW but got NHWC"},
		"nhwc":                                {"formats nhwc"},
		"NCHW16c":                             {"formats NCHW16c"},
		"channels_last":                       {"formats channels_last"},
		"quit":                                nil,
		"stride":                              nil,
		"hello world":                         nil,
		"what is love":                        nil,
		"":                                    nil,
		strings.Repeat("nonsense ", 1000):     nil,
		strings.Repeat("nchw ", 100) + "nhwc": nil, // longer than a question
	} {
		var got []string
		all := Readings(s)
		for _, r := range all {
			got = append(got, strings.Join(r.Args, " "))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%.80s:\n%s", s, diff)
		}
		if len(all) > 1 && all[0].Sure {
			t.Errorf("%s is sure and has %d readings", s, len(all))
		}
	}
}

// TestDensify: strides of a dense tensor in any order of dims give its sizes back, but for the outermost.
func TestDensify(t *testing.T) {
	for _, c := range []struct{ strides, sizes []int }{
		{[]int{60, 20, 5, 1}, []int{1, 3, 4, 5}}, {[]int{60, 1, 15, 3}, []int{1, 3, 4, 5}}, {[]int{1, 4}, []int{4, 1}}, {[]int{1, 1}, []int{1, 1}}, {[]int{6, 4, 1}, nil},
		{[]int{8, 4, 2}, nil}, {[]int{0, 1}, nil}, {[]int{-1, 1}, nil}, {[]int{1}, nil},
	} {
		sizes, ok := densify(c.strides)
		if ok != (c.sizes != nil) || !slices.Equal(sizes, c.sizes) {
			t.Errorf("%v: %v %v, want %v", c.strides, sizes, ok, c.sizes)
		}
	}
}

// TestLine: a line can be pasted into a shell.
func TestLine(t *testing.T) {
	if got := Readings("x.t()")[0].Line(); got != "tlayout trace --shape 2,3 'x.t()'" {
		t.Error(got)
	}
}

// FuzzReadings: any text has readings or none, in bounded time, and each has a command and what it was read as.
func FuzzReadings(f *testing.F) {
	for _, s := range []string{"nchw to nhwc", "x.permute(0,2,3,1)", "(60,1,15,3)", "a b -> b a", "tensor([1., ..., 2.])", "channels-last", "expected NHWC"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Readings(s) {
			if len(r.Args) < 2 || r.As == "" {
				t.Fatalf("%q: %+v", s, r)
			}
		}
	})
}
