package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/command/fixture"
)

// offered is a line that offers a command for a member of an archive.
var offered = regexp.MustCompile(`(?m)^(- )?inspect one array without reading the others: .*\n\n?`)

// serve serves a folder over http with version headers, and counts requests.
func serve(t *testing.T, dir string) (url string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if info, err := os.Stat(filepath.Join(dir, r.URL.Path)); err == nil {
			w.Header().Set("ETag", fmt.Sprintf(`"%d-%d"`, info.Size(), info.ModTime().UnixNano()))
		}
		http.ServeFile(w, r, filepath.Join(dir, r.URL.Path))
	}))
	t.Cleanup(h.Close)
	return h.URL, requests
}

const query = "?sig=hidden" // as of a signed URL

// Every command answers the same for a URL as for the file, in every format, needs few requests for a header, and never shows a URL's query.
func TestURL(t *testing.T) {
	url, requests := serve(t, testdataDir)
	t.Chdir(testdataDir)
	for _, c := range []struct {
		most int64 // requests
		args []string
	}{
		{1, []string{"inspect", "x.npy"}},
		{2, []string{"inspect", "x.npy", "--offsets", "--limit", "5"}},
		{3, []string{"inspect", "weights.npz"}},
		{2, []string{"inspect", "m.safetensors"}},
		{2, []string{"inspect", "model.pt"}},
		{2, []string{"inspect", "checkpoints/q4.gguf"}},
		{8, []string{"inspect", "checkpoints/model.safetensors.index.json"}},
		{1, []string{"check", "x.npy", "--contiguous", "c"}},
		{2, []string{"check", "x.npy", "--finite"}},
		{2, []string{"offset", "x.npy", "0", "1", "0", "1"}},
		{1, []string{"trace", "x.npy", "permute(0,2,3,1)"}},
		{4, []string{"diff", "x.npy", "x.npy"}},
		{14, []string{"diff", "m.safetensors", "m.safetensors"}},
	} {
		if _, err := os.Stat(c.args[1]); err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"table", "json", "csv", "markdown"} {
			here, there := append([]string{}, c.args...), append([]string{}, c.args...)
			for i, arg := range c.args {
				if i > 0 && filepath.Ext(arg) != "" && !strings.Contains(arg, "(") {
					there[i] = url + "/" + arg + query
				}
			}
			requests.Store(0)
			want, got := runIn(t, nil, append(here, "-f", format)...), runIn(t, nil, append(there, "-f", format)...)
			plain := strings.NewReplacer(url+"/", "", strings.Replace(url, ":", `\:`, 1)+"/", "", "?…", "", "'", "").Replace(got.out)
			local := offered.ReplaceAllString(strings.ReplaceAll(want.out, "'", ""), "") // no command names a URL whose query is not shown
			if blanks(plain) != blanks(local) || got.code != want.code || want.code > 1 {
				t.Errorf("%q, %s: exit code %d, expected %d\n%s\nexpected\n%s%s", c.args, format, got.code, want.code, got.out, want.out, got.err)
			}
			if n := requests.Load(); n > c.most {
				t.Errorf("%q: %d requests, at most %d expected", c.args, n, c.most)
			}
			if strings.Contains(got.out+got.err, "hidden") {
				t.Errorf("%q, %s shows the URL's query:\n%s%s", c.args, format, got.out, got.err)
			}
		}
	}
}

// blanks collapses blanks and removes rules, which depend on the lengths of names.
func blanks(s string) string {
	return strings.Join(strings.Fields(mapsCall.ReplaceAllString(strings.ReplaceAll(s, "─", ""), `"mmap":null`)), " ")
}

// mapsCall matches NumPy's call that maps an array of a file, which does not apply to URLs.
var mapsCall = regexp.MustCompile(`"mmap":"[^"]*"`)

// convert makes the same result from a URL as from the file, and errors do not show a URL's query.
func TestConvertURL(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	content := fixture.Must(fixture.Npy("float32", []int{2, 32, 60, 60}, false))
	checkpoint := fixture.Must(os.ReadFile(filepath.Join(testdataDir, "m.safetensors")))
	for name, content := range map[string][]byte{"x.npy": content, "m.safetensors": checkpoint} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	url, requests := serve(t, dir)
	tlayout(t, "convert", "x.npy", "-o", "here.nhwc.npy")
	tlayout(t, "convert", url+"/x.npy"+query, "-o", "there.nhwc.npy", "--verify")
	if n := requests.Load(); n != 2 {
		t.Errorf("%d requests, expected one for the header and one for the data", n)
	}
	here, there := fixture.Must(os.ReadFile("here.nhwc.npy")), fixture.Must(os.ReadFile("there.nhwc.npy"))
	if string(here) != string(there) {
		t.Error("the result is another")
	}
	for _, c := range []struct {
		text string
		code int
		args []string
	}{
		{"missing --output", 2, []string{"convert", url + "/x.npy" + query, "--to", "nhwc"}},
		{", more than the limit of 1024 bytes", 5, []string{"convert", url + "/x.npy" + query, "-o", "y.nhwc.npy", "--max-download", "1KiB"}},
		{"http is read-only", 2, []string{"convert", "x.npy", "--to", "nhwc", "-o", url + "/y.npy" + query}},
		{"404 Not Found", 5, []string{"convert", url + "/none.npy" + query, "-o", "y.nhwc.npy"}},
		{"404 Not Found", 5, []string{"inspect", url + "/none.pt:w" + query}},
		{"is not in this build", 4, []string{"inspect", "s3://bucket/x.npy" + query}},
		{"has no tensor", 2, []string{"inspect", url + "/m.safetensors" + query + ":none"}},
	} {
		for _, format := range []string{"table", "json"} {
			o := runIn(t, nil, append(c.args, "-f", format)...)
			if o.code != c.code || !strings.Contains(o.err, c.text) || strings.Contains(o.out+o.err, "hidden") {
				t.Errorf("%q: exit code %d\n%s%s", c.args, o.code, o.out, o.err)
			}
		}
	}
}

// A file that changes between header and data is refused, and nothing is written.
func TestURLChanged(t *testing.T) {
	t.Chdir(t.TempDir())
	content := fixture.Must(fixture.Npy("float32", []int{2, 32, 60, 60}, false))
	var requests atomic.Int64
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", fmt.Sprintf(`"%d"`, min(requests.Add(1), 2)))
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(content)))
	}))
	defer h.Close()
	o := runIn(t, nil, "convert", h.URL+"/x.npy", "-o", "y.nhwc.npy")
	if _, err := os.Stat("y.nhwc.npy"); o.code != 5 || !strings.Contains(o.err, "input changed while reading") || err == nil {
		t.Errorf("exit code %d, %s", o.code, o.err)
	}
}
