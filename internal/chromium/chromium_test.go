package chromium

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestMain(m *testing.M) { Main(m) }

// TestBrowserNotices: each action that NewTab forbids is noticed; a quiet page that uses its own data is not.
func TestBrowserNotices(t *testing.T) {
	b := openTab(t)
	for _, c := range []struct{ body, want string }{
		{`<link rel="icon" href="data:,"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">`, ""},
		{`<script>console.log(1)</script>`, ""},
		{`<script>throw new Error("thrown")</script>`, "thrown"},
		{`<script>setTimeout(() => { throw new RangeError("late") })</script>`, "late"},
		{`<script>Promise.reject(new Error("rejected"))</script>`, "rejected"},
		{`<script>console.error("loud", 7)</script>`, `console: error: "loud" 7`},
		{`<script>console.warn("wary")</script>`, "wary"},
		{`<script>alert("boo")</script>`, `alert("boo")`},
		{`<img src="other.png">`, "other.png"},
		{`<script>fetch("http://127.0.0.1:9/x").catch(() => 0)</script>`, "127.0.0.1:9/x"},
		{`<style>p { background: url(http://127.0.0.1:9/css) }</style><p>x`, "127.0.0.1:9/css"},
	} {
		b.Load("<!doctype html><meta charset=utf-8><title>x</title>"+c.body, "#at=1")
		Value[int](b, "new Promise(done => setTimeout(() => done(1)))")
		got := strings.Join(b.quiet(), "\n")
		if c.want == "" && got != "" || c.want != "" && !strings.Contains(got, c.want) {
			t.Errorf("%s: noticed %q, want %q", c.body, got, c.want)
		}
	}
}

// TestBrowserValue: expressions and promises come back as Go values, and the fragment reaches the page.
func TestBrowserValue(t *testing.T) {
	b := NewTab(t)
	b.Load("<!doctype html><title>x</title>", "#layout=nhwc")
	if got := Value[[]int64](b, "Promise.resolve([1, 2**53 - 1])"); !slices.Equal(got, []int64{1, 1<<53 - 1}) {
		t.Error(got)
	}
	if got := Value[string](b, "location.hash"); got != "#layout=nhwc" {
		t.Error(got)
	}
}

// TestBrowserSite: a page of a site may request what is below its address, and nothing else.
func TestBrowserSite(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(`<!doctype html><title>x</title><link rel="icon" href="data:,">` + r.URL.Path)) //nolint:errcheck // the test notices
	}))
	t.Cleanup(site.Close)
	b := openTab(t)
	for path, quiet := range map[string]bool{"/sub/other": true, "/other": false} {
		b.Open(site.URL+"/sub/", "page?x#y")
		Value[string](b, "fetch('"+path+"').then(answer => answer.text())")
		if got := b.quiet(); (len(got) == 0) != quiet {
			t.Errorf("%s: noticed %q", path, got)
		}
	}
}
