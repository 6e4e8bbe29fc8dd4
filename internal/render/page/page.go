// Package page writes a drawing as one HTML file that answers pointing and needs no network. pointing.js and page.css also serve the
// drawings of tlayout's page on the web.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html"
	"io"
	"net/url"
	"strings"

	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/text"
)

// home is tlayout's page on the web.
const home = "https://tlayout.github.io/tlayout/"

// Address returns the address of tlayout's page on the web, which runs a command line without the program's name, unless empty.
func Address(command string) string {
	if command == "" {
		return home
	}
	return home + "#" + strings.ReplaceAll(url.QueryEscape(command), "+", "%20")
}

var (
	//go:embed page.html
	document string
	//go:embed page.css
	style string
	//go:embed pointing.js
	script string
)

// Write writes the drawing as a page, with a link to an address. Its Content-Security-Policy allows its own two styles and its script, by
// their hashes. Texts of the drawing may be any: it escapes ##[, which is a command to a CI runner that reads the page.
func Write(w io.Writer, d vector.Drawing, address string) error {
	var drawing bytes.Buffer
	if err := d.LinkedSVG(&drawing); err != nil {
		return err
	}
	script := script + "point(document.querySelector(\".picture\"));\n"
	link := "tlayout's page"
	if address != home {
		link = "change it: open in tlayout's page"
	}
	// Not by html/template: it calls methods by name, so that the linker keeps all of every package, a fifth of the program.
	_, err := strings.NewReplacer(
		"{{title}}", strings.ReplaceAll(html.EscapeString(text.Cut(d.Title, 200)), "##", "#&#35;"),
		"{{styles}}", hash(style)+" "+hash(styleOf(drawing.String())), "{{scripts}}", hash(script), "{{style}}", style,
		"{{drawing}}", drawing.String(), "{{script}}", script, "{{address}}", html.EscapeString(address), "{{link}}", link,
	).WriteString(w, document)
	return err
}

// styleOf returns the style sheet in a drawing.
func styleOf(drawing string) string {
	_, after, _ := strings.Cut(drawing, "<style>")
	style, _, _ := strings.Cut(after, "</style>")
	return style
}

// hash returns the hash of an allowed text for a Content-Security-Policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
