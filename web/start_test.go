package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tlayout/tlayout/internal/chromium"
	"github.com/tlayout/tlayout/internal/command/cli"
)

// TestBrowserStart: the first screen has an answer with its drawing; examples stay in sight; title and history name the question; the heading
// leads back.
func TestBrowserStart(t *testing.T) {
	b := open(t, "")
	const sight = `["#picture svg", "#examples a", "#head"].map(s => document.querySelector(s)?.checkVisibility() ?? false).join()`
	if got := chromium.Value[string](b, sight); got != "true,true,true" || !strings.Contains(b.Text("#head"), "NHWC, channels_last contiguous") {
		t.Errorf("drawing, examples, answer in sight: %s; %q", got, b.Text("#head"))
	}
	ask(b, "formats nhwc")
	if got := chromium.Value[string](b, "document.title"); got != "formats nhwc · tlayout" {
		t.Errorf("the title is %q", got)
	}
	// The mouse may press and release on different places while the answer is drawn.
	chromium.Value[chromedp.Void](b, `void document.querySelector("#examples a").click()`)
	until(b, `shown.line === examples[0][1] && document.title.startsWith("--shape 8,3,4,4")`)
	if got := chromium.Value[string](b, sight); got != "true,true,true" {
		t.Errorf("after an answer: drawing, examples, answer in sight: %s", got)
	}
	b.Click("#home")
	until(b, `document.getElementById("box").value === "" && location.hash === "" && document.title.startsWith("tlayout")`)
	chromium.Value[chromedp.Void](b, "void history.back()")
	until(b, `document.getElementById("box").value.startsWith("--shape 8,3,4,4") && document.title.startsWith("--shape 8,3,4,4")`)
}

// TestBrowserFirst: an answer that the build has put into the page is in sight before the program is, and the program's takes its place.
func TestBrowserFirst(t *testing.T) {
	site(t)
	folder, arrived := os.Getenv("TLAYOUT_TEST_SITE"), make(chan struct{})
	files := http.FileServer(http.Dir(folder))
	page, err := os.ReadFile("index.html") // without the answer of make site
	cli.Must(err)
	built := strings.NewReplacer(`aria-labelledby="asked" hidden`, `aria-labelledby="asked"`, `<div id="head"></div>`, `<div id="head"><p>built in</p></div>`).Replace(string(page))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			io.WriteString(w, built) //nolint:errcheck // the page would not load
		case "/tlayout.wasm":
			<-arrived
			files.ServeHTTP(w, r)
		default:
			files.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	b := chromium.NewTab(t)
	b.Open(s.URL+"/", "")
	if got := chromium.Value[string](b, `document.getElementById("answer").checkVisibility() + document.getElementById("head").textContent`); got != "truebuilt in" {
		t.Errorf("before the program: %q", got)
	}
	close(arrived)
	until(b, `document.getElementById("head").textContent.includes("NHWC, channels_last contiguous")`)
}

// TestBrowserPaper: on paper there are the question, its answer and the drawing, without the box and the buttons.
func TestBrowserPaper(t *testing.T) {
	b := open(t, "#draw%20--shape%202%2C3")
	b.Do(chromium.Paper())
	got := chromium.Value[string](b, `["#box", "#examples a", "#answer button", "footer", "#asked", "#picture svg"].map(s => document.querySelector(s).checkVisibility()).join()`)
	if got != "false,false,false,false,true,true" {
		t.Errorf("visible: %s", got)
	}
}

// TestBrowserPaste: a pasted text is asked, unless it is pasted into a line.
func TestBrowserPaste(t *testing.T) {
	b := open(t, "")
	const paste = `void (() => { const box = document.getElementById("box"); box.focus(); box.dispatchEvent(new ClipboardEvent("paste", {bubbles: true}));
		document.execCommand("insertText", false, "formats nhwc"); })()`
	chromium.Value[chromedp.Void](b, `void fill("why "), document.getElementById("box").setSelectionRange(4, 4)`)
	chromium.Value[chromedp.Void](b, paste)
	chromium.Value[chromedp.Void](b, `new Promise(done => setTimeout(done, 300))`)
	if got := chromium.Value[string](b, `document.getElementById("box").value + "|" + location.hash`); got != "why formats nhwc|" {
		t.Errorf("pasted into a line: %q", got)
	}
	chromium.Value[chromedp.Void](b, `void document.getElementById("box").select()`)
	chromium.Value[chromedp.Void](b, paste)
	until(b, `shown.line === "formats nhwc"`)
}

// TestBrowserFailure: without the program the page says what is missing, and goes on saying it, with a question in the address too.
func TestBrowserFailure(t *testing.T) {
	site(t)
	files := http.FileServer(http.Dir(os.Getenv("TLAYOUT_TEST_SITE")))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".wasm") {
			http.NotFound(w, r)
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	b := chromium.NewTab(t)
	for _, fragment := range []string{"", "#formats%20nhwc"} {
		b.Open(s.URL+"/", "index.html"+fragment)
		until(b, `!document.getElementById("status").textContent.startsWith("Loading")`)
		chromium.Value[chromedp.Void](b, `new Promise(done => setTimeout(done, 500))`)
		if got := b.Text("#status"); !strings.Contains(got, "tlayout.wasm: 404") {
			t.Errorf("%q: it says %q", fragment, got)
		}
		b.Open("about:blank", "")
	}
}

// TestBrowserOffline: after the first visit the page answers without a server.
func TestBrowserOffline(t *testing.T) {
	site(t)
	s := httptest.NewServer(http.FileServer(http.Dir(os.Getenv("TLAYOUT_TEST_SITE"))))
	defer s.Close()
	b := chromium.NewTab(t)
	b.Open(s.URL+"/", "index.html")
	wait(b)
	until(b, `(window.ready ??= (navigator.serviceWorker.ready.then(() => { window.kept = true; }), true)) && window.kept === true`)
	s.CloseClientConnections()
	s.Close()
	b.Open(s.URL+"/", "?#formats%20nhwc") // loads the page anew
	until(b, `typeof shown === "object" && shown.line === "formats nhwc"`)
	ask(b, "photo.npy")
	if got := b.Text("#head"); !strings.HasPrefix(got, "photo.npy: uint8") {
		t.Errorf("%q %q %q", got, b.Text("#err"), b.Text("#status"))
	}
}
