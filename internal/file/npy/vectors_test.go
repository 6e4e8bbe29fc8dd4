package npy_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"github.com/tlayout/tlayout/internal/random"
	"io"
	"math/rand/v2"
	"os"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/npy"
)

// vectors is the part of testdata/vectors.json about .npy; the files were written and judged by NumPy 1.24.2.
type vectors struct {
	Golden []struct {
		ID, Hex string
	} `json:"npy_golden"`
	Tolerance []struct {
		Header    string
		Version   [2]byte
		Padded    bool
		Newline   bool
		DataBytes int `json:"data_bytes"`
		NumPy     struct {
			OK    bool
			DType string
			Shape []int
		}
	} `json:"npy_header_tolerance"`
}

func readVectors(t testing.TB) vectors {
	t.Helper()
	raw, err := os.ReadFile("../../../testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Golden) == 0 || len(v.Tolerance) == 0 {
		t.Fatal("vectors.json has no .npy vectors")
	}
	return v
}

// goldenFiles returns the files NumPy wrote, by name.
func goldenFiles(t testing.TB) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, g := range readVectors(t).Golden {
		raw, err := hex.DecodeString(g.Hex)
		if err != nil {
			t.Fatal(err)
		}
		files[g.ID] = raw
	}
	return files
}

// headerFile makes a file of a header text, as it is, and n data bytes.
func headerFile(major, minor byte, text string, n int) []byte {
	b := append([]byte("\x93NUMPY"), major, minor)
	if major == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	}
	return append(append(b, text...), make([]byte, n)...)
}

func read(file []byte) (npy.Header, error) {
	return npy.ReadHeader(bytes.NewReader(file), int64(len(file)), npy.Limits{})
}

// What NumPy wrote is understood, and writing the same header gives the same bytes; the data follows directly.
func TestGoldenFilesAreRewritten(t *testing.T) {
	for id, file := range goldenFiles(t) {
		h, err := read(file)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		if h.DataOffset+h.DataBytes != int64(len(file)) {
			t.Errorf("%s: header of %d and data of %d bytes, but the file has %d", id, h.DataOffset, h.DataBytes, len(file))
		}
		again, err := npy.AppendHeader([]byte("before"), h.DType, h.Fortran, h.Shape)
		if want := append([]byte("before"), file[:h.DataOffset]...); err != nil || !bytes.Equal(again, want) {
			t.Errorf("%s: wrote %q, %v; want %q", id, again, err, want)
		}
	}
}

// Every tolerance vector is accepted or refused as NumPy does, with the same dtype and shape.
func TestToleranceVectors(t *testing.T) {
	for _, v := range readVectors(t).Tolerance {
		text := v.Header
		if v.Padded {
			for (10+len(text)+1)%64 != 0 {
				text += " "
			}
		}
		if v.Newline {
			text += "\n"
		}
		h, err := read(headerFile(v.Version[0], v.Version[1], text, v.DataBytes))
		if (err == nil) != v.NumPy.OK {
			t.Errorf("%s version %d.%d: error %v, NumPy accepts: %v", v.Header, v.Version[0], v.Version[1], err, v.NumPy.OK)
			continue
		}
		if err == nil && (h.DType.Typestr() != v.NumPy.DType || !cmp.Equal(h.Shape, v.NumPy.Shape)) {
			t.Errorf("%s: %s %v, want %s %v", v.Header, h.DType.Typestr(), h.Shape, v.NumPy.DType, v.NumPy.Shape)
		}
	}
}

// A file cut anywhere is an error. Where its size is not known, that holds up to the end of the header.
func TestEveryPrefixIsAnError(t *testing.T) {
	for id, file := range goldenFiles(t) {
		whole, err := read(file)
		if err != nil {
			t.Fatal(err)
		}
		for n := range len(file) {
			if _, err := read(file[:n]); fault.ClassOf(err) != fault.Malformed {
				t.Fatalf("%s cut to %d of %d bytes: %v", id, n, len(file), err)
			}
			_, err := npy.ReadHeader(bytes.NewReader(file[:n]), -1, npy.Limits{})
			if cut := int64(n) < whole.DataOffset; cut != (err != nil) {
				t.Fatalf("%s cut to %d bytes of unknown size: %v", id, n, err)
			}
		}
	}
}

// The result does not depend on how many bytes a read returns, and not one byte of the data is consumed.
func TestShortReads(t *testing.T) {
	rnd := random.New(t)
	for id, file := range goldenFiles(t) {
		want, err := read(file)
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			r := bytes.NewReader(file)
			h, err := npy.ReadHeader(&shortReader{r, rnd}, int64(len(file)), npy.Limits{})
			if err != nil || !cmp.Equal(h, want) {
				t.Fatalf("%s: %v, %v, want %v", id, h, err, want)
			}
			if int64(r.Len()) != want.DataBytes {
				t.Fatalf("%s: %d data bytes are left, want %d", id, r.Len(), want.DataBytes)
			}
		}
	}
}

// shortReader returns a random part of what is asked for.
type shortReader struct {
	r      *bytes.Reader
	random *rand.Rand
}

func (s *shortReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	return s.r.Read(p[:1+s.random.IntN(len(p))])
}

// An error of the reader itself is not an error of the file.
func TestReadErrorStaysResource(t *testing.T) {
	for id, file := range goldenFiles(t) {
		for _, n := range []int{0, 7, 9, 40} {
			failing := iotest.ErrReader(os.ErrClosed)
			_, err := npy.ReadHeader(io.MultiReader(bytes.NewReader(file[:n]), failing), -1, npy.Limits{})
			if fault.ClassOf(err) != fault.Resource {
				t.Fatalf("%s after %d bytes: %v", id, n, err)
			}
		}
	}
}
