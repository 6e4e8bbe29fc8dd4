package cli

import (
	"testing"

	"github.com/tlayout/tlayout/internal/name"
)

// TestNamesFile: the ending of a file counts in any case, and every name of a file is a source; a path is one too, a step is not.
func TestNamesFile(t *testing.T) {
	for arg, want := range map[string][2]bool{
		"-": {true, true}, "x.npy": {true, true}, "X.NPY": {true, true}, "x.Npz": {true, true}, "x.npz:a": {true, true}, "X.NPZ:a": {true, true},
		"dump.bin": {false, true}, "a/b": {false, true}, "(2,3):(3,1)": {false, true}, "npy": {false, false}, "1,2,3": {false, false},
		"m.pt": {true, true}, "m.pt:a[0]": {true, true}, "m.BIN:w": {true, true}, "m.safetensors.index.json:w": {true, true},
		"permute(0,2)": {false, false}, "nhwc": {false, false}, "": {false, false},
	} {
		if got := [2]bool{name.Parse(arg).LooksLikeFile(), isSource(arg)}; got != want {
			t.Errorf("%q: a file and a source? %v, expected %v", arg, got, want)
		}
	}
}
