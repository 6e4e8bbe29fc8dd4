package framework

import (
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// TestConfusions: a layout whose name others read otherwise says so; plain NCHW and NHWC do not speak of blocks.
func TestConfusions(t *testing.T) {
	for name, want := range map[string]string{
		"nchw4": "TVM ignores", "CHWN4": "not the N", "NHWCD4": "no depth", "kHWC8": "NHWC does not", "nhwc": "(0,3,1,2)", "nChw16c": "oneDNN's tags",
		"C4NHW4": "NC4HW4", "nchw": "Julia", "whcn": "Julia", "OIHW4i4o": "upper case",
	} {
		if got := strings.Join(Confusions(orderNamed(t, name)), "; "); !strings.Contains(got, want) {
			t.Errorf("%s: %q does not say %q", name, got, want)
		}
	}
	for _, name := range []string{"nchw", "nhwc"} {
		if got := Confusions(orderNamed(t, name)); slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "blocks") }) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestSpellSequences: oneDNN's dims of a sequence are T,N,C, so that tnc is abc and ntc is bac (dnnl_types.h).
func TestSpellSequences(t *testing.T) {
	for name, want := range map[string]string{"tnc": "tnc abc", "ntc": "ntc bac"} {
		if got := strings.Join(Spell(orderNamed(t, name)).OneDNN, " "); got != want {
			t.Errorf("%s: %s, expected %s", name, got, want)
		}
	}
}

// Each framework's spelling parses back to the same order, and none is given where the framework has none.
func TestSpell(t *testing.T) {
	for _, c := range []struct{ name, pytorch, onednn, tvm, xla, tensorrt, megengine string }{
		{"nchw", "contiguous_format", "nchw abcd", "NCHW", "{3,2,1,0}", "kLINEAR", "NCHW"},
		{"nhwc", "channels_last", "nhwc acdb", "NHWC", "{1,3,2,0}", "kHWC", "NHWC"},
		{"NCHW4", "", "nChw4c aBcd4b", "NCHW4c", "{3,2,1,0:T(4,1,1)}", "kCHW4", "NCHW4 NCHW44 NCHW44_DOT"},
		{"CHWN4", "", "Chwn4c Bcda4b", "CHWN4c", "{0,3,2,1:T(4,1,1,1)}", "", "CHWN4"},
		{"NHWC8", "", "nhwC8c acdB8b", "NHWC8c", "{1,3,2,0:T(8)}", "kHWC8", ""},
		{"OIHW4i16o4i", "", "OIhw4i16o4i ABcd4b16a4b", "", "", "", ""},
		{"16cNCHW", "", "", "", "", "", ""},
		{"{1,0:T(8,128)}", "", "AB8a128b", "AB8a128b", "{1,0:T(8,128)}", "", ""},
		{"ohwi", "channels_last", "ohwi acdb", "OHWI", "{1,3,2,0}", "", ""},
		{"bhwc", "channels_last", "bhwc acdb", "BHWC", "{1,3,2,0}", "", ""},
		{"ndhwc", "channels_last_3d", "ndhwc acdeb", "NDHWC", "{1,4,3,2,0}", "kDHWC", ""},
	} {
		f := orderNamed(t, c.name)
		s := Spell(f)
		if s.PyTorch != c.pytorch || strings.Join(s.OneDNN, " ") != c.onednn || s.TVM != c.tvm || s.XLA != c.xla ||
			strings.Join(s.TensorRT, " ") != c.tensorrt || strings.Join(s.MegEngine, " ") != c.megengine {
			t.Errorf("%s is spelled %+v", c.name, s)
		}
		for _, spelling := range slices.Concat(s.OneDNN, s.TensorRT, []string{s.TVM, s.XLA}) {
			l, err := notation.Parse(spelling)
			if spelling == "" || l.Own != notation.NotOwn {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if g := l.Format; g.Positional() && g.Rank() == f.Rank() {
				if g = g.Rename(f.Names()); g.String() != f.String() {
					t.Errorf("%s of %s parses as %s", spelling, c.name, g)
				}
			} else if g.String() != f.String() {
				t.Errorf("%s of %s parses as %s", spelling, c.name, g)
			}
		}
	}
}

// A name that parses, whatever it is, is spelled, and told from what is like it, without a panic.
func FuzzNames(f *testing.F) {
	for _, s := range append(slices.Clone(notation.WellKnown()), "{1,0:T(8,128)(2,1)}", "OIhw4i16o4i", "16cNCHW", "A//4 B//4 A%2 B%4 A//2%2 B//4%1 A%1 B%1") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := notation.Parse(s)
		if err != nil || l.Own != notation.NotOwn || l.Exact != nil {
			return
		}
		for _, framework := range All() {
			NamesIn(l.Format, framework.Name)
		}
		Confusions(l.Format)
	})
}
