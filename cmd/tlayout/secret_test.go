package main

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// secret is the signature or the password in URLs.
const secret = "SECRETsecretSECRET"

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

// TestSecretsStay: the query and the password of a URL are never printed, or written to a file, by a command that reads it, writes it, refuses it or repeats its arguments.
// That no name prints them, however it is printed, is TestSecrets of internal/name; that names are printed as names, TestCalls.
func TestSecretsStay(t *testing.T) {
	t.Chdir(t.TempDir())
	x := fixture.Must(fixture.Npy("<f4", []int{1, 3, 4, 5}, false))
	cli.Must(os.WriteFile("x.npy", x, 0o644))
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(strings.TrimSuffix(string(x), r.URL.Query().Get("cut"))))
	}))
	defer h.Close()
	password := strings.Replace(h.URL, "://", "://user:"+secret+"@", 1) + "/x.npy"
	for _, line := range []string{
		"inspect U --verbose", "check U U --accepted-by numpy --json", "convert U --to nhwc -o y.npy --force --verify", "convert U --to nhwc -d out --force --json",
		"convert x.npy --to nhwc -o U", "plan U --to nhwc", "diff U x.npy --all", "draw U -o y.svg --force --json", "formats U", "inspect --U", "guess U", "inspect U:w",
	} {
		for _, url := range []string{h.URL + "/x.npy?X-Amz-Signature=" + secret, password, "s3://user:" + secret + "@b/x.npy?sig=" + secret} {
			o := runIn(t, nil, strings.Fields(strings.ReplaceAll(line, "U", url))...)
			if holdsSecret(o.out + o.err) {
				t.Errorf("tlayout %s of %s:\n%s%s", line, url, o.out, o.err)
			}
		}
	}
	for _, file := range []string{"y.npy", "y.svg", "out/x.nhwc.npy"} {
		if holdsSecret(string(fixture.Must(os.ReadFile(file)))) {
			t.Errorf("%s holds it", file)
		}
	}
}
