package cloud

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoCredentials: without credentials, a region or an account, every store prints one error and a hint; the SDKs print nothing, least of
// all to standard output.
func TestNoCredentials(t *testing.T) {
	denied := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer denied.Close()
	home := t.TempDir()
	key := filepath.Join(home, "key.json")
	if err := os.WriteFile(key, []byte(`{"type": "service_account"`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ url, env, err, hint string }{
		{"gs://bucket/x.npy", "", "no Google Cloud credentials found", "anonymous=true"},
		{"gs://bucket/x.npy", "GOOGLE_APPLICATION_CREDENTIALS=" + key, "unexpected end of JSON input", "environment variables or files"},
		{"gs://bucket/x.npy?anonymous=true", "HTTPS_PROXY=" + denied.URL, "Forbidden", ""},
		{"s3://bucket/x.npy?region=us-east-1", "AWS_EC2_METADATA_SERVICE_ENDPOINT=" + denied.URL, "no EC2 IMDS role found", ""},
		{"azblob://bucket/x.npy", "", "AccountName is required", "environment variables or files"},
	} {
		cmd := exec.Command(os.Args[0], "inspect", c.url)
		cmd.Env = []string{workerVariable + "=-", "HOME=" + home, "PATH=/usr/bin:/bin", c.env}
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		cmd.Run() //nolint:errcheck // the state has the exit code
		lines := strings.Split(strings.TrimSuffix(errs.String(), "\n"), "\n")
		want := []string{"tlayout: error: "}
		if c.hint != "" {
			want = append(want, "tlayout: hint: ")
		}
		ok := cmd.ProcessState.ExitCode() == 5 && out.Len() == 0 && len(lines) == len(want) && strings.Contains(lines[0], c.err)
		for i := range min(len(lines), len(want)) {
			ok = ok && strings.HasPrefix(lines[i], want[i])
		}
		if !ok || !strings.Contains(lines[len(lines)-1], c.hint) {
			t.Errorf("%s %s: exit code %d\n%s\n%s", c.url, c.env, cmd.ProcessState.ExitCode(), out.String(), errs.String())
		}
	}
}
