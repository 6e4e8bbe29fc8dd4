package convention

import (
	"strings"
	"testing"
)

// TestCatalogued: an order whose digits a framework has a name for is called by it, whatever the letters of its dims and what is padded; orders beside
// it, in which a letter stands for two dims or a digit has another size, are not, and neither are blocks that many layouts have.
func TestCatalogued(t *testing.T) {
	for order, want := range map[string]string{
		"H//128 W//4 H%32 H//32%4 W%4":                     "SWIZZLE_32_4_4 of PyTorch", // view (M/128, 4, 32, K/4, 4), permute (0, 3, 2, 1, 4)
		"H//32 W//8 W%4 H%16 W//4%2 H//16%2":               "SWIZZLE_32_8 of PyTorch",
		"W//32 W%4 W//4%8 H":                               "shuffle_matrix_a(128) of FlashInfer",
		"E H//32 H%4 H//4%8 W":                             "shuffle_matrix_a(128) of FlashInfer",
		"N H//8 W//4 C//32 H%8 W//2%2 C%32 W%2":            "crouton of Hexagon",
		"H//16 W//64 W%8 H//2%4 W//16%4 H%2 W//8%2 H//8%2": "marlin of IST-DASLab",
		"H//8 W//128 H%8 W%128":                            "{1,0:T(8,128)} of XLA",
		"H//128 H//4 H%32 H//32%4 H%4":                     "",
		"H//128 W//4 H%32 H//32%4 W%8":                     "",
		"W//32 W%8 W//8%4 H":                               "",
		"N C//16 H W C%16":                                 "",
		"H//16 W//5 H%16 W%5":                              "",
		"H W":                                              "",
	} {
		c := Change{Names: []string{"a", "b"}, ItemSize: 1, Order: strings.Fields(order)}
		if got := c.Name(); got != want {
			t.Errorf("%s: %q, expected %q", order, got, want)
		}
	}
}

// TestJoined: a digit that pads its dim is one with that below it.
func TestJoined(t *testing.T) {
	for order, want := range map[string]string{
		"M//256 M//32%8 K//8 K%4": "M//32 K//8 K%4", "H//4 H%4 W": "H W", "H//8 H//2%4 W H%2": "H//2 W H%2", "H//8 W H%8": "H//8 W H%8",
		"H//8%2 H//16 H%8": "H//8%2 H//16 H%8", "K//256 K//128%2 N//256 N%256 K%128": "K//128 N K%128",
	} {
		if got := strings.Join(joined(strings.Fields(order)), " "); got != want {
			t.Errorf("%s: %s, expected %s", order, got, want)
		}
	}
}
