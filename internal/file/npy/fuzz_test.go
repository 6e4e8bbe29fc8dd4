package npy_test

import (
	"bytes"
	"math/big"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// FuzzHeader reads any bytes as a file: no panic; memory in proportion to the bytes; a clean *fault.Error, or sizes that
// fit the file and each other; the same result by single bytes and without knowing the size; the same as the second parser
// says; and a fixed point of writing and reading.
func FuzzHeader(f *testing.F) {
	for _, file := range goldenFiles(f) {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		n := uint64(len(file))
		before := hostile.Allocated()
		h, err := read(file)
		used := hostile.Allocated() - before
		if most := max(1<<20+4*n, 96*n); used > most { // 96: garbage counts too
			before = hostile.Allocated()
			read(file)                                                     //nolint:errcheck // the same as before
			if used = min(used, hostile.Allocated()-before); used > most { // and so does what others allocate, once
				t.Fatalf("%d bytes allocated for a file of %d", used, n)
			}
		}
		checkSecond(t, file, h, err)
		slow, slowErr := npy.ReadHeader(iotest.OneByteReader(bytes.NewReader(file)), -1, npy.Limits{})
		if err != nil {
			hostile.CheckError(t, err, 1000)
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
			hostile.CheckError(t, err, 1000)
		}
		file := headerFile(3, 0, dict(text, "(2,)"), 0)
		h, err := npy.ReadHeader(bytes.NewReader(file), -1, npy.Limits{})
		if err != nil {
			hostile.CheckError(t, err, 1000)
			return
		}
		checkSizes(t, h, -1)
		checkFixedPoint(t, h)
	})
}

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
		if s := d.FormatValue(make([]byte, d.ItemSize())); strings.ContainsFunc(s, hostile.IsControl) {
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
