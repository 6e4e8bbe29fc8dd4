package printed

import (
	"errors"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// TestTritonNames: layouts of shared memory are names that take sizes; those of threads, and types, say where they belong.
func TestTritonNames(t *testing.T) {
	l, err := ParseName("gl.SwizzledSharedLayout(8, 1, 8, [1, 0])")
	if err != nil || l.HasFormat() || l.NeedsSizes() == nil {
		t.Fatal(err, l)
	}
	bound, err := l.For([]int{8, 64}, 16)
	if err != nil || bound.Exact.String() != "Sw<3,3,3> o 0 o (8,64):(64,1)" || bound.NeedsSizes() != nil {
		t.Error(err, bound)
	}
	if _, err := l.For([]int{8, 60}, 16); err == nil {
		t.Error("60 columns are not refused")
	}
	if l, err = ParseName("kCHW4"); err != nil || !l.HasFormat() || l.NeedsSizes() != nil {
		t.Fatal(err, l)
	}
	if bound, err = l.For([]int{3, 4, 5}, 16); err != nil || bound.Format.String() != "CHW4c" {
		t.Error(err, bound.Format)
	}
	for s, hint := range map[string]string{
		"gl.BlockedLayout([1], [32], [1], [0])":                                "tlayout threads",
		"tensor<32xf16, #ttg.blocked<{sizePerThread=[1]}>>":                    "tlayout threads",
		"!ttg.memdesc<4x4xf16, #ttg.shared_linear<{offset=[]}, alignment=16>>": "tlayout inspect",
	} {
		var e *fault.Error
		if _, err := ParseName(s); !errors.As(err, &e) || !strings.HasPrefix(e.Hint, hint+" ") {
			t.Errorf("%s: %v, want a hint with %s", s, err, hint)
		}
	}
}
