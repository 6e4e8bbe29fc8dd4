package source

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

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
	s, err := OpenOnly(named(path+":0"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if data, err := s.Data(); err != nil || !bytes.Equal(data, []byte("abc")) {
		t.Errorf("%q, %v", data, err)
	}
	for name, want := range map[string]string{"1": "whose size differs", "2": "it is a NumPy array of Python objects"} {
		if _, err := OpenOnly(named(path+":"+name), Options{}); fault.ClassOf(err) != fault.Unsupported || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
