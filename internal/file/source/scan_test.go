package source

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestScanReleases: mapped data comes in pieces of whole elements, one after the other, and can be read again after its memory was given back.
func TestScanReleases(t *testing.T) {
	const item, n = 12, 2<<20 + 5
	file := fmt.Appendf(nil, "\x93NUMPY\x01\x00\x76\x00%-117s\n", fmt.Sprintf("{'descr': '|V%d', 'fortran_order': False, 'shape': (%d,)}", item, n))
	for i := range item * n {
		file = append(file, byte(i*i>>9))
	}
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	x, err := OpenOnly(named(path), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	want := file[128:]
	for range 2 {
		next, pieces := int64(0), 0
		err := x.Scan(func(at int64, piece []byte) bool {
			if pieces++; at != next || len(piece)%item != 0 || len(piece) > released || !bytes.Equal(piece, want[at:at+int64(len(piece))]) {
				t.Errorf("%d bytes at %d, after %d", len(piece), at, next)
			}
			next += int64(len(piece))
			return true
		})
		if err != nil || next != item*n || pieces < 3 {
			t.Errorf("%d bytes in %d pieces, %v", next, pieces, err)
		}
	}
	pieces := 0
	if err := x.Scan(func(int64, []byte) bool { pieces++; return false }); err != nil || pieces != 1 {
		t.Errorf("%d pieces after the first was the last, %v", pieces, err)
	}
}

// TestScanEmpty: a tensor without elements is scanned at once: there is no piece.
func TestScanEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := os.WriteFile(path, fmt.Appendf(nil, "\x93NUMPY\x01\x00\x76\x00%-117s\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 0, 3)}"), 0o666); err != nil {
		t.Fatal(err)
	}
	x, err := OpenOnly(named(path), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Scan(func(int64, []byte) bool { t.Error("a piece"); return false }); err != nil {
		t.Error(err)
	}
}
