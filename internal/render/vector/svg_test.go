package vector

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/golden"
	"github.com/tlayout/tlayout/internal/random/property"
)

// element is a parsed element of an SVG.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []element  `xml:",any"`
	Text     string     `xml:",chardata"`
}

func (e element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// all lists the elements, starting with this one.
func (e element) all() []element {
	found := []element{e}
	for _, child := range e.Children {
		found = append(found, child.all()...)
	}
	return found
}

// named lists the elements with a name.
func (e element) named(name string) []element {
	return slices.DeleteFunc(e.all(), func(e element) bool { return e.XMLName.Local != name })
}

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

// parse reads an SVG as strictly as encoding/xml does, to its end.
func parse(t failer, d Drawing) (element, string) {
	t.Helper()
	var out bytes.Buffer
	if err := d.SVG(&out); err != nil {
		t.Fatalf("%v", err)
	}
	var svg element
	in := xml.NewDecoder(bytes.NewReader(out.Bytes()))
	if err := in.Decode(&svg); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if rest, err := in.Token(); err != nil || string(rest.(xml.CharData)) != "\n" {
		t.Fatalf("%v after the end", rest)
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		t.Fatalf("%v at the end", err)
	}
	return svg, out.String()
}

// TestSVGGolden: the SVG of everything.
func TestSVGGolden(t *testing.T) {
	_, text := parse(t, everything())
	golden.Compare(t, "testdata/everything.golden.svg", []byte(text))
}

var decimals = regexp.MustCompile(`^-?[0-9]+(\.[0-9]{1,2})?$`)

// TestSVGIsSafe: any drawing is XML of a few elements and attributes, without scripts and references, with numbers of at most two decimals,
// and with title and description under the ids that refer to them.
func TestSVGIsSafe(t *testing.T) {
	known := strings.Fields("svg title desc style pattern rect g text path")
	attrs := strings.Fields("xmlns id width height viewBox role aria-labelledby class patternUnits x y rx d")
	path := regexp.MustCompile(`^(M|[-0-9.]+ [-0-9.]+|[HVLZ]|[-0-9.]+)+$`)
	property.Check(t, func(t *rapid.T) {
		d := anyDrawing(t)
		svg, _ := parse(t, d)
		for _, e := range svg.all() {
			if !slices.Contains(known, e.XMLName.Local) {
				t.Fatalf("element %s", e.XMLName.Local)
			}
			for _, a := range e.Attrs {
				number := slices.Contains(strings.Fields("x y rx width height"), a.Name.Local)
				if !slices.Contains(attrs, a.Name.Local) || number && !decimals.MatchString(a.Value) ||
					a.Name.Local == "d" && !path.MatchString(a.Value) {
					t.Fatalf("%s %s=%q", e.XMLName.Local, a.Name.Local, a.Value)
				}
			}
		}
		title, desc := svg.Children[0], svg.Children[1]
		if title.XMLName.Local != "title" || desc.XMLName.Local != "desc" || svg.attr("role") != "img" ||
			svg.attr("aria-labelledby") != title.attr("id")+" "+desc.attr("id") || title.attr("id") == "" {
			t.Fatalf("no text for a screen reader: %v", svg.Attrs)
		}
	})
}

// TestSVGEscapes: text survives in the file, in a title and in a description; characters that XML cannot hold become U+FFFD, and blanks
// that SVG would collapse are replaced.
func TestSVGEscapes(t *testing.T) {
	for in, want := range map[string]string{
		"</text><script>f()":      "</text><script>f()",
		`"&amp;'`:                 `"&amp;'`,
		"]]>":                     "]]>",
		"a\x00b\x1b[1m\ufffe\xff": "a\ufffdb\ufffd[1m\ufffd\ufffd",
		"größer ★ 日本":             "größer ★ 日本",
		"  1.5  GB/s ":            "\u2007\u20071.5\u2007\u2007GB/s\u2007",
	} {
		svg, _ := parse(t, Drawing{Title: in, Desc: in, Marks: []Mark{Group{Title: in, Marks: []Mark{Text{Words: in, Paint: Ink}}}}})
		if words := svg.named("text")[0].Text; words != want {
			t.Errorf("%q is written %q", in, words)
		}
		plain := strings.ReplaceAll(want, "\u2007", " ")
		for _, e := range append(svg.named("title"), svg.named("desc")...) {
			if e.Text != plain {
				t.Errorf("the %s of %q is %q", e.XMLName.Local, in, e.Text)
			}
		}
	}
}

// TestLinkedSVG: a linked drawing is the drawing, under another id, with a link on each group that has a title, names of panels, and the accent as a
// property in both schemes.
func TestLinkedSVG(t *testing.T) {
	d := everything()
	d.Panels = []string{"grid", "<m>"}
	d.Marks = append(d.Marks, Group{Title: "offset 4", Link: Link{Panel: 1, Line: 0, Keys: []int{4, 7}}})
	plain, plainText := parse(t, d)
	var b bytes.Buffer
	if err := d.LinkedSVG(&b); err != nil {
		t.Fatal(err)
	}
	linked := b.String()
	if want := `<g data-panel="1" data-line="0" data-keys="4 7"><title>offset 4</title>`; !strings.Contains(linked, want) ||
		!strings.Contains(linked, " data-panels=\"grid\n&lt;m&gt;\">") {
		t.Errorf("no %s", want)
	}
	links, groups := strings.Count(linked, "<g data-panel="), strings.Count(plainText, "<g><title>")
	if id := regexp.MustCompile(`id="(\w+)"`).FindStringSubmatch(linked)[1]; id != plain.attr("id") {
		linked = strings.ReplaceAll(linked, id, plain.attr("id"))
	}
	linked, properties := regexp.MustCompile(` data-[a-z]+="[^"]*"`).ReplaceAllString(linked, ""), regexp.MustCompile(`(?m)^#\w+\{--accent.*\n`)
	if n := len(properties.FindAllString(linked, -1)); n != 2 || links < 2 || links != groups {
		t.Errorf("%d rules of properties, %d links of %d groups", n, groups, links)
	}
	if linked = properties.ReplaceAllString(linked, ""); linked != plainText {
		t.Errorf("the drawing differs:\n%s", linked)
	}
}

// TestSVGStyle: the style has exactly the classes in use, in both schemes; each rule applies below the drawing's own id only, as do ids and
// references.
func TestSVGStyle(t *testing.T) {
	svg, text := parse(t, everything())
	id, used := svg.attr("id"), map[string]bool{}
	for _, e := range svg.all() {
		if c := e.attr("class"); c != "" {
			used[c] = true
		}
		if other := e.attr("id"); other != "" && !strings.HasPrefix(other, id) {
			t.Errorf("id %s is not one of %s", other, id)
		}
	}
	style := svg.named("style")[0].Text
	light, dark, _ := strings.Cut(style, "@media (prefers-color-scheme:dark){")
	for _, scheme := range []string{light, dark} {
		ruled := map[string]bool{}
		for _, rule := range regexp.MustCompile(`(?m)^([^{}\n]+)\{`).FindAllStringSubmatch(scheme, -1) {
			own, class, isClass := strings.Cut(rule[1], " .")
			if ruled[class] = isClass; own != "#"+id {
				t.Errorf("the rule for %s is for others too", rule[1])
			}
		}
		for c := range used {
			if !ruled[c] && !strings.Contains(light, " ."+c+"{fill:url(") {
				t.Errorf("class %s has no rule in\n%s", c, scheme)
			}
		}
		for c := range ruled {
			if c != "" && !used[c] {
				t.Errorf("class %s has a rule and no mark", c)
			}
		}
	}
	if len(used) < 10 || regexp.MustCompile(`(fill|stroke)="`).MatchString(text) {
		t.Errorf("%d classes in\n%s", len(used), text)
	}
	for _, ref := range regexp.MustCompile(`url\(#([^)]*)\)`).FindAllStringSubmatch(style, -1) {
		if !strings.Contains(text, `<pattern id="`+ref[1]+`"`) {
			t.Errorf("no pattern %s", ref[1])
		}
	}
}

// TestSVGIdentity: different drawings have different ids, so that one page can contain them; equal ones give equal bytes.
func TestSVGIdentity(t *testing.T) {
	ids := map[string]int{}
	base := everything()
	tints, title, mark, wide := base, base, base, base
	tints.Tints.N, title.Title, wide.Width = 4, "other", 241
	mark.Marks = base.Marks[1:]
	for i, d := range []Drawing{base, tints, title, mark, wide} {
		svg, text := parse(t, d)
		if _, again := parse(t, d); again != text {
			t.Error("not the same bytes again")
		}
		if other, taken := ids[svg.attr("id")]; taken {
			t.Errorf("drawings %d and %d have one id", other, i)
		}
		ids[svg.attr("id")] = i
	}
}

// TestSVGIsCompact: a drawing of cells is compact: less than 200 bytes for a group with a title of 40, a rectangle and a text.
func TestSVGIsCompact(t *testing.T) {
	_, text := parse(t, cells(1000))
	if each := len(text) / 1000; each > 200 {
		t.Errorf("%d bytes each", each)
	}
	if strings.IndexFunc(text, unicode.IsControl) < 0 {
		t.Error("all in one line")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// TestDrawingFails: a drawing that cannot be written is an error.
func TestDrawingFails(t *testing.T) {
	if everything().SVG(full{}) == nil || everything().PNG(full{}, PNGOptions{}) == nil {
		t.Error("written without error to a full disk")
	}
}
