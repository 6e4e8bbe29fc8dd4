package notation

import (
	"slices"
	"strings"
	"testing"
)

// TestWords: a layout in a few words, by what its blocks do.
func TestWords(t *testing.T) {
	for name, want := range map[string]string{
		"nchw": "row-major, W varies fastest", "nhwc": "channels innermost, images outermost", "whcn": "column-major, N varies fastest",
		"nChw16c": "channels in blocks of 16, the block innermost", "kHWC8": "channels padded to a multiple of 8",
		"CHWN4": "channels in blocks of 4, the block innermost", "NCHW64w": "columns padded to a multiple of 64",
		"OIhw4i16o4i": "output channels in blocks of 16, input channels in blocks of 16 (4 x 4), input channels innermost",
		"OIhw16i16o":  "output channels in blocks of 16, input channels in blocks of 16, output channels innermost",
		"NCHW1c":      "row-major, W varies fastest", "n": "one after the other",
		"{1,0:T(8,128)}": "A in blocks of 8, B in blocks of 128, B innermost",
	} {
		if got := mustParse(t, name).Words(); got != want {
			t.Errorf("%s: %q, expected %q", name, got, want)
		}
	}
}

// TestConfusions: a layout whose name others read otherwise says so; plain NCHW and NHWC do not speak of blocks.
func TestConfusions(t *testing.T) {
	for name, want := range map[string]string{
		"nchw4": "TVM ignores", "CHWN4": "not the N", "NHWCD4": "no depth", "kHWC8": "NHWC does not", "nhwc": "(0,3,1,2)", "nChw16c": "oneDNN's tags",
		"C4NHW4": "NC4HW4", "nchw": "Julia", "whcn": "Julia", "OIHW4i4o": "upper case",
	} {
		if got := strings.Join(mustParse(t, name).Confusions(), "; "); !strings.Contains(got, want) {
			t.Errorf("%s: %q does not say %q", name, got, want)
		}
	}
	for _, name := range []string{"nchw", "nhwc"} {
		if got := mustParse(t, name).Confusions(); slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "blocks") }) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestSpellSequences: oneDNN's dims of a sequence are T,N,C, so that tnc is abc and ntc is bac (dnnl_types.h).
func TestSpellSequences(t *testing.T) {
	for name, want := range map[string]string{"tnc": "tnc abc", "ntc": "ntc bac"} {
		if got := strings.Join(mustParse(t, name).Spell().OneDNN, " "); got != want {
			t.Errorf("%s: %s, expected %s", name, got, want)
		}
	}
}
