// Package golden compares the output of tests with files. go test -update rewrites the files.
package golden

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update is the flag that rewrites golden files.
var Update = flag.Bool("update", false, "rewrite golden files and the output in scripts")

// Compare fails the test unless the content of the file at path equals got.
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

// Hostile texts contain characters that terminals obey, that end an XML element, or whose width differs from their length.
var Hostile = []string{
	"", "nchw", "\x1b[31mred\x1b[0m", "a\nb\r\tc", "</text><script>alert(1)</script>", `"&'<>`, "]]>", "<!--",
	"\x00\x01\ufffe", "\xff\xfe", "日本語のラベル", "e\u0301\u0301\u0301", "\u0301x", "\u202eright to left",
	"👩‍👩‍👧 family", "🇨🇭", "☝\ufe0f",
	strings.Repeat("long ", 50), strings.Repeat("w", 300), "   ", "\u2028\u00a0",
}

// Full is a writer that always fails.
type Full struct{}

func (Full) Write([]byte) (int, error) { return 0, bytes.ErrTooLarge }
