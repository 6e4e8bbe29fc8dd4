package web

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tlayout/tlayout/internal/chromium"
	"github.com/tlayout/tlayout/internal/command/cli"
)

// documents returns the pages of make site in TLAYOUT_TEST_SITE, by their paths below it: the documents, the questions, and those of the root.
func documents(t *testing.T) map[string]string {
	folder := os.Getenv("TLAYOUT_TEST_SITE")
	if folder == "" {
		t.Skip("TLAYOUT_TEST_SITE names no folder of make site")
	}
	pages := map[string]string{}
	var names []string
	for pattern, least := range map[string]int{"docs/*.html": 10, "q/*.html": 300, "*.html": 2} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		cli.Must(err)
		if len(found) < least {
			t.Fatalf("%s/%s: %d pages", folder, pattern, len(found))
		}
		names = append(names, found...)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		cli.Must(err)
		relative, err := filepath.Rel(folder, name)
		cli.Must(err)
		pages[filepath.ToSlash(relative)] = string(text)
	}
	return pages
}

var reference = regexp.MustCompile(` (?:href|src)="([^"#]*)(?:#([^"]*))?"`)

// TestSiteLinks: what a page links to or shows exists: between the documents, and from and to the page of the program.
func TestSiteLinks(t *testing.T) {
	pages := documents(t)
	for name, page := range pages {
		for _, match := range reference.FindAllStringSubmatch(page, -1) {
			target, fragment := match[1], match[2]
			if target == "" || strings.Contains(target, ":") {
				continue
			}
			to := filepath.Join(filepath.Dir(name), target)
			if strings.HasSuffix(target, "/") {
				to = filepath.Join(to, "index.html")
			}
			if _, err := os.Stat(filepath.Join(os.Getenv("TLAYOUT_TEST_SITE"), to)); err != nil {
				t.Errorf("%s: %s: %v", name, match[0], err)
			}
			question := to == "index.html"
			if fragment != "" && !question && !strings.Contains(pages[to], ` id="`+fragment+`"`) {
				t.Errorf("%s: %s: no heading", name, match[0])
			}
		}
	}
}

// TestSiteDocuments: a document has a search, its contents, and the page before or after it; no link is named after a file of Markdown.
func TestSiteDocuments(t *testing.T) {
	for name, page := range documents(t) {
		if !strings.HasPrefix(name, "docs/") {
			continue
		}
		parts := []string{`data-md-component="search-query"`, `class="md-footer__link`, `href="../q/index.html"`}
		if strings.Count(page, "<h2 ") > 1 {
			parts = append(parts, `data-md-component="toc"`)
		}
		for _, part := range parts {
			if !strings.Contains(page, part) {
				t.Errorf("%s has no %s", name, part)
			}
		}
		if named := regexp.MustCompile(`<a [^>]*>[\w/-]+\.md</a>`).FindString(page); named != "" {
			t.Errorf("%s: %s", name, named)
		}
	}
}

// TestBrowserCopy: the button of a command copies the command, without what it prints.
func TestBrowserCopy(t *testing.T) {
	address, b := site(t), chromium.NewTab(t)
	b.Open(address, "docs/questions.html")
	chromium.Value[chromedp.Void](b, `void document.addEventListener("copy", () => { window.copied = document.activeElement.value; })`)
	b.Click("article .highlight button")
	if got := chromium.Value[string](b, `new Promise(done => setTimeout(() => done(window.copied ?? "nothing"), 300))`); got != "tlayout inspect --shape 8,1,28,28 --strides 784,784,28,1" {
		t.Errorf("copied: %q", got)
	}
}

// TestBrowserSearch: the search of the documents finds a page by a word of its text.
func TestBrowserSearch(t *testing.T) {
	address, b := site(t), chromium.NewTab(t)
	b.Open(address, "docs/index.html")
	b.Do(chromedp.Focus(chromedp.CSS("[data-md-component=search-query]")))
	chromium.Value[chromedp.Void](b, `void document.execCommand("insertText", false, "ldmatrix")`)
	b.Do(chromedp.WaitVisible(chromedp.CSS(".md-search-result__link[href*='threads.html']")))
}

// TestBrowserDocuments: no document and no question is wider than a phone. It keeps screenshots in two widths, light and dark.
func TestBrowserDocuments(t *testing.T) {
	pages, address, b := documents(t), site(t), chromium.NewTab(t)
	b.Do(chromedp.EmulateViewport(390, 900))
	for name := range pages {
		if !strings.HasPrefix(name, "docs/") {
			continue
		}
		b.Open(address, name)
		if width := chromium.Value[int](b, "document.documentElement.scrollWidth"); width > 390 {
			t.Errorf("%s is %d pixels wide", name, width)
		}
	}
	for _, width := range []int64{390, 1400} {
		for _, scheme := range []string{"light", "dark"} {
			b.Do(chromium.Media("prefers-color-scheme", scheme), chromedp.EmulateViewport(width, 900))
			for _, name := range []string{"index", "quickstart", "accepted", "figures"} {
				b.Open(address, "docs/"+name+".html")
				b.Picture(t, fmt.Sprintf("docs_%s_%s_%d", name, scheme, width))
			}
		}
	}
}
