package notation

import (
	"strings"
	"testing"
)

// TestLargestBlock: blocks of a dim may have 2²⁰ elements together, whichever notation says so, and not one more.
func TestLargestBlock(t *testing.T) {
	for name, want := range map[string]string{
		"N C//1048576 H C%1048576":           "",
		"N C//1048577 H C%1048577":           "1048577 is outside 1 to 1048576",
		"N C//1048576 H C//1024%1024 C%1024": "",
		"N C//1048576 H C//17%61681 C%17":    "the blocks of C multiply to more than 1048576",
		"nchw1048576":                        "",
		"nchw1048577":                        "1048577 is outside 1 to 1048576",
		"NChw1024c1024c":                     "",
		"NChw17c61681c":                      "multiply to more than 1048576",
		"{1,0:T(1024,1048576)}":              "",
		"{1,0:T(1024,1048577)}":              "outside 1 to 1048576",
	} {
		_, err := Parse(name)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, expected %q", name, err, want)
		}
	}
}
