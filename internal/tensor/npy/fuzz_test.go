package npy_test

import (
	"bytes"
	"errors"
	"math/big"
	"runtime/metrics"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/npy"
)

// FuzzHeader reads any bytes as a file: no panic; memory in proportion to the bytes; a clean *fault.Error, or sizes that
// fit the file and each other; the same result by single bytes and without knowing the size; and a fixed point of
// writing and reading.
func FuzzHeader(f *testing.F) {
	for _, file := range goldenFiles(f) {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		before := allocated()
		h, err := read(file)
		if used := allocated() - before; used > 1<<20+64*uint64(len(file)) {
			t.Fatalf("%d bytes allocated for a file of %d", used, len(file))
		}
		slow, slowErr := npy.ReadHeader(iotest.OneByteReader(bytes.NewReader(file)), -1, npy.Limits{})
		if err != nil {
			checkError(t, err)
			return
		}
		if slowErr != nil || !cmp.Equal(h, slow) {
			t.Fatalf("read %+v, by single bytes %+v, %v", h, slow, slowErr)
		}
		checkSizes(t, h, len(file))
		checkFixedPoint(t, h)
	})
}

// FuzzDescr reads any text as a descr: no panic, and a fixed point. As a bare dtype name it must also survive its own
// typestr, and have an item size.
func FuzzDescr(f *testing.F) {
	for _, s := range someTypes {
		f.Add("'" + s + "'")
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := dtype.Parse(text); err == nil {
			checkDType(t, d)
		} else {
			checkError(t, err)
		}
		file := headerFile(3, 0, dict(text, "(2,)"), 0)
		h, err := npy.ReadHeader(bytes.NewReader(file), -1, npy.Limits{})
		if err != nil {
			checkError(t, err)
			return
		}
		checkSizes(t, h, -1)
		checkFixedPoint(t, h)
	})
}

// allocated returns all the bytes the process has allocated on the heap so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// checkError accepts errors that say whose fault it is, in text that is safe to print.
func checkError(t *testing.T, err error) {
	t.Helper()
	var e *fault.Error
	if !errors.As(err, &e) || e.Class != fault.Malformed && e.Class != fault.Unsupported {
		t.Fatalf("unexpected kind of error: %v", err)
	}
	if text := e.Text + e.Hint; e.Text == "" || len(text) > 1000 || strings.ContainsFunc(text, isControl) {
		t.Fatalf("unsuitable text: %q", text)
	}
}

func isControl(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e }

// checkSizes compares the header's numbers with each other by exact arithmetic, and with the file's size if that is
// known.
func checkSizes(t *testing.T, h npy.Header, size int) {
	t.Helper()
	want := big.NewInt(int64(h.DType.ItemSize()))
	for _, n := range h.Shape {
		if n < 0 {
			t.Fatalf("negative size in %v", h.Shape)
		}
		want.Mul(want, big.NewInt(int64(n)))
	}
	if want.Cmp(big.NewInt(h.DataBytes)) != 0 {
		t.Fatalf("%v of %d bytes are %d, not %v", h.Shape, h.DType.ItemSize(), h.DataBytes, want)
	}
	if size >= 0 && h.DataBytes > int64(size)-h.DataOffset {
		t.Fatalf("data of %d bytes at %d in a file of %d", h.DataBytes, h.DataOffset, size)
	}
	if h.DType.ItemSize() < 0 || h.DType.Kind() == 0 || len(h.Shape) > 64 || h.Descr != npy.Descr(h.DType) {
		t.Fatalf("inconsistent header %+v", h)
	}
}

// checkDType prints an item of zeros, and parses what the dtype calls itself.
func checkDType(t *testing.T, d dtype.Type) {
	t.Helper()
	if d.ItemSize() < 0 || d.Kind() == 0 {
		t.Fatalf("%v of %d bytes", d, d.ItemSize())
	}
	if d.ItemSize() < 1<<16 {
		if s := d.FormatValue(make([]byte, d.ItemSize())); strings.ContainsFunc(s, isControl) {
			t.Fatalf("%v prints as %q", d, s)
		}
	}
	if d.Fields() != nil {
		return
	}
	if same, err := dtype.Parse(d.String()); err != nil || same.ItemSize() != d.ItemSize() || same.Kind() != d.Kind() {
		t.Fatalf("%v parses as %v, %v", d, same, err)
	}
	same, err := dtype.Parse(d.Typestr())
	if err != nil || same.Typestr() != strings.Replace(d.Typestr(), "<V", "|V", 1) && same.Typestr() != strings.Replace(d.Typestr(), ">V", "|V", 1) {
		t.Fatalf("%s parses as %v, %v", d.Typestr(), same, err)
	}
}
