package notation

import (
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
