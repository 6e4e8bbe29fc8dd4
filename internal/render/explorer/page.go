package explorer

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/text"
)

//go:embed page
var files embed.FS

// models are the scripts that compute, in order of dependency.
var models = []string{"model_layout.js", "model_walk.js", "model_order.js", "model_text.js"}

// scripts are the scripts that display, in order of dependency.
var scripts = []string{
	"dom.js", "subject.js", "state.js", "scene.js", "view_grid.js", "view_memory.js", "view_address.js", "view_walk.js",
	"controls.js", "pointing.js", "page.js",
}

// Write writes the page: one HTML file, whose policy forbids network access. Name, dtype, dims and values may be any text: it escapes ##[,
// which is a command to a CI runner that reads the page.
func Write(w io.Writer, s Subject) error {
	d, err := newData(s)
	if err != nil {
		return err
	}
	data, err := json.Marshal(d) // with <, >, & and line separators escaped
	if err != nil {
		return err
	}
	style, script := sheet(), script()
	data = bytes.ReplaceAll(data, []byte("##"), []byte(`#\u0023`))
	title := strings.ReplaceAll(html.EscapeString(text.Cut(s.Name, 200)), "##", "#&#35;")
	return template.Must(template.ParseFS(files, "page/page.html")).Execute(w, struct {
		Title                 template.HTML
		StyleHash, ScriptHash string
		Style                 template.CSS
		Script, Data          template.JS
	}{template.HTML(title), hash(style), hash(script), template.CSS(style), template.JS(script), template.JS(data)})
}

// hash returns the hash of an allowed text for a Content-Security-Policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// script returns all scripts in one private scope.
func script() string {
	var b strings.Builder
	b.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range slices.Concat(models, scripts) {
		b.WriteString(file(name))
	}
	b.WriteString("})();\n")
	return b.String()
}

// file returns an embedded file, which must exist.
func file(name string) string {
	text, err := files.ReadFile("page/" + name)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// paletteData has the colors of cells, each in both schemes, "#rrggbb" light and dark: the same as in other pictures.
type paletteData struct {
	Hues      [][]color `json:"hues"`      // for 1, 2, … indices
	Turn      int       `json:"turn"`      // hues that repeat for more indices
	Ramp      []color   `json:"ramp"`      // of vector.MaxRamp; shorter ramps pick from these
	Diverging []color   `json:"diverging"` // of vector.MaxDiverging
}

type color [2]string

func newPalette() paletteData {
	p := paletteData{Turn: vector.HuesOf(math.MaxInt).N, Ramp: colors(vector.Tints{Kind: vector.Ramp, N: vector.MaxRamp}),
		Diverging: colors(vector.Tints{Kind: vector.Diverging, N: vector.MaxDiverging})}
	for n := 1; vector.HuesOf(n).N == n; n++ {
		p.Hues = append(p.Hues, colors(vector.HuesOf(n)))
	}
	return p
}

func colors(tints vector.Tints) []color {
	list := make([]color, tints.N)
	for i := range list {
		list[i] = color{hex(tints.RGB(i, false)), hex(tints.RGB(i, true))}
	}
	return list
}

func hex(r, g, b uint8) string { return fmt.Sprintf("#%02x%02x%02x", r, g, b) }

// paints names the colors in the style sheet.
var paints = []struct {
	name  string
	paint vector.Paint
}{
	{"ground", vector.Ground}, {"ink", vector.Ink}, {"quiet", vector.Quiet}, {"accent", vector.Accent},
	{"hair", vector.Grid}, {"bar", vector.Bar}, {"best", vector.Best}, {"limit", vector.Limit},
	{"frame", vector.Frame}, {"hatch", vector.Hatch},
}

// paintRules declares the colors of one scheme: "--ink: #1c2430; …".
func paintRules(dark bool) string {
	var b strings.Builder
	for _, p := range paints {
		fmt.Fprintf(&b, " --%s: %s;", p.name, hex(p.paint.RGB(dark)))
	}
	return b.String()
}

// sheet returns the style sheet of the page, in the reader's light or dark scheme; light on paper.
func sheet() string {
	return ":root {" + paintRules(false) + " }\n" +
		"@media screen and (prefers-color-scheme: dark) { :root {" + paintRules(true) + " } }\n" + file("page.css")
}
