package explorer

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/words"
)

//go:embed page
var files embed.FS

// models are the scripts that compute, each after what it uses.
var models = []string{
	"model.js", "model_number.js", "model_layout.js", "model_search.js", "model_walk.js", "model_fact.js", "model_order.js",
	"model_axis.js", "model_text.js", "model_stride.js", "model_padding.js", "model_cache.js",
}

// scripts are those that show it, each after what it uses.
var scripts = []string{
	"dom.js", "subject.js", "layouts.js", "state.js", "cut.js", "tints.js", "scene.js", "view_grid.js", "view_memory.js",
	"motion.js", "view_address.js", "access.js", "view_rivals.js", "view_player.js",
	"controls.js", "keys.js", "pointing.js", "page.js",
}

var document = template.Must(template.ParseFS(files, "page/page.html"))

// Write writes the page: one HTML file that asks the network for nothing, and may not. Name, dtype, dims and values may be
// any text.
func Write(w io.Writer, s Subject) error {
	d, err := newData(s)
	if err != nil {
		return err
	}
	text, err := json.Marshal(d) // with <, >, & and line separators escaped
	if err != nil {
		return err
	}
	style, script := sheet(), script()
	return document.Execute(w, struct {
		Title, StyleHash, ScriptHash string
		Style                        template.CSS
		Script, Data                 template.JS
	}{words.Cut(s.Name, 200), hash(style), hash(script), template.CSS(style), template.JS(script), template.JS(text)})
}

// hash is how a Content-Security-Policy names a text that is allowed.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// script is all scripts in one scope of their own.
func script() string {
	var b strings.Builder
	b.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range slices.Concat(models, scripts) {
		b.WriteString(file(name))
	}
	b.WriteString("})();\n")
	return b.String()
}

// file is one of the embedded files; all that are asked for exist.
func file(name string) string {
	text, err := files.ReadFile("page/" + name)
	if err != nil {
		panic(err)
	}
	return string(text)
}
