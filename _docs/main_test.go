package main

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestCheck: check finds links to files, anchors, pictures and folders that do not exist, and accepts those that do.
func TestCheck(t *testing.T) {
	site := fstest.MapFS{
		"index.html": {Data: []byte(`<a href="docs/">`)},
		"docs/a.svg": {}, "docs/schema/a.json": {},
		"docs/index.html": {Data: []byte(`<link href="data:,"><h1 id="here"><a href="#here"><a href="#gone"><a href="../"><a href="../#inspect%20x">
			<a href="b.html#there"><a href="b.html#here"><a href="c.html"><img src="a.svg"><img src="b.svg"><a href="schema/"><a href="schema"><a href="/b.html"><a href="//h/b.html"><a href="https://example.com/">`)},
		"docs/b.html": {Data: []byte(`<h2 id="there"><a href="index.html"><a href="%">`)},
	}
	external, broken := check(site)
	if want := []string{"https://example.com/"}; !slices.Equal(external, want) {
		t.Errorf("external: %q", external)
	}
	want := []string{"docs/b.html: % leads nowhere"}
	for _, link := range []string{"#gone", "//h/b.html", "/b.html", "b.html#here", "b.svg", "c.html", "schema", "schema/"} {
		want = append(want, "docs/index.html: "+link+" leads nowhere")
	}
	if !slices.Equal(broken, want) {
		t.Errorf("broken: %q", broken)
	}
}

// TestAnchors: headings have the ids of GitHub: html-pipeline's filter TableOfContents removes what matches /[^\p{Word}\- ]/u, and counts.
func TestAnchors(t *testing.T) {
	p := parse("docs/x.md", []byte("# A, `b_c` & d-e\n## *5.* Größe × 内存 [link](y.md)\n## Twice\n## Twice\n"))
	ids := regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(p.html(), -1)
	want := []string{"a-b_c--d-e", "5-größe--内存-link", "twice", "twice-1"}
	for i, id := range ids {
		if len(ids) != len(want) || id[1] != want[i] {
			t.Errorf("%q, expected %q", ids, want)
		}
	}
	if p.Title != "A, b_c & d-e" || p.Name != "x.html" || len(ids) == 0 {
		t.Errorf("title %q, name %q, %d anchors", p.Title, p.Name, len(ids))
	}
}

// TestTargets: links lead to pages, files of docs, or the repository; a file that does not exist stays, and so check finds it.
func TestTargets(t *testing.T) {
	pages := read("..")
	for source, links := range map[string][][2]string{
		"README.md":      {{"docs/guide.md#inspect", "guide.html#inspect"}, {"docs/figures/hero.svg", "figures/hero.svg"}, {"docs/README.md", "index.html"}},
		"docs/guide.md":  {{"why.md", "why.html"}, {"../README.md", "readme.html"}, {"schema/why.json", "schema/why.json"}, {"gone.md", "gone.md"}, {"#x", "#x"}},
		"docs/python.md": {{"../SECURITY.md#a", "https://github.com/tlayout/tlayout/blob/main/SECURITY.md#a"}, {"https://example.com/y.md", "https://example.com/y.md"}},
	} {
		for _, link := range links {
			if got := string(pages[source].target([]byte(link[0]), true, pages, "..")); got != link[1] {
				t.Errorf("%s: %s becomes %s, expected %s", source, link[0], got, link[1])
			}
		}
	}
}

// TestCommands: each command that is a link runs without files.
func TestCommands(t *testing.T) {
	program := filepath.Join(t.TempDir(), "tlayout")
	if out, err := exec.Command("go", "build", "-C", "..", "-o", program, "./cmd/tlayout").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	linked, empty := regexp.MustCompile(`href="\.\./#([^"]+)"`), t.TempDir()
	count := 0
	for _, p := range read("..") {
		for _, match := range linked.FindAllStringSubmatch(p.html(), -1) {
			count++
			arguments := must(url.PathUnescape(strings.NewReplacer("&amp;", "&").Replace(match[1])))
			cmd := exec.Command("sh", "-c", program+" "+arguments)
			cmd.Dir, cmd.Env = empty, []string{"HOME=" + empty}
			if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 1 {
				t.Errorf("%s: %s: %v\n%s", p.Source, arguments, err, out)
			}
		}
	}
	if left := must(os.ReadDir(empty)); count < 50 || len(left) > 0 {
		t.Errorf("%d commands are links, and wrote %v", count, left)
	}
}
