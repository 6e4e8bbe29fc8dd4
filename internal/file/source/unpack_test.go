package source

import (
	"archive/zip"
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/tlayout/tlayout/internal/hostile"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// deflatedArchive writes x.npz with one deflated array of int16: its elements are random, or all zero.
func deflatedArchive(t *testing.T, elems int, random bool) (path string, data []byte) {
	t.Helper()
	d, err := dtype.Parse("int16")
	if err != nil {
		t.Fatal(err)
	}
	head, err := npy.AppendHeader(nil, d, false, []int{elems})
	if err != nil {
		t.Fatal(err)
	}
	data, draw := make([]byte, 2*elems), rand.New(rand.NewPCG(1, 2))
	for i := range data {
		if random {
			data[i] = byte(draw.Uint32())
		}
	}
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	m, err := w.Create("a.npy")
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Write(append(head, data...))
	path = filepath.Join(t.TempDir(), "x.npz")
	if err := errors.Join(err, w.Close(), os.WriteFile(path, file.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	return path, data
}

// TestUnpackNoFurther: DataTo has the first n elements of a deflated member, in a temporary file that is no longer than
// header and elements; what it returned stays valid when more is unpacked, and Data has all.
func TestUnpackNoFurther(t *testing.T) {
	const elems = 100_000
	path, data := deflatedArchive(t, elems, true)
	d := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		m := openMust(t, path, Options{})
		var slices [][]byte
		for _, n := range []int{d.IntN(100), d.IntN(elems), d.IntN(elems), -1, elems + 1} {
			got, err := m.DataTo(n)
			if n = min(max(n, 0), elems); err != nil || len(got) < 2*n || !bytes.Equal(got, data[:len(got)]) {
				t.Fatalf("%d elements: %d bytes, %v", n, len(got), err)
			}
			slices = append(slices, got)
			if held := m.file.Size(); len(slices) == 1 && held != m.Header.DataOffset+int64(2*n) {
				t.Errorf("%d elements: a file of %d bytes", n, held)
			}
		}
		if got, err := m.Data(); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
		for _, s := range slices {
			if !bytes.Equal(s, data[:len(s)]) {
				t.Fatal("an earlier slice changed")
			}
		}
	}
}

// TestUnpackLimit: no more than the limit is unpacked; the error says how to allow more, and what needs less is done: a
// prefix, and a scan, which needs no file.
func TestUnpackLimit(t *testing.T) {
	const elems = 3 << 20 // of 2 bytes: six times a piece of Scan
	path, data := deflatedArchive(t, elems, false)
	m := openMust(t, path, Options{MaxUnpacked: 1 << 20})
	_, err := m.Data()
	hostile.WantFault(t, "", err, fault.Resource, "x.npz\" unpacks to 6 MiB, over the limit of 1 MiB")
	if hint := err.(*fault.Error).Hint; hint != "--max-unpacked 7MiB allows it, in a temporary file; np.savez writes archives that are read in place" {
		t.Error(hint)
	}
	if got, err := m.DataTo(1000); err != nil || len(got) != 2000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	m = openMust(t, path, Options{MaxUnpacked: 1 << 20})
	var scanned bytes.Buffer
	pieces := 0
	err = m.Scan(func(at int64, piece []byte) bool {
		if int(at) != scanned.Len() {
			t.Fatalf("byte %d after %d", at, scanned.Len())
		}
		scanned.Write(piece)
		pieces++
		return true
	})
	if err != nil || !bytes.Equal(scanned.Bytes(), data) || pieces != 6 || m.file != nil {
		t.Errorf("%d bytes in %d pieces, %v", scanned.Len(), pieces, err)
	}
	if _, err := openMust(t, path, Options{MaxUnpacked: 7 << 20}).Data(); err != nil {
		t.Error(err)
	}
	// a directory that promises less than is there, and one that promises more
	archive, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	entry := bytes.Index(archive, []byte("PK\x01\x02"))
	for _, size := range []int{2 * elems, 4 * elems} {
		lie := bytes.Clone(archive)
		for i := range 4 {
			lie[entry+24+i] = byte(size >> (8 * i))
		}
		path := filepath.Join(t.TempDir(), "lie.npz")
		if err := os.WriteFile(path, lie, 0o666); err != nil {
			t.Fatal(err)
		}
		m, err := OpenOnly(named(path), Options{})
		if err == nil {
			_, err = m.Data()
			m.Close()
		}
		if fault.ClassOf(err) != fault.Malformed || err == nil {
			t.Errorf("%d bytes promised: %v", size, err)
		}
	}
}

// TestScanMapped: data that is mapped is one piece, if it is not large.
func TestScanMapped(t *testing.T) {
	m := openMust(t, archives+"stored.npz:same", Options{})
	want, err := m.Data()
	if err != nil {
		t.Fatal(err)
	}
	err = m.Scan(func(at int64, piece []byte) bool {
		if at != 0 || !bytes.Equal(piece, want) {
			t.Errorf("%d bytes at %d", len(piece), at)
		}
		return true
	})
	if err != nil {
		t.Error(err)
	}
}
