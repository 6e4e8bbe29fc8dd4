package cloud

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestNoCredentials: without credentials, a region or an account, every store prints one error and a hint; the SDKs print nothing, least of
// all to standard output.
func TestNoCredentials(t *testing.T) {
	denied := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer denied.Close()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	key := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(key, []byte(`{"type": "service_account"`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ url, variable, value, err, hint string }{
		{"gs://bucket/x.npy", "", "", "no Google Cloud credentials found", "anonymous=true"},
		{"gs://bucket/x.npy", "GOOGLE_APPLICATION_CREDENTIALS", key, "unexpected end of JSON input", "GOOGLE_APPLICATION_CREDENTIALS"},
		{"gs://bucket/x.npy", "GCE_METADATA_HOST", "127.0.0.1:1", "cannot connect to 127.0.0.1:1: connection refused", "anonymous=true"},
		{"gs://bucket/x.npy", "GCE_METADATA_HOST", silent.Listener.Addr().String(), "no token received for 4s", "anonymous=true"},
		{"gs://bucket/x.npy?anonymous=true", "HTTPS_PROXY", denied.URL, "Forbidden", ""},
		{"s3://bucket/x.npy?region=us-east-1", "AWS_EC2_METADATA_SERVICE_ENDPOINT", denied.URL, "no EC2 IMDS role found", "AWS_PROFILE"},
		{"s3://bucket/x.npy?region=us-east-1", "AWS_EC2_METADATA_SERVICE_ENDPOINT", silent.URL, "no EC2 IMDS role found", "AWS_PROFILE"},
		{"azblob://bucket/x.npy", "", "", "no storage account is named", "AZURE_STORAGE_ACCOUNT"},
		{"azblob://bucket/x.npy", "AZURE_STORAGE_ACCOUNT", "account", "access denied to Azure's default credentials", "az login"},
	} {
		says(t, map[string]string{c.variable: c.value}, c.err, c.hint, "inspect", c.url)
	}
}

// says runs the program. It checks that the program ends soon and prints one error, the hint if it is not "", and nothing else.
func says(t *testing.T, environ map[string]string, text, hint string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second) // 5 s, on a slow machine
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = []string{workerVariable + "=-", "HOME=" + t.TempDir(), "PATH=/usr/bin:/bin"}
	for name, value := range environ {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	cmd.Run() //nolint:errcheck // the state has the exit code
	took := time.Since(began)
	want := []string{"tlayout: error: "}
	if hint != "" {
		want = append(want, "tlayout: hint: ")
	}
	lines := strings.Split(strings.TrimSuffix(errs.String(), "\n"), "\n")
	ok := cmd.ProcessState.ExitCode() == 5 && out.Len() == 0 && len(lines) == len(want) && strings.Contains(lines[0], text)
	for i := range min(len(lines), len(want)) {
		ok = ok && strings.HasPrefix(lines[i], want[i])
	}
	if !ok || !strings.Contains(lines[len(lines)-1], hint) {
		t.Errorf("%q: exit code %d after %v, expected %q\n%s\n%s", args, cmd.ProcessState.ExitCode(), took, text, out.String(), errs.String())
	}
	t.Logf("%.1f s: %s", took.Seconds(), lines[0])
}

// TestMessages: what is missing, refused or not there is named.
func TestMessages(t *testing.T) { onEach(t, testMessages) }

func testMessages(t *testing.T, g *gateway) {
	g.put(t, "x.npy", array(t, 1, 2, 3, 4, 5))
	none := strings.Replace(g.url("x.npy"), g.name, "none", 1)
	missing := g.kind.container + " \"none\" does not exist"
	here := g.environ(g.via)
	says(t, here, "no such object", "", "inspect", g.url("y.npy"))
	says(t, here, missing, "", "inspect", none)
	says(t, here, missing, "", "inspect", strings.Replace(none, "x.npy", "", 1))
	says(t, here, missing, "", "convert", g.url("x.npy"), "--to", "nhwc", "-o", none)

	stranger := maps.Clone(here)
	maps.Copy(stranger, g.stranger)
	if g.stranger == nil {
		t.Log("the server accepts any credentials: the proxy refuses them")
		refuse := hook(func(w http.ResponseWriter, r *http.Request) bool { w.WriteHeader(http.StatusForbidden); return true })
		g.hook.Store(&refuse)
	}
	says(t, stranger, "access denied to "+g.who, "set ", "inspect", g.url("x.npy"))
	says(t, stranger, "access denied to "+g.who, "set ", "inspect", g.url(""))
	says(t, stranger, "access denied to "+g.who, "set ", "convert", g.url("x.npy"), "--to", "nhwc", "-o", g.url("y.npy"))

	g.via = "127.0.0.1:1"
	says(t, g.environ(g.via), "cannot connect to 127.0.0.1:1: connection refused", "", "inspect", g.url("x.npy"))
	says(t, g.environ(g.via), "cannot connect to 127.0.0.1:1: connection refused", "", "inspect", g.url(""))
	says(t, g.environ(g.via), "cannot connect to 127.0.0.1:1: connection refused", "", "convert", g.url("x.npy"), "--to", "nhwc")
}

// TestPatience: a store that is busy at first is tried again.
func TestPatience(t *testing.T) { onEach(t, testPatience) }

func testPatience(t *testing.T, g *gateway) {
	g.put(t, "x.npy", array(t, 1, 2, 3, 4, 5))
	var busy atomic.Int64
	refuse := hook(func(w http.ResponseWriter, _ *http.Request) bool {
		if busy.Add(-1) < 0 {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	g.hook.Store(&refuse)
	for _, args := range [][]string{{"inspect", g.url("x.npy")}, {"inspect", g.url("")}} {
		busy.Store(attempts + 1) // more than the SDK's
		if code, _, errs := run(args...); code != 0 || busy.Load() >= 0 {
			t.Errorf("%q: exit code %d, %s", args, code, errs)
		}
	}
	busy.Store(1 << 62)
	began := time.Now()
	code, _, errs := run("inspect", g.url("x.npy"))
	if code != 5 || strings.Contains(errs, "code=Unknown") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	t.Logf("always busy: %.1f s: %s", time.Since(began).Seconds(), errs)
}

// TestRegion: a bucket in another region, which S3 answers with 301, is not absent.
func TestRegion(t *testing.T) {
	moved := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMovedPermanently) }))
	defer moved.Close()
	says(t, map[string]string{"AWS_ENDPOINT_URL": moved.URL}, "in another region", "AWS_REGION",
		"inspect", "s3://bucket/x.npy?region=eu-west-1&anonymous=true")
}
