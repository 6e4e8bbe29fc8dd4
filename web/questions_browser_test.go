package web

import (
	"compress/gzip"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"

	"github.com/tlayout/tlayout/internal/chromium"
	"github.com/tlayout/tlayout/internal/command/cli"
)

// mostBytes is what a page of a question may have, with its scripts and styles, as GitHub Pages sends it, with gzip: 0.3 s of 1.6 Mbit/s. mostPlain is
// what it may have without gzip: 1 s, which leaves three round trips of 150 ms of the 1.5 s that a first answer may take.
const mostBytes, mostPlain = 60_000, 200_000

// asset matches the scripts and styles that a page loads.
var asset = regexp.MustCompile(`<(?:link rel="stylesheet" href|script src)="([^"]+)"`)

// TestSiteBytes: no page of a question has more than mostBytes.
func TestSiteBytes(t *testing.T) {
	pages, most := documents(t), [2]int{}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		if !strings.HasPrefix(name, "q/") {
			continue
		}
		plain, zipped := len(pages[name]), gzipped(pages[name])
		for _, match := range asset.FindAllStringSubmatch(pages[name], -1) {
			text, err := os.ReadFile(filepath.Join(os.Getenv("TLAYOUT_TEST_SITE"), path.Join("q", match[1])))
			cli.Must(err)
			plain, zipped = plain+len(text), zipped+gzipped(string(text))
		}
		if zipped > mostBytes || plain > mostPlain {
			t.Errorf("%s: %d bytes with gzip, of %d; %d without, of %d", name, zipped, mostBytes, plain, mostPlain)
		}
		most = [2]int{max(most[0], zipped), max(most[1], plain)}
	}
	t.Logf("at most %d bytes with gzip, %d without", most[0], most[1])
}

func gzipped(text string) int {
	var b strings.Builder
	w := gzip.NewWriter(&b)
	fmt.Fprint(w, text)
	cli.Must(w.Close())
	return b.Len()
}

// conditions are the parameters of Network.emulateNetworkConditions: milliseconds, and bytes per second.
type conditions struct {
	Offline            bool    `json:"offline"`
	Latency            float64 `json:"latency"`
	DownloadThroughput float64 `json:"downloadThroughput"`
	UploadThroughput   float64 `json:"uploadThroughput"`
}

var emulate = cdp.Command[conditions, struct{}]{Method: "Network.emulateNetworkConditions"}

// throttle makes a tab's network one of 1.6 Mbit/s with 150 ms of latency.
func throttle() chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulate, conditions{Latency: 150, DownloadThroughput: 200_000, UploadThroughput: 200_000})
		return err
	})
}

// zippedSite serves the site with gzip, as GitHub Pages does.
func zippedSite(t *testing.T) string {
	files := http.FileServer(http.Dir(os.Getenv("TLAYOUT_TEST_SITE")))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close() //nolint:errcheck // the reader is gone then
		files.ServeHTTP(zippedWriter{w, z}, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/"
}

type zippedWriter struct {
	http.ResponseWriter
	zip *gzip.Writer
}

func (w zippedWriter) Write(p []byte) (int, error) { return w.zip.Write(p) }
func (w zippedWriter) WriteHeader(code int) {
	w.Header().Del("Content-Length")
	w.ResponseWriter.WriteHeader(code)
}

// TestBrowserFirstAnswer prints when the answers of pages are painted, on a network of 1.6 Mbit/s with 150 ms of latency, and what they load: not the
// program.
func TestBrowserFirstAnswer(t *testing.T) {
	documents(t)
	address := zippedSite(t)
	for _, page := range []string{"q/nhwc.html", "q/nchw16c.html", "q/tmem-d-n64-c.html", "q/index.html"} {
		t.Run(page, func(t *testing.T) { loadSlowly(t, address, page) })
	}
}

func loadSlowly(t *testing.T, address, page string) {
	b := chromium.NewTab(t)
	b.Do(throttle())
	b.Open(address, page)
	chromium.Value[bool](b, `new Promise(done => { requestAnimationFrame(() => setTimeout(() => done(true), 50)); setTimeout(() => done(false), 3000); })`)
	loaded := chromium.Value[struct {
		Paint, Done float64
		Bytes       int
		Names       []string
	}](b, `(() => {
		const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
		return {Paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1, Done: all[0].loadEventStart,
			Bytes: all.reduce((sum, entry) => sum + entry.transferSize, 0), Names: all.map(entry => entry.name)};
	})()`)
	t.Logf("%s: painted after %.0f ms, all loaded after %.0f ms, %d bytes with gzip", page, loaded.Paint, loaded.Done, loaded.Bytes)
	if loaded.Bytes > mostBytes || loaded.Bytes < 1000 || strings.Contains(strings.Join(loaded.Names, " "), ".wasm") {
		t.Errorf("%s loads %d bytes: %v", page, loaded.Bytes, loaded.Names)
	}
}

// TestBrowserQuestion: the page of a question answers pointing, and Enter asks what was typed there.
func TestBrowserQuestion(t *testing.T) {
	address, b := site(t), chromium.NewTab(t)
	b.Open(address, "q/nhwc.html")
	b.Point(`g[data-panel="1"]`)
	if got := b.Text("[role=status]"); !strings.Contains(got, "offset 0") {
		t.Errorf("the status is %q", got)
	}
	b.Click("#box")
	b.Do(chromium.Key("End"))
	chromium.Value[chromedp.Void](b, `void document.execCommand("insertText", false, " --all")`)
	b.Do(chromium.Key("Enter"))
	until(b, `location.hash === "#formats%20NHWC%20--all" && document.getElementById("box")?.value === "formats NHWC --all"`)
	wait(b)
}

// TestSiteFirst: the page of the program has the answer to the first example, as the program prints it, with its drawing.
func TestSiteFirst(t *testing.T) {
	page := documents(t)["index.html"]
	_, shown, _ := strings.Cut(page, `<section id="answer" aria-labelledby="asked">`)
	out, _ := answer("--shape", "8,3,4,4", "--strides", "48,1,12,3")
	sentence, _, _ := strings.Cut(out, "\n")
	for _, part := range []string{`<p class="head">` + sentence + "</p>", "<svg", "<dt>zero-copy</dt>", `href="#`} {
		if !strings.Contains(shown, part) {
			t.Errorf("the page does not begin with %s", part)
		}
	}
}

// TestBrowserFigures: the figures of the documents answer pointing.
func TestBrowserFigures(t *testing.T) {
	address, b := site(t), chromium.NewTab(t)
	b.Open(address, "docs/figures.html")
	pictures := chromium.Value[int](b, `document.querySelectorAll(".picture g[role=button]:first-of-type").length && document.querySelectorAll(".picture svg").length`)
	if images := chromium.Value[int](b, `document.querySelectorAll("article img").length`); pictures < 14 || images > 0 {
		t.Errorf("%d drawings, %d images", pictures, images)
	}
	b.Point(`.picture:last-of-type g[data-panel="1"]`)
	if got := b.Text(".picture:last-of-type [role=status]"); !strings.Contains(got, "offset") {
		t.Errorf("the status is %q", got)
	}
}

// TestBrowserQuestionWidths: no question is wider than a phone. The contents of all are shown in one page, which may request them.
func TestBrowserQuestionWidths(t *testing.T) {
	pages, address, b := documents(t), site(t), chromium.NewTab(t)
	b.Do(chromedp.EmulateViewport(390, 900))
	b.Open(address, "index.html#formats%20nhwc")
	wait(b)
	chromium.Value[bool](b, `new Promise(done => document.head.append(make("link", {rel: "stylesheet", href: "q/question.css", onload: () => done(true)})))`)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(pages)), func(name string) bool { return !strings.HasPrefix(name, "q/") })
	for some := range slices.Chunk(names, 20) {
		wide := chromium.Value[[]string](b, fmt.Sprintf(`(async names => {
			const wide = [];
			for (const name of names) {
				const text = await (await fetch(name)).text();
				document.body.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.children);
				const width = document.documentElement.scrollWidth;
				if (width > 390 || document.querySelectorAll("main").length !== 1) wide.push(name + ": " + width);
			}
			return wide;
		})("%s".split(" "))`, strings.Join(some, " ")))
		if len(wide) > 0 {
			t.Errorf("too wide: %v", wide)
		}
	}
}

// TestBrowserQuestionAccess: axe-core finds nothing on pages of questions, as in TestBrowserAccess.
func TestBrowserQuestionAccess(t *testing.T) {
	name := os.Getenv("TLAYOUT_TEST_AXE")
	if name == "" {
		t.Skip("TLAYOUT_TEST_AXE names no axe.min.js, which make verify-web installs")
	}
	axe, err := os.ReadFile(name)
	cli.Must(err)
	address, b := site(t), chromium.NewTab(t)
	for _, scheme := range []string{"light", "dark"} {
		b.Do(chromium.Media("prefers-color-scheme", scheme))
		for _, page := range []string{"q/index.html", "q/nhwc.html", "q/ldmatrix-x4-dst.html", "q/which-frameworks-accept-negative-strides-what-can-i-use-instead.html",
			"q/given-groups-1-weight-of-size-64-3-7-7-expected-input.html", "q/kdla_linear.html"} {
			b.Open(address, page)
			chromium.Value[chromedp.Void](b, string(axe)+"; void 0")
			found := chromium.Value[[]violation](b, `axe.run({resultTypes: ["violations"]}).then(found => found.violations.map(({id, help, nodes}) =>
				({id, help, nodes: nodes.slice(0, 3).map(({html, failureSummary}) => ({html: html.slice(0, 200), failureSummary}))})))`)
			for _, v := range found {
				t.Errorf("%s, %s: %s: %s %+v", scheme, page, v.ID, v.Help, v.Nodes)
			}
		}
	}
}

// TestBrowserQuestionLooks keeps screenshots of questions in three widths, light and dark.
func TestBrowserQuestionLooks(t *testing.T) {
	address, b := site(t), chromium.NewTab(t)
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{390, 800, 1400} {
			b.Do(chromium.Media("prefers-color-scheme", scheme), chromedp.EmulateViewport(width, 900))
			for _, name := range []string{"index", "nhwc", "ldmatrix-x4-dst", "given-groups-1-weight-of-size-64-3-7-7-expected-input"} {
				b.Open(address, "q/"+name+".html")
				left := chromium.Value[[]float64](b, `["main", "h1"].map(name => document.querySelector(name).getBoundingClientRect().left)`)
				if left[0] != left[1] {
					t.Errorf("%s at %d pixels: the title begins at %v, its column at %v", name, width, left[1], left[0])
				}
				b.Picture(t, fmt.Sprintf("q_%.12s_%s_%d", name, scheme, width))
			}
		}
	}
}
