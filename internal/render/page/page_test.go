package page

import (
	"bytes"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/chromium"
	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

func TestMain(m *testing.M) { chromium.Main(m) }

// nasty is text that a reader of HTML, or a CI runner, might interpret.
const nasty = `</script></title><script>alert(1)</script><img src=x onerror=alert(2)> ##[error]x &amp; "`

// layout parses a layout with sizes: (2,3):(5,1).
func layout(t *testing.T, text string) tensor.Layout {
	t.Helper()
	parsed, err := notation.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return *parsed.Exact
}

// drawn returns the picture of a tensor of 4-byte elements in its memory, and in others.
func drawn(t *testing.T, o picture.Options, layouts ...string) scene.Scene {
	t.Helper()
	var memories []picture.Memory
	for _, text := range layouts {
		memories = append(memories, picture.Memory{Name: text, Layout: layout(t, text)})
	}
	s, err := picture.New(picture.Subject{Name: layouts[0], Layout: memories[0].Layout, Size: 4}, memories, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func written(t *testing.T, d vector.Drawing, address string) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, d, address); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// inside lists the texts between two marks.
func inside(text, open, end string) []string {
	var found []string
	for _, m := range regexp.MustCompile(regexp.QuoteMeta(open)+`((?s:.*?))`+regexp.QuoteMeta(end)).FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}

// TestPage: the page contains the drawing, allows exactly its own styles and script, and names nothing outside but the address of its link.
func TestPage(t *testing.T) {
	d := drawn(t, picture.Options{}, "(2,3,4):(12,4,1)", "(2,3,4):(12,1,3)").Drawing()
	page := written(t, d, Address("draw --shape 2,3,4"))
	policy := strings.NewReplacer("&#43;", "+", "&#39;", "'").Replace(inside(page, `http-equiv="Content-Security-Policy" content="`, `"`)[0])
	styles, scripts := inside(page, "<style>", "</style>"), inside(page, "<script>", "</script>")
	if len(styles) != 2 || len(scripts) != 1 {
		t.Fatalf("%d styles and %d scripts", len(styles), len(scripts))
	}
	want := "default-src 'none'; style-src " + string(hash(styles[0])+" "+hash(styles[1])) + "; script-src " + string(hash(scripts[0])) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
	if policy != want {
		t.Errorf("the policy is %s, want %s", policy, want)
	}
	var svg bytes.Buffer
	if err := d.LinkedSVG(&svg); err != nil || !strings.Contains(page, svg.String()) {
		t.Errorf("the page does not contain the drawing, %v", err)
	}
	if links := inside(page, `<a href="`, `"`); len(links) != 1 || links[0] != "https://tlayout.github.io/tlayout/#draw%20--shape%202%2C3%2C4" {
		t.Errorf("links %q", links)
	}
	rest := strings.NewReplacer(`xmlns="http://www.w3.org/2000/svg"`, "", `href="https://tlayout`, "").Replace(page)
	if found := regexp.MustCompile(`(?i)https?:|//[a-z]+\.|@import|url\([^#]`).FindString(rest); found != "" {
		t.Errorf("the page names something outside: %s", found)
	}
	t.Logf("the page of 24 elements in 2 memories has %d bytes, its drawing %d", len(page), svg.Len())
}

// TestScript: all of the script is in one function, so that another page has no other name of it.
func TestScript(t *testing.T) {
	for line := range strings.Lines(script) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && line != "function point(figure) {" && line != "}" && line[0] != '\t' && !strings.HasPrefix(line, "// ") {
			t.Errorf("outside of the function: %s", line)
		}
	}
}

// TestAddress: the fragment is the command line, as decodeURIComponent reads it.
func TestAddress(t *testing.T) {
	if got := Address(""); got != home {
		t.Errorf("the plain address is %s", got)
	}
	for _, command := range []string{"draw --shape 2,3,4,5 --from nhwc", "draw --from 'Sw<3,3,3> o (8,64):(64,1)' --limit 0", `a+b%20&#"é'<`} {
		_, fragment, _ := strings.Cut(Address(command), home+"#")
		if got, err := url.PathUnescape(fragment); got != command || err != nil || strings.ContainsAny(fragment, "+ \"'<#&") {
			t.Errorf("%q is %s, which says %q, %v", command, fragment, got, err)
		}
	}
	if got := Address("draw --shape 2,3"); got != home+"#draw%20--shape%202%2C3" {
		t.Errorf("the address is %s", got)
	}
}

// TestForeignText: no text of a drawing ends its element, and none is a command to a CI runner.
func TestForeignText(t *testing.T) {
	d := vector.Drawing{Title: nasty, Desc: nasty, Width: 90, Height: 90, Marks: []vector.Mark{vector.Group{Title: nasty, Marks: []vector.Mark{
		vector.Rect{W: 9, H: 9, Stroke: vector.Ink}, vector.Text{Words: nasty, Paint: vector.Ink}}}}}
	page := written(t, d, home)
	if strings.Contains(page, "##[") || strings.Count(page, "<script") != 1 || strings.Contains(page, "<img") {
		t.Errorf("the text is markup:\n%s", page)
	}
}
