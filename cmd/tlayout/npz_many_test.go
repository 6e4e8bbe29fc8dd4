package main

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// TestManyMembers: all formats and --all list every member of an archive; the page lists as many as fit a screen, and counts the others.
func TestManyMembers(t *testing.T) {
	const n = 1000
	dir := t.TempDir()
	t.Chdir(dir)
	writeMembers(t, filepath.Join(dir, "x.npz"), n)
	for format, lines := range map[string]int{"csv": n + 1, "json": n} {
		out := tlayout(t, "inspect", "x.npz", "-f", format)
		if got := strings.Count(out, "conv"); got < n || strings.Count(out, "\n") < lines {
			t.Errorf("%s: %d names", format, got)
		}
		if format == "json" {
			decode(t, out)
		}
	}
	if all := strings.Count(tlayout(t, "inspect", "x.npz", "--all"), "float32"); all != n {
		t.Errorf("--all: %d rows", all)
	}
	page := tlayout(t, "inspect", "x.npz")
	shown := strings.Count(page, "float32")
	if more := fmt.Sprintf("\n … %d more\n", n-shown); shown < 8 || strings.Count(page, "\n") > 23 || !strings.Contains(page, more) {
		t.Errorf("the page:\n%s", page)
	}
}

// writeMembers writes an archive of n arrays.
func writeMembers(t *testing.T, path string, n int) {
	t.Helper()
	content := fixture.Must(fixture.Npy("<f4", []int{2, 3}, false))
	file := fixture.Must(os.Create(path))
	defer file.Close()
	w := zip.NewWriter(file)
	for i := range n {
		m := fixture.Must(w.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("conv.%d.npy", i), Method: uint16(8 * (i % 2))}))
		fixture.Must(m.Write(content))
	}
	cli.Must(w.Close())
}
