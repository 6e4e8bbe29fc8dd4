// Package golden compares what tests make with files that are kept. go test -update writes the files anew.
package golden

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update says that golden files are to be written.
var Update = flag.Bool("update", false, "write golden files and the output in scripts anew")

// Compare fails the test where the file at path does not hold got.
func Compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got)\n%s", path, diff)
	}
}

// Hostile are texts that would steer a terminal, end an element, or be wider or narrower than they are long.
var Hostile = []string{
	"", "nchw", "\x1b[31mred\x1b[0m", "a\nb\r\tc", "</text><script>alert(1)</script>", `"&'<>`, "]]>", "<!--",
	"\x00\x01\ufffe", "\xff\xfe", "日本語のラベル", "e\u0301\u0301\u0301", "\u0301x", "\u202eright to left",
	"👩‍👩‍👧 family", "🇨🇭", "☝\ufe0f",
	strings.Repeat("long ", 50), strings.Repeat("w", 300), "   ", "\u2028\u00a0",
}

type Full struct{}

func (Full) Write([]byte) (int, error) { return 0, bytes.ErrTooLarge }
