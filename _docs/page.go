package main

import (
	"bytes"
	"fmt"
	"html/template"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A page is a document: its path in the repository, its first heading, its file's name in the site, and its text.
type page struct {
	Source, Title, Name string
	text                []byte
	root                ast.Node
}

// markdown is GitHub's.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM),
	goldmark.WithRendererOptions(html.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(blocks{}, 1))))

// parse parses a document. Metadata before its text becomes a block; its page is skill.html of docs/SKILL.md, readme.html of README.md,
// index.html of the index.
func parse(source string, content []byte) *page {
	name := path.Base(source)
	if meta, rest, ok := bytes.Cut(content, []byte("\n---\n")); ok && bytes.HasPrefix(meta, []byte("---\n")) {
		content = fmt.Appendf(nil, "# %s\n\n```yaml%s\n```\n%s", name, meta[len("---"):], rest)
	}
	p := &page{Source: source, Name: strings.ToLower(strings.TrimSuffix(name, ".md")) + ".html", text: content}
	if source == index {
		p.Name = "index.html"
	}
	p.root = markdown.Parser().Parse(text.NewReader(content))
	seen := map[string]int{}
	for n := p.root.FirstChild(); n != nil; n = n.NextSibling() {
		if heading, ok := n.(*ast.Heading); ok {
			p.anchor(heading, seen)
		}
	}
	return p
}

// anchor gives a heading GitHub's id, which counts equal ones, and a link to itself unless it is the title.
func (p *page) anchor(heading *ast.Heading, seen map[string]int) {
	title := p.plain(heading)
	id := fragment(title)
	if seen[id]++; seen[id] > 1 {
		id = fmt.Sprintf("%s-%d", id, seen[id]-1)
	}
	heading.SetAttributeString("id", []byte(id))
	if heading.Level == 1 {
		p.Title = title
		return
	}
	link := ast.NewLink()
	link.Destination = []byte("#" + id)
	link.SetAttributeString("aria-label", []byte("Link to "+title))
	link.AppendChild(link, ast.NewString([]byte("#")))
	heading.AppendChild(heading, link)
}

// fragment returns GitHub's of a heading: lower case, hyphens for spaces, and nothing but letters, marks, digits, "_" and "-".
func fragment(title string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' {
			return '-'
		}
		if r == '-' || unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Pc) {
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

// plain returns the text of a node without markup.
func (p *page) plain(n ast.Node) string {
	if t, ok := n.(*ast.Text); ok {
		return string(t.Segment.Value(p.text))
	}
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		b.WriteString(p.plain(c))
	}
	return b.String()
}

// relink makes the links and images of a document those of its page.
func (p *page) relink(pages map[string]*page, repository string) {
	must(0, ast.Walk(p.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = p.target(n.Destination, entering, pages, repository)
		case *ast.Image:
			n.Destination = p.target(n.Destination, entering, pages, repository)
		}
		return ast.WalkContinue, nil
	}))
}

// target returns what a page links to instead of a file of the repository: a page, a file of docs, or GitHub. A destination that does not
// exist stays as it is, and check finds it.
func (p *page) target(destination []byte, entering bool, pages map[string]*page, repository string) []byte {
	if !entering {
		return destination
	}
	u, err := url.Parse(string(destination))
	if err != nil || u.IsAbs() || u.Path == "" {
		return destination
	}
	to := path.Join(path.Dir(p.Source), u.Path)
	if _, err := os.Stat(filepath.Join(repository, to)); err != nil {
		return destination
	}
	if linked := pages[to]; linked != nil {
		u.Path = linked.Name
		return []byte(u.String())
	}
	if file, ofDocs := strings.CutPrefix(to, "docs/"); ofDocs {
		u.Path = file
		return []byte(u.String())
	}
	u.Scheme = "https"
	u.Host = "github.com"
	u.Path = "/tlayout/tlayout/blob/main/" + to
	return []byte(u.String())
}

// tables makes tables scroll, and leaves their style to the stylesheet.
var tables = strings.NewReplacer("<table>", `<div class="wide"><table>`, "</table>", "</table></div>", ` style="text-align:right"`, ` class="right"`)

func (p *page) html() string {
	var b bytes.Buffer
	must(0, markdown.Renderer().Render(&b, p.text, p.root))
	return tables.Replace(b.String())
}

// blocks renders blocks of code, whose lines "$ …" are commands, and the others their output.
type blocks struct{}

func (blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, block)
	r.Register(ast.KindCodeBlock, block)
}

func block(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	var b strings.Builder
	attribute := ""
	for line := range strings.Lines(string(n.Lines().Value(source))) {
		if utf8.RuneCountInString(line) > 100 {
			attribute = ` tabindex="0"` // it scrolls even on a wide screen
		}
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			line = "<b>$ " + run(strings.TrimSuffix(command, "\n")) + "</b>\n"
		} else {
			line = template.HTMLEscapeString(line)
		}
		b.WriteString(line)
	}
	_, err := fmt.Fprintf(w, "<pre%s><code>%s</code></pre>\n", attribute, &b)
	return ast.WalkContinue, err
}

var (
	quoted = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	// absent matches what the page of the program has not got: other programs, output files, standard input, files, and time to measure.
	absent = regexp.MustCompile(`[|<>;&\\$]| -o | - |^(?:bench|version) `)
	file   = regexp.MustCompile(`\.(?:npy|npz|pt|safetensors|gguf|bin|json|py)\b|://`)
)

// run renders a command, as a link to the page of the program if it can run there.
func run(command string) string {
	escaped := template.HTMLEscapeString(command)
	arguments, ok := strings.CutPrefix(command, "tlayout ")
	if !ok || file.MatchString(arguments) || absent.MatchString(quoted.ReplaceAllString(arguments, "")) {
		return escaped
	}
	return `<a href="../#` + template.HTMLEscapeString(url.PathEscape(arguments)) + `" title="Run it in this browser">` + escaped + "</a>"
}
