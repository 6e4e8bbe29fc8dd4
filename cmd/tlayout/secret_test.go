package main

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// secret is the signature or the password in URLs.
const secret = "SECRETsecretSECRET"

// sourced are commands that read the source U, in every place that names a source.
var sourced = []string{
	"inspect U --verbose", "U", "inspect U U", "inspect U --offsets --limit 2", "inspect U --all", "inspect U:w", "inspect x.npy U --storage --limit 2", "inspect @list",
	"check U --packed --finite", "check U --weights-only", "check U --layout nhwc", "check U U --accepted-by numpy", "convert U --to nhwc", "convert U --to nhwc -o y.npy --force --verify", "convert U -o -",
	"convert U --to nhwc -d out --force", "convert U x.npy --to nhwc -d out --force", "convert U --to nhwc --dry-run", "convert x.npy --to nhwc -o U", "convert x.npy --to nhwc -d U",
	"plan U --to nhwc", "trace U T", "trace U T --values --limit 2", "offset U 0,0,0,0", "offset U --at 3", "diff U x.npy", "diff x.npy U", "diff U U", "diff U U --all",
	"draw U", "draw U --label value", "draw U --as svg", "draw U --as html", "draw U -o y.svg --force", "bench U BAD", "formats U", "formats nhwc U", "why U", "guess U", "help U", "inspect --U", "plan U", "plan x.npy --to U", "bench x.npy --baseline U", "check U --from U", "inspect --shape 2,3 --layout U",
}

// sourceless are commands without a source.
var sourceless = []string{"help", "completion", "version", "threads"} // also help topics, which do not run

// holdsSecret reports whether a text, or base64 in it, contains the secret.
func holdsSecret(text string) bool {
	for before := range 3 {
		code := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + secret))
		if strings.Contains(text, code[4:20]) {
			return true
		}
	}
	return strings.Contains(text, secret)
}

// The query and the password of a URL, which may be secret, are never printed or written to a file, by any command that takes a source, in
// any format, whether the source is valid, malformed, missing or unreachable.
func TestSecretsStay(t *testing.T) {
	url := serveSigned(t)
	signed := "?X-Amz-Signature=" + secret + "&sig=" + secret
	gone := httptest.NewServer(nil)
	gone.Close()
	sources := map[string]string{
		"right": url + "/x.npy" + signed, "archive": url + "/z.npz" + signed, "checkpoint": url + "/m.pt" + signed, "garbage": url + "/bad.npy" + signed,
		"cut": url + "/cut.npy" + signed, "absent": url + "/none.npy" + signed, "not UTF-8": url + "/\xff.npy" + signed,
		"password": strings.Replace(url, "://", "://user:"+secret+"@", 1) + "/x.npy", "no host": "http:///x.npy" + signed,
		"no such store": "s3://user:" + secret + "@bucket/x.npy" + signed, "no such scheme": "ftp://bucket/x.npy" + signed, "gone": gone.URL + "/x.npy" + signed,
	}
	formats := []string{"table", "json", "csv", "markdown"}
	var runs, answered int
	var mu sync.Mutex
	run := func(line, source string, format string) {
		args := strings.Fields(strings.NewReplacer("BAD", quick, "@list", "@-").Replace(line))
		for i, arg := range args {
			args[i] = strings.Replace(arg, "U", source, 1)
		}
		in := func(s *cli.Streams) { s.In = strings.NewReader(source + "\n") }
		o := runIn(t, []func(*cli.Streams){in}, append(args, "-f", format)...)
		if holdsSecret(o.out + o.err) {
			t.Errorf("tlayout %q -f %s:\n%s%s", args, format, o.out, o.err)
		}
		mu.Lock()
		defer mu.Unlock()
		if runs++; o.code <= 1 {
			answered++
		}
	}
	var wait sync.WaitGroup
	tested := map[string]bool{}
	for i, line := range sourced {
		tested[strings.Fields(line)[0]] = true
		for state, source := range sources {
			switch {
			case state == "gone": // retried, with pauses
				wait.Go(func() { run(line, source, formats[i%4]) })
			case strings.Contains(line, "BAD") && state == "right":
				for _, format := range append(formats, "gobench") {
					run(line, source, format)
				}
			case state == "right", state == "archive", state == "checkpoint":
				for _, format := range formats {
					run(line, source, format)
				}
			default: // errors are lines of text or JSON
				run(line, source, formats[i%2])
			}
		}
	}
	wait.Wait()
	for _, c := range command.NewRoot(&cli.App{Streams: &cli.Streams{}}).Commands() {
		if c.Runnable() && !tested[c.Name()] && !slices.Contains(sourceless, c.Name()) {
			t.Errorf("%s is not tested", c.Name())
		}
	}
	if answered < 200 {
		t.Errorf("of %d runs only %d answered", runs, answered)
	}
	t.Logf("%d runs, %d answered", runs, answered)
	cli.Must(filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && holdsSecret(path+string(fixture.Must(os.ReadFile(path)))) {
			t.Errorf("%s holds it", path)
		}
		return err
	}))
}

// serveSigned serves the files of a new working folder, among them x.npy, to URLs with the secret.
func serveSigned(t *testing.T) (url string) {
	t.Helper()
	archive, model := fixture.Must(os.ReadFile("../../testdata/weights.npz")), fixture.Must(os.ReadFile("../../testdata/model.pt"))
	t.Chdir(t.TempDir())
	x := fixture.Must(fixture.Npy("<f4", []int{1, 3, 4, 5}, false))
	cli.Must(os.WriteFile("x.npy", x, 0o644))
	files := map[string][]byte{"/x.npy": x, "/\xff.npy": x, "/z.npz": archive, "/m.pt": model, "/bad.npy": []byte("garbage " + fmt.Sprint(x)), "/cut.npy": x[:len(x)-1]}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, found := files[r.URL.Path]
		if !found || r.URL.Query().Get("sig") != secret {
			http.Error(w, "no "+r.URL.String(), http.StatusNotFound)
			return
		}
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(content)))
	}))
	t.Cleanup(h.Close)
	return h.URL
}
