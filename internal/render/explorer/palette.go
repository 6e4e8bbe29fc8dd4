package explorer

import (
	"fmt"
	"math"
	"strings"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// paletteData is the colours of cells, each in both schemes, "#rrggbb" light and dark: the same as in other pictures.
type paletteData struct {
	Hues [][]colour `json:"hues"` // of 1, 2, … indices
	Turn int        `json:"turn"` // of more indices so many hues take turns
	Ramp []colour   `json:"ramp"` // of vector.MostRamp; what has other numbers of tints picks of these
}

type colour [2]string

func newPalette() paletteData {
	p := paletteData{Turn: vector.HuesOf(math.MaxInt).N, Ramp: colours(vector.Tints{Kind: vector.Ramp, N: vector.MostRamp})}
	for n := 1; vector.HuesOf(n).N == n; n++ {
		p.Hues = append(p.Hues, colours(vector.HuesOf(n)))
	}
	return p
}

func colours(tints vector.Tints) []colour {
	list := make([]colour, tints.N)
	for i := range list {
		list[i] = colour{hex(tints.RGB(i, false)), hex(tints.RGB(i, true))}
	}
	return list
}

func hex(r, g, b uint8) string { return fmt.Sprintf("#%02x%02x%02x", r, g, b) }

// paints are the names that the style sheet has for colours.
var paints = []struct {
	name  string
	paint vector.Paint
}{
	{"ground", vector.Ground}, {"ink", vector.Ink}, {"quiet", vector.Quiet}, {"accent", vector.Accent},
	{"hair", vector.Grid}, {"bar", vector.Bar}, {"best", vector.Best}, {"limit", vector.Limit},
	{"frame", vector.Frame}, {"hatch", vector.Hatch},
}

// paintRules declare the colours of one scheme: "--ink: #1c2430; …".
func paintRules(dark bool) string {
	var b strings.Builder
	for _, p := range paints {
		fmt.Fprintf(&b, " --%s: %s;", p.name, hex(p.paint.RGB(dark)))
	}
	return b.String()
}

// sheet is the style sheet of the page: light, or dark where its reader's system is; light on paper.
func sheet() string {
	return ":root {" + paintRules(false) + " }\n" +
		"@media screen and (prefers-color-scheme: dark) { :root {" + paintRules(true) + " } }\n" + file("page.css")
}
