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

// TestManyMembers: the list of an archive with very many arrays is written row by row, and reads as the table that a smaller
// one has; all formats list every member.
func TestManyMembers(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	rows := func(n int) []string {
		writeMembers(t, filepath.Join(dir, "x.npz"), n)
		for format, want := range map[string]int{"csv": n + 1, "json": n} {
			out := tlayout(t, "inspect", "x.npz", "-f", format)
			if got := strings.Count(out, "conv"); got < n || strings.Count(out, "\n") < want {
				t.Errorf("%s of %d members: %d names", format, n, got)
			}
			if format == "json" {
				decode(t, out)
			}
		}
		var found []string
		for line := range strings.Lines(tlayout(t, "inspect", "x.npz")) {
			if strings.Contains(line, "float32") {
				found = append(found, strings.Join(strings.Fields(line), " "))
			}
		}
		return found
	}
	table, streamed := rows(1000), rows(1001)
	if len(table) != 1000 || len(streamed) != 1001 {
		t.Fatalf("%d and %d rows", len(table), len(streamed))
	}
	for i, row := range table {
		if row != streamed[i] {
			t.Errorf("%q is %q", row, streamed[i])
		}
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
