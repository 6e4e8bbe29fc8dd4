package notation

import (
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// TestWordDims: words between blanks are dims in the order as written, with and without blocks, and beside letters; what is printed is read again.
// The strides are those of the words, whatever their order in the alphabet.
func TestWordDims(t *testing.T) {
	for s, want := range map[string]string{
		"blocks heads dim":        "blocks,heads,dim",
		"zebra apple k_1":         "zebra,apple,k_1",
		"N heads D":               "N,heads,D",
		"blocks heads//4 heads%4": "blocks,heads",
		"d0 d2 d1":                "d0,d1,d2",
	} {
		l, err := Parse(s)
		if err != nil || strings.Join(l.Format.Names(), ",") != want {
			t.Errorf("%q: %v, %v, expected %s", s, l.Format.Names(), err, want)
			continue
		}
		if again, err := Parse(l.Format.String()); err != nil || again.Format.Explicit() != l.Format.Explicit() || l.Format.String() != s {
			t.Errorf("%q is printed as %q: %v", s, l.Format, err)
		}
	}
	long := strings.Repeat("k", maxDimName)
	for s, want := range map[string]string{
		"b " + long:       "",
		"b " + long + "k": "is not an axis",
		"Blocks heads":    "is not an axis",
		"1st heads":       "is not an axis",
		"blocks heads%4":  "heads needs exactly one axis without %",
		"blocks 2 heads":  "is not an axis",
		"chanels last":    "no layout has this name",
		"row majr":        "no layout has this name",
		"coreml":          "no framework calls dims by these letters",
	} {
		_, err := Parse(s)
		if refused := fault.ClassOf(err) == fault.Usage && err != nil && strings.Contains(err.Error(), want); refused != (want != "") {
			t.Errorf("%q: %v, expected %q", s, err, want)
		}
	}
	if _, err := Parse("(blocks, 2, 16, heads, dim)"); fault.ClassOf(err) != fault.Usage || err == nil || err.Error() != `"2" is a size, not the name of a dim` {
		t.Errorf("a list of names and sizes: %v", err)
	}
	_, err := Parse("(blocks, heads, dim)")
	if e, ok := err.(*fault.Error); !ok || e.Hint != "an order has blanks between its dims: 'blocks heads dim'" {
		t.Errorf("a list as an order: %v", err)
	}
}
