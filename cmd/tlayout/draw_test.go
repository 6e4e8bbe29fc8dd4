package main

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/text"
)

// hostile are names that a reader of XML or HTML, or a terminal, might interpret. Tests skip names that the system refuses.
var hostile = []string{"<script>alert(1)<\u2028script>.npy", `"x" onload='y'&amp;.npy`, "a\nb\x1b[31m.npy", "]]>.npy", "--><b>.npy", "{{.}}${1}.npy"}

// TestDrawHostileNames: whatever a source's name, its SVG is XML without a script that shows the quoted name, its text has no control
// characters, and its page no foreign script.
func TestDrawHostileNames(t *testing.T) {
	dir := t.TempDir()
	tried := 0
	for _, name := range hostile {
		path := filepath.Join(dir, name)
		if os.WriteFile(path, fixture.Must(fixture.Npy("<i4", []int{2, 2}, false)), 0o644) != nil {
			continue
		}
		tried++
		texts, elements := readXML(t, tlayout(t, "draw", path, "--as", "svg"))
		if shown := text.Quote(name); !slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, shown) }) {
			t.Errorf("%q: no text of the SVG says %s", name, shown)
		}
		if slices.Contains(elements, "script") || slices.Contains(elements, "b") {
			t.Errorf("%q: its SVG has the elements %q", name, elements)
		}
		if text := tlayout(t, "draw", path); unprintable.MatchString(text) {
			t.Errorf("%q: the text holds %q", name, unprintable.FindString(text))
		}
		page := strings.ToLower(tlayout(t, "draw", path, "--as", "html"))
		for _, bad := range []string{"<script>alert", "<b>", "\x1b", "\u2028"} {
			if strings.Contains(page, bad) {
				t.Errorf("%q: its page holds %q", name, bad)
			}
		}
	}
	if tried < 2 {
		t.Errorf("only %d names can be used here", tried)
	}
}

// readXML parses a document strictly, and returns its texts and the names of its elements.
func readXML(t *testing.T, document string) (texts, elements []string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(document))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			if len(elements) == 0 {
				t.Fatal("no element in the document")
			}
			return texts, elements
		}
		if err != nil {
			t.Fatalf("not XML: %v\n%s", err, document)
		}
		switch x := token.(type) {
		case xml.CharData:
			texts = append(texts, string(x))
		case xml.StartElement:
			elements = append(elements, strings.ToLower(x.Name.Local))
		}
	}
}

// TestDrawIsStorage: the cells of a memory are what inspect --storage lists, offset by offset: elements by their
// coordinates, padding, and the first of several elements at one address.
func TestDrawIsStorage(t *testing.T) {
	for _, args := range [][]string{
		{"--shape", "2,3,4,5", "--from", "nhwc"}, {"--shape", "2,6,2,3", "--from", "nchw4"}, {"--shape", "2,6,2,3", "--from", "chwn4"},
		{"--shape", "3,4", "--strides", "6,1", "--offset", "2"}, {"--shape", "3,4", "--strides", "0,2"}, {"--shape", "5", "--strides", "-2", "--offset", "9"},
	} {
		drawn := readCSV(t, tlayout(t, append([]string{"draw", "--label", "coord", "--limit", "0", "-f", "csv"}, args...)...))
		listed := readCSV(t, tlayout(t, append([]string{"inspect", "--storage", "--limit", "0", "-f", "csv"}, args...)...))
		if len(drawn) != len(listed) || len(drawn) < 3 {
			t.Errorf("%q: %d cells, %d places", args, len(drawn), len(listed))
			continue
		}
		for i, place := range listed {
			first, _, _ := strings.Cut(place[2], " ")
			if got, want := drawn[i][1:4], []string{place[0], place[1], first}; !slices.Equal(got, want) {
				t.Errorf("%q: cell %d is %q, expected %q", args, i, got, want)
			}
		}
	}
}

// readCSV returns the rows below the header.
func readCSV(t *testing.T, text string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("%v:\n%s", err, text)
	}
	return rows[1:]
}

// aboveKey cuts a picture before the key of its colors.
func aboveKey(text string) string {
	text, _, _ = strings.Cut(text, "\n\nmore: ")
	return text[:max(0, strings.LastIndex(text, "\n\n"))]
}

var colors = regexp.MustCompile("\x1b\\[[\\d;]*m")

// TestDrawWidth: a picture fits the terminal, has color on request, and says the same without color.
func TestDrawWidth(t *testing.T) {
	path := fixture.NpyFile(t, "x.npy", "<f4", []int{2, 3, 4, 5}, false)
	for _, args := range [][]string{
		{"draw", path, "--layouts", "nchw,nhwc,nChw4c"}, {"draw", path, "--label", "coord,value,byte", "--path", "spatial"},
		{"draw", "--shape", "1,1,10,60", "--limit", "0"}, {"draw", "--shape", "2,64,3,3", "--wrap", "64", "--path", "channel"},
	} {
		for _, columns := range []int{80, 120, 200} {
			o := runIn(t, []func(*cli.Streams){onTerminal(columns)}, args...)
			plain := runIn(t, []func(*cli.Streams){onTerminal(columns), withEnv("NO_COLOR", "1")}, args...)
			if o.code != 0 || plain.code != 0 {
				t.Fatalf("tlayout %s: exit code %d\n%s", args, o.code, o.err)
			}
			if !strings.Contains(o.out, "\x1b[48") && !strings.Contains(o.out, ";48;") || strings.Contains(plain.out, "\x1b") {
				t.Errorf("tlayout %s: no color, or some in spite of NO_COLOR", args)
			}
			if aboveKey(colors.ReplaceAllString(o.out, "")) != aboveKey(plain.out) {
				t.Errorf("tlayout %s: color changes the text", args)
			}
			for line := range strings.SplitSeq(plain.out, "\n") {
				if w := displaywidth.String(line); w > columns && strings.ContainsAny(line, "│┃") {
					t.Errorf("tlayout %s at %d columns: %d columns wide: %s", args, columns, w, line)
				}
			}
		}
	}
	if text := runIn(t, []func(*cli.Streams){func(s *cli.Streams) { s.Unicode = false }}, "draw", path).out; strings.ContainsAny(text, "│┃┌░╂") {
		t.Errorf("no ASCII where the locale has no more:\n%s", text)
	}
}

// TestDrawTerminal: draw refuses to write a PNG to a terminal, and writes it to a pipe.
func TestDrawTerminal(t *testing.T) {
	args := []string{"draw", "--shape", "2,3", "--as", "png", "--scale", "1"}
	o := runIn(t, []func(*cli.Streams){onTerminal(80)}, args...)
	if o.code != 2 || o.out != "" || !strings.Contains(o.err, "hint: write it to a file: -o x.png") {
		t.Errorf("exit code %d, %d bytes of output\n%s", o.code, len(o.out), o.err)
	}
	if out := tlayout(t, args...); !strings.HasPrefix(out, "\x89PNG\r\n") {
		t.Errorf("no PNG: %.20q", out)
	}
}

// TestPageLinks: the link of a page asks for the picture that the page shows, in whatever form its command line was typed; that of a file
// names neither the file nor an option.
func TestPageLinks(t *testing.T) {
	dir := t.TempDir()
	const home = "https://tlayout.github.io/tlayout/"
	link := regexp.MustCompile(`href="(` + home + `[^"]*)"`)
	for _, typed := range []string{
		"draw --shape 2,3,4,5 --from nhwc -o x.html",
		"draw --shape=N=2,H=4,W=5,C=3 x.html --layouts nchw,own --path channel --steps=9 --force",
		"draw --from 'Sw<3,3,3> o (8,64):(64,1)' --dtype fp16 --banks ldmatrix -ox.html",
		"-q --all draw --shape 40x40 --label coord,offset --color-by none -f json -o x.html",
		"draw --shape 2,3 --strides 5,1 --offset 3 --as html --wrap 4 >x.html", "draw --shape 4,4 --dtype int4 --read-as fortran -o x.html",
		"threads '((4,8),(2,2)):((32,1),(16,8))' --tile 16,8 --force -o x.html", "threads --limit 0 -o x.html SM80_16x8x16_F32F16F16F32_TN:A",
	} {
		out := shell(t, dir, "rm -f *.html; tlayout "+typed)
		page, err := os.ReadFile(filepath.Join(dir, "x.html"))
		found := link.FindSubmatch(page)
		if err != nil || found == nil {
			t.Errorf("%s: no page with a link, %v: %s", typed, err, out)
			continue
		}
		asked, err := url.PathUnescape(strings.TrimPrefix(string(found[1]), home+"#"))
		if err != nil || strings.Contains(asked, "html") || strings.Contains(asked, "force") {
			t.Errorf("%s: the link asks %q, %v", typed, asked, err)
		}
		out = shell(t, dir, "tlayout "+asked+" -o y.html")
		if again, err := os.ReadFile(filepath.Join(dir, "y.html")); err != nil || string(again) != string(page) {
			t.Errorf("%s: the link asks %s, which draws something else, %v: %s", typed, asked, err, out)
		}
	}
	path := filepath.Join(dir, "secret.npy")
	if err := os.WriteFile(path, fixture.Must(fixture.Npy("<i4", []int{2, 2}, false)), 0o644); err != nil {
		t.Fatal(err)
	}
	if found := link.FindStringSubmatch(tlayout(t, "draw", path, "--as", "html", "--label", "coord")); found == nil || found[1] != home {
		t.Errorf("the link of a file's page is %q", found)
	}
}
