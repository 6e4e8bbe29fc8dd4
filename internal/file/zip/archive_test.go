package zip

import (
	"archive/zip"
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestInRow: an archive that follows another one, as torch.save appends it to an open file, is not the whole file.
func TestInRow(t *testing.T) {
	one, wide := build("", plain()...), widened(build("", plain()...), 0, 0)
	for _, tt := range []struct {
		name string
		file []byte
		want bool
	}{
		{"one", one, false},
		{"one with a comment", build("what is this", plain()...), false},
		{"two", slices.Concat(one, one), true},
		{"one with a 64-bit end", wide, false},
		{"two with 64-bit ends", slices.Concat(wide, wide), true},
		{"bytes before it", slices.Concat([]byte("#!/bin/sh"), one), true},
		{"no archive", []byte("PK\x03\x04 and text"), false},
		{"nothing", nil, false},
	} {
		got, err := InRow(bytes.NewReader(tt.file), int64(len(tt.file)))
		if got != tt.want || err != nil {
			t.Errorf("%s: %v, %v; want %v", tt.name, got, err, tt.want)
		}
	}
}

// TestNumPyArchives: what np.savez and np.savez_compressed wrote is read, byte for byte as archive/zip reads it, and has
// the data of testdata/make_archives.py at its end.
func TestNumPyArchives(t *testing.T) {
	data := map[string]string{"fc.weight": "\x00\x00\xa0\x40", "conv/w": "\x00\x17", "same": strings.Repeat("\x00", 300)}
	for name, method := range map[string]Method{"stored": Stored, "deflated": Deflated} {
		archive, err := os.ReadFile("testdata/" + name + ".npz")
		if err != nil {
			t.Fatal(err)
		}
		a, err := open(archive)
		if err != nil || a.Sound() != nil || len(a.Members) != len(data) {
			t.Fatalf("%s: %v, %v", name, a, err)
		}
		for i, m := range a.Members {
			text, err := contentOf(a, m)
			if err != nil || m.Method != method || !strings.HasPrefix(text, "\x93NUMPY") || !strings.HasSuffix(text, data[strings.TrimSuffix(m.Name, ".npy")]) {
				t.Errorf("%s: %+v: %v", name, m, err)
			}
			if at, err := a.Locate(m); method == Stored && (err != nil || string(archive[at:][:m.Size]) != text) {
				t.Errorf("%s: %s is not at byte %d: %v", name, m.Name, at, err)
			}
			if other := readByZip(t, archive, i); other != text {
				t.Errorf("%s: %s: archive/zip reads %d bytes, not %d", name, m.Name, len(other), len(text))
			}
		}
	}
	empty, err := os.ReadFile("testdata/empty.npz")
	if err != nil {
		t.Fatal(err)
	}
	if a, err := open(empty); err != nil || len(a.Members) != 0 {
		t.Errorf("empty: %v, %v", a, err)
	}
}

func readByZip(t *testing.T, archive []byte, i int) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := z.File[i].Open()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
