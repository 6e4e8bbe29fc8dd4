package filename

import (
	"testing"
)

// TestLayout: the layout that an output's name gives, which needs the ending of a file.
func TestLayout(t *testing.T) {
	for name, want := range map[string]string{"x.nhwc.npy": "nhwc", "x.NCHW4c.npz": "NCHW4c", "nhwc.npy": "nhwc", "x.fortran.npy": "fortran",
		"x.nhwc.c.npy": "c", "x.npy": "", "x.rgb.npy": "", "nhwc": "", "x.nhwc": "", "c.npy": "", "": "", "x.abcd.npy": ""} {
		got, ok := Layout(name)
		if ok != (want != "") || ok && got != want {
			t.Errorf("Layout(%q) = %q, %t", name, got, ok)
		}
	}
}

// TestParts: what precedes the layout in a name, and what the end of the name says; a layout that does not fit the shape is ignored.
func TestParts(t *testing.T) {
	shape := []int{1, 2, 3, 4}
	for name, want := range map[string][2]string{
		"x.nhwc.npy": {"x", ".nhwc.npy"}, "x.nhwc.fortran.npy": {"x", ".nhwc.fortran.npy"}, "x.c.npz": {"x", ".c.npz"}, "nhwc.npy": {"nhwc", "nhwc.npy"},
		"a.b.NHWC.NPY": {"a.b", ".NHWC.NPY"}, "x.npy": {"x", ".npy"}, "x.chw.npy": {"x.chw", ".chw.npy"}, "x.rgb.npy": {"x.rgb", ".npy"},
		"img.000123.npy": {"img.000123", ".npy"}, "x.pt": {"x.pt", ".pt"}, ".npy": {".npy", ""}, "x": {"x", ""}, "": {"", ""},
	} {
		if got := Stem(name, shape); got != want[0] {
			t.Errorf("Stem(%q) = %q, expected %q", name, got, want[0])
		}
		if got := Tail(name); got != want[1] {
			t.Errorf("Tail(%q) = %q, expected %q", name, got, want[1])
		}
	}
}
