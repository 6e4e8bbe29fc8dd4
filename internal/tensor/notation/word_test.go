package notation

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// Every word is read in any case, with any sign between its parts, and with the scopes of C++; and each has a source.
func TestLayoutWords(t *testing.T) {
	same := func(a, b string) bool {
		l, err := Parse(a)
		m, other := Parse(b)
		if refused := slices.ContainsFunc(Refused, func(r struct{ Name, Why, Hint string }) bool { return r.Name == b }); refused {
			return err != nil && other != nil && err.Error() == other.Error()
		}
		return err == nil && other == nil && l.Own == m.Own && l.Format.String() == m.Format.String()
	}
	for _, w := range layoutWords {
		if w.source == "" {
			t.Errorf("%s has no source", w.spelling)
		}
		plain := strings.TrimPrefix(w.spelling, "torch.")
		for _, s := range []string{w.spelling, strings.ToUpper(w.spelling), strings.ReplaceAll(w.spelling, "_", "-"),
			strings.ReplaceAll(w.spelling, "_", " "), strings.ReplaceAll(w.spelling, "_", ""), "at::MemoryFormat::" + strings.ReplaceAll(plain, "_", "")} {
			if !same(s, w.layout) {
				t.Errorf("%q is not %s", s, w.layout)
			}
		}
	}
	for s, want := range map[string]string{"ChannelsLast": "nhwc", "cutlass::layout::RowMajor": "c", "Eigen::ColMajor": "fortran", "channels first": "nchw",
		"ChannelsFirst3d": "ncdhw", "C": "c", "F": "fortran", "row-major": "c", "column major": "fortran", "torch::MemoryFormat::ChannelsLast3d": "ndhwc"} {
		if !same(s, want) {
			t.Errorf("%q is not %s", s, want)
		}
	}
	// the sentences that trex maps, with the type in them; its short name says the same
	for s, want := range map[string]string{"Row major linear FP32": "c", "Row major linear FP16 format": "c", "Row major linear INT8 format": "c",
		"Two wide channel vectorized row major FP16 format": "NCHW2c", "Four wide channel vectorized row major Int8 format": "NCHW4c",
		"Sixteen wide channel vectorized row major FP16 format": "NCHW16c", "Thirty-two wide channel vectorized row major Int8 format": "NCHW32c",
		"Thirty-two wide channel vectorized row major FP32 format":                           "NCHW32c",
		"Thirty-two wide channel vectorized row major Int8 format with 3 spatial dimensions": "NCDHW32c",
		"Channel major FP16 format where channel % 2 == 0":                                   "NHWC2c",
		"Channel major FP32 format where channel % 4 == 0":                                   "NHWC4c",
		"Channel major FP16 format where channel % 8 == 0":                                   "NHWC8c",
		"Channel major INT8 format where channel % 16 == 0":                                  "NHWC16c",
		"Channel major FP16 format where channel % 8 == 0 with 3 spatial dimensions":         "NDHWC8c",
		"Channel major BFloat16 format where channel % 8 == 0 with 3 spatial dimensions":     "NDHWC8c",
		"Channel major FP32 format with 3 spatial dimensions where channel % 4 == 0":         "NDHWC4c",
		"Channel major FP32 format where channel % 4 == 0 with 3 spatial dimensions":         "NDHWC4c",
		"Channel major FP32 format with 3 spatial dimensions":                                "NDHWC",
		"Channel major UInt8 format":                                                         "NHWC", "Channel major FP16 format": "NHWC", "Two wide channel vectorized row major BFloat16 format": "NCHW2c",
	} {
		if !same(s, want) {
			t.Errorf("%q is not %s", s, want)
		}
	}
	for _, s := range []string{"Channel major FP16 format where channel == 4 and column stride % 32 == 0", "Row major INT8 format where column stride % 64 == 0"} {
		if l, err := Parse(s); err == nil {
			t.Errorf("%q is read as %+v", s, l)
		}
	}
	for _, s := range []string{"preserve_format", "torch.preserve_format", "channels", "major", "torch.", "channels_middle"} {
		if l, err := Parse(s); err == nil {
			t.Errorf("%q is read as %+v", s, l)
		}
	}
}

// A permutation p is the order in which physical axis k is dim p[k]: binding it to sizes gives the strides of
// x.permute(p).contiguous().permute(inverse of p), and every way to write the list means the same.
func TestPermutations(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		order := draw.Perm(2 + draw.IntN(11))
		sizes, strides := make([]int, len(order)), make([]int, len(order))
		for i := range sizes {
			sizes[i] = 1 + draw.IntN(5)
		}
		run := 1
		for _, d := range slices.Backward(order) {
			strides[d] = run
			run *= sizes[d]
		}
		for _, between := range []string{",", ", ", " "} {
			list := text.Ints(order, between)
			for _, s := range []string{list, "(" + list + ")", "[" + list + "]", "dim_order=[" + list + "]", "dim_order: (" + list + ")"} {
				l, err := Parse(s)
				if err != nil || l.Note == "" || !l.Format.Positional() {
					t.Fatalf("%s: %+v, %v", s, l, err)
				}
				bound, err := l.Format.Bind(sizes)
				got, plain := bound.Strided()
				if err != nil || !plain || !slices.Equal(got.Strides, strides) {
					t.Fatalf("%s of %v has strides %v, %v; want %v", s, sizes, got.Strides, err, strides)
				}
				if again, err := Parse(l.Format.String()); err != nil || again.Format.Explicit() != l.Format.Explicit() {
					t.Fatalf("%s is printed as %s, read as %v, %v", s, l.Format, again.Format, err)
				}
			}
		}
	}
	for s, hint := range map[string]string{"1,3,4,2": "counted from 0: 0,2,3,1", "2,3,4,5": "--shape", "0,1,1": "--shape", "0,2": "--shape", "0,2,3,-1": "--shape", "[0,2]": "--shape"} {
		if _, err := Parse(s); err == nil || !strings.Contains(hintOf(err), hint) {
			t.Errorf("%s: %v (%s), want the hint %q", s, err, hintOf(err), hint)
		}
	}
	if l, err := Parse("(2,3)"); err != nil || l.Exact == nil {
		t.Errorf("CuTe's sizes (2,3) are %+v, %v", l, err)
	}
	if l, err := Parse("{0,2,3,1}"); err != nil || l.Format.String() != "BDCA" {
		t.Errorf("XLA's {0,2,3,1} is %+v, %v; it lists the innermost dim first", l, err)
	}
}

func hintOf(err error) string {
	var e *fault.Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}
