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

// documents returns the pages of make site in TLAYOUT_TEST_SITE, by their paths below it.
func documents(t *testing.T) map[string]string {
	folder := os.Getenv("TLAYOUT_TEST_SITE")
	if folder == "" {
		t.Skip("TLAYOUT_TEST_SITE names no folder of make site")
	}
	names, err := filepath.Glob(filepath.Join(folder, "docs", "*.html"))
	cli.Must(err)
	if len(names) < 10 {
		t.Fatalf("%s/docs has %d pages", folder, len(names))
	}
	pages := map[string]string{}
	for _, name := range append(names, filepath.Join(folder, "index.html")) {
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

// TestBrowserSearch: the search of the documents finds a page by a word of its text.
func TestBrowserSearch(t *testing.T) {
	address, b := site(t), chromium.NewTab(t)
	b.Open(address, "docs/index.html")
	b.Do(chromedp.Focus(chromedp.CSS("[data-md-component=search-query]")))
	chromium.Value[chromedp.Void](b, `void document.execCommand("insertText", false, "ldmatrix")`)
	b.Do(chromedp.WaitVisible(chromedp.CSS(".md-search-result__link[href*='threads.html']")))
}

// TestBrowserDocuments: no document is wider than a phone. It keeps screenshots in two widths, light and dark.
func TestBrowserDocuments(t *testing.T) {
	pages, address, b := documents(t), site(t), chromium.NewTab(t)
	delete(pages, "index.html")
	b.Do(chromedp.EmulateViewport(390, 900))
	for name := range pages {
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
