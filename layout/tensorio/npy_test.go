package tensorio_test

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/layout"
	"github.com/tlayout/tlayout/layout/tensorio"
)

// TestNPYRoundTrip: what WriteNPY writes, ReadNPY reads, each element at the same coordinate, in C or Fortran order.
func TestNPYRoundTrip(t *testing.T) {
	values := make([]float32, 24)
	for i := range values {
		values[i] = float32(i)
	}
	for _, l := range []layout.Layout{
		layout.MustParse("c", 2, 3, 4), layout.MustParse("fortran", 2, 3, 4), layout.MustParse("(2,3):(12,4)@1"), layout.MustParse("c", 0, 3),
		layout.MustParse("()"), layout.MustParse("(4):(-1)@3"),
	} {
		var file bytes.Buffer
		if err := tensorio.WriteNPY(&file, layout.TensorOf(values, l)); err != nil {
			t.Errorf("%s: %v", l, err)
			continue
		}
		read, err := tensorio.ReadNPY(iotest.OneByteReader(&file))
		if err != nil || file.Len() > 0 {
			t.Errorf("%s: %v, %d bytes left", l, err, file.Len())
			continue
		}
		got, err := layout.Values[float32](read)
		if err != nil || !slices.Equal(read.Layout.Shape(), l.Shape()) || len(got) != l.Len() {
			t.Errorf("%s: %v, %s of %d values", l, err, read.Layout, len(got))
			continue
		}
		if fortran := layout.MustParse("fortran", l.Shape()...); l.Equal(fortran) && !read.Layout.Equal(fortran) {
			t.Errorf("%s is read as %s", l, read.Layout)
		}
		for coord, at := range l.All() {
			if x := got[read.Layout.Offset(coord...)]; x != values[at] {
				t.Errorf("%s: %v is %v, want %v", l, coord, x, values[at])
			}
		}
	}
}

// TestNumPy: NumPy reads what WriteNPY writes.
func TestNumPy(t *testing.T) {
	if exec.Command("python3", "-c", "import numpy").Run() != nil {
		t.Skip("no NumPy")
	}
	var file bytes.Buffer
	l, err := layout.MustParse("c", 2, 3).Permute(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := tensorio.WriteNPY(&file, layout.TensorOf([]int16{0, 1, 2, 3, 4, 5}, l)); err != nil {
		t.Fatal(err)
	}
	python := exec.Command("python3", "-c", "import sys, io, numpy; x = numpy.load(io.BytesIO(sys.stdin.buffer.read())); print(x.dtype, x.tolist(), x.flags.f_contiguous)")
	python.Stdin = &file
	out, err := python.CombinedOutput()
	if want := "int16 [[0, 3], [1, 4], [2, 5]] True\n"; err != nil || string(out) != want {
		t.Errorf("%v: %swant %s", err, out, want)
	}
}

// TestNPYDamaged: prefixes of a file, and files with a bit flipped, are refused as such or read whole, whatever they claim.
func TestNPYDamaged(t *testing.T) {
	var file bytes.Buffer
	if err := tensorio.WriteNPY(&file, layout.TensorOf([]uint8{1, 2, 3, 4, 5, 6}, layout.MustParse("c", 2, 3))); err != nil {
		t.Fatal(err)
	}
	read := func(b []byte) error {
		_, err := tensorio.ReadNPY(bytes.NewReader(b))
		return err
	}
	hostile.Damage(t, file.Bytes(), read, func(b []byte) {
		x, err := tensorio.ReadNPY(bytes.NewReader(b))
		if err != nil && !errors.Is(err, tensorio.ErrFormat) {
			t.Errorf("%q: %v", b, err)
		}
		if err == nil && x.Check() != nil {
			t.Errorf("%q: %v", b, x.Check())
		}
	})
	huge := strings.Replace(file.String(), "(2, 3), }        ", "(2, 300000000), }", 1)
	if err := read([]byte(huge)); err == nil || !strings.Contains(err.Error(), "claims 600000000 bytes of data, but the file has 6") {
		t.Errorf("a file that claims much: %v", err)
	}
	if n := hostile.AllocatedBy(func() { read([]byte(huge)) }); n > 1<<20 { //nolint:errcheck // the memory counts
		t.Errorf("%d bytes are allocated for a file of %d", n, len(huge))
	}
}

// TestNPYRefused: objects, records and errors of the reader.
func TestNPYRefused(t *testing.T) {
	header := func(descr string) io.Reader {
		text := "{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,), }"
		text += strings.Repeat(" ", 117-len(text)) + "\n"
		return strings.NewReader("\x93NUMPY\x01\x00" + string(rune(len(text))) + "\x00" + text + "12345678")
	}
	for _, c := range []struct {
		descr string
		ok    bool
	}{{"'<f8'", true}, {"'|O'", false}, {"[('a', '<f4'), ('b', '<f4')]", false}, {"'>i4'", true}} {
		_, err := tensorio.ReadNPY(header(c.descr))
		if c.ok != (err == nil) || err != nil && !errors.Is(err, tensorio.ErrFormat) {
			t.Errorf("%s: %v", c.descr, err)
		}
	}
	failure := errors.New("cable cut")
	if _, err := tensorio.ReadNPY(iotest.ErrReader(failure)); !errors.Is(err, failure) || errors.Is(err, tensorio.ErrFormat) {
		t.Errorf("an error of the reader is %v", err)
	}
	if err := tensorio.WriteNPY(io.Discard, layout.TensorOf([]float32{1}, layout.MustParse("c", 2))); !errors.Is(err, layout.ErrShort) {
		t.Errorf("a short storage: %v", err)
	}
	if err := tensorio.WriteNPY(io.Discard, layout.Tensor{DType: "float5"}); err == nil {
		t.Error("float5 is written")
	}
}
