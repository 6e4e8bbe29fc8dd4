package source

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// TestHeldText: a text reads the same from memory as from a temporary file, in both of which it can be.
func TestHeldText(t *testing.T) {
	for _, n := range []int{1, 4, smallCopy, smallCopy + 1} {
		text := strings.Repeat("abcdefg", n/7+1)[:n]
		b, err := holdText("x", text)
		if err != nil {
			t.Fatal(err)
		}
		if _, inMemory := b.(*memory); inMemory != (n <= smallCopy) || b.Size() != int64(n) {
			t.Errorf("%d bytes: %d, in memory: %v", n, b.Size(), inMemory)
		}
		err = b.Guard(func() error {
			for _, from := range []int{0, n / 2, n} {
				part, err := b.Range(int64(from), int64(n-from))
				if err != nil || string(part) != text[from:] {
					t.Errorf("%d bytes, from %d: %d, %v", n, from, len(part), err)
				}
				p := make([]byte, n-from)
				if err := readFull(b, p, int64(from)); err != nil || string(p) != text[from:] {
					t.Errorf("%d bytes, from %d: fill %v", n, from, err)
				}
				more := make([]byte, n-from+1)
				if k, err := b.ReadAt(more, int64(from)); err != io.EOF || string(more[:k]) != text[from:] {
					t.Errorf("%d bytes, from %d: %d, %v", n, from, k, err)
				}
			}
			if _, err := b.Range(1, int64(n)); fault.ClassOf(err) != fault.Malformed {
				t.Errorf("%d bytes: %v", n, err)
			}
			return nil
		})
		if err != nil || !b.Resident(0) {
			t.Error(n, err)
		}
		b.Fetch(0, int64(n))
		b.Forget(0, int64(n))
		b.Release(0, int64(n))
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestArraysOfPickle: arrays in a pickle are read without a file each, and of one that is refused its name says why.
func TestArraysOfPickle(t *testing.T) {
	array := func(kind string) string {
		return "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntVb\ntR(I1\n(I3\ntcnumpy\ndtype\n(V" + kind +
			"\nI00\nI01\ntR(I3\nV|\nNNNI-1\nI-1\nI0\ntbI00\nC\x03abctb"
	}
	path := filepath.Join(t.TempDir(), "x.pt")
	if err := os.WriteFile(path, []byte("L119547037146038801333356L\n.I1001\n.(d.("+array("u1")+array("f8")+array("O8")+"t.(l."), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "no such folder"))
	s, err := OpenOnly(path+":0", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if data, err := s.Data(); err != nil || !bytes.Equal(data, []byte("abc")) {
		t.Errorf("%q, %v", data, err)
	}
	for name, want := range map[string]string{"1": "whose bytes are not those", "2": "it is a NumPy array of Python objects"} {
		if _, err := OpenOnly(path+":"+name, Options{}); fault.ClassOf(err) != fault.Unsupported || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
