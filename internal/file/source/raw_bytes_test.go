package source

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// Standard input is the tensor that a file of the same bytes is, and is refused with the same words. What is only described is read
// without a temporary file, and its size is checked all the same.
func TestRawStdin(t *testing.T) {
	exact, err := notation.Parse("(2,3):(5,1)@1")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{
		{Raw: &Typed{Shape: []int{2, 3}}}, {Raw: &Typed{Shape: []int{2, 3}}, Skip: 7}, {Raw: &Typed{Shape: []int{0, 3}}, Skip: 1},
		{Raw: &Typed{Shape: []int{2, 3}, Strides: []int{5, 1}}, Skip: 3}, {Raw: &Typed{}, Layout: &exact},
	} {
		o.DType = mustType(t, "int32")
		for n := range 60 {
			content := numbered(0, 15)[:n]
			file, wantErr := OpenOnly(named(dump(t, content)), o)
			for _, o.HeaderOnly = range []bool{false, true} {
				o.Stdin = bytes.NewReader(content)
				x, err := openCounting(t, o)
				switch {
				case (err == nil) != (wantErr == nil) || fault.ClassOf(err) != fault.ClassOf(wantErr):
					t.Fatalf("%+v of %d bytes, counted %t: %v, of a file: %v", o.Raw, n, o.HeaderOnly, err, wantErr)
				case err != nil:
					if said := strings.Replace(err.Error(), "standard input has", "the file has", 1); strings.Contains(said, "needs") &&
						!strings.Contains(said, "more than") && said[strings.Index(said, ": "):] != wantErr.Error()[strings.Index(wantErr.Error(), ": "):] {
						t.Errorf("%v, of a file: %v", err, wantErr)
					}
					continue
				case x.Layout.String() != file.Layout.String() || x.Layout.Alloc() != file.Layout.Alloc() || x.Header.DataBytes != file.Header.DataBytes ||
					!slices.Equal(x.FileShape, file.FileShape) || x.HasData() == o.HeaderOnly:
					t.Errorf("%d bytes, counted %t: %s %+v, of a file %s %+v", n, o.HeaderOnly, x.Layout, x.Header, file.Layout, file.Header)
				case !o.HeaderOnly && x.Layout.Numel() > 0 && !slices.Equal(valuesOf(t, x), valuesOf(t, file)):
					t.Errorf("%+v of %d bytes: other values than those of a file", o.Raw, n)
				}
				x.Close()
			}
			if file != nil {
				file.Close()
			}
		}
	}
}

// openCounting opens standard input, without a folder for temporary files if only the header is asked for.
func openCounting(t *testing.T, o Options) (*Tensor, error) {
	t.Helper()
	if o.HeaderOnly {
		t.Setenv("TMPDIR", "/none/such")
		t.Setenv("TMP", `Q:\none\such`)
	}
	x, err := OpenOnly(named("-"), o)
	t.Setenv("TMPDIR", "")
	t.Setenv("TMP", "")
	return x, err
}

// A stream without end is read to one byte more than there may be, and not at all if the flags do not describe a tensor.
func TestRawEndless(t *testing.T) {
	for _, headerOnly := range []bool{false, true} {
		for _, c := range []struct {
			o       Options
			maxRead int
		}{
			{Options{Raw: &Typed{Shape: []int{2, 3}}, Skip: 7}, 7 + 24 + 1},
			{Options{Raw: &Typed{Shape: []int{2, 3}, Strides: []int{500, 1}}}, 4000 + 1},
			{Options{Raw: &Typed{Shape: []int{1, 3}, Strides: []int{math.MaxInt/2 + 1, 1}}}, 12 + 1},
			{Options{Raw: &Typed{Shape: []int{-2, 3}}}, 0},
			{Options{Raw: &Typed{}}, 0},
		} {
			endless := &countingReader{}
			c.o.DType, c.o.Stdin, c.o.HeaderOnly = mustType(t, "int32"), endless, headerOnly
			x, err := OpenOnly(named("-"), c.o)
			if err == nil || fault.ClassOf(err) != fault.Usage || endless.n > c.maxRead || c.maxRead == 0 && endless.n > 0 {
				t.Errorf("%+v: %v, %v after %d bytes, expected %d", c.o.Raw, x, err, endless.n, c.maxRead)
			}
		}
	}
}

// countingReader never ends.
type countingReader struct{ n int }

func (r *countingReader) Read(p []byte) (int, error) {
	r.n += len(p)
	return len(p), nil
}
