package npy_test

import (
	"bytes"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/random/property"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

func mustParse(t testing.TB, name string) dtype.Type {
	t.Helper()
	d, err := dtype.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The oldest version that can hold the header is chosen.
func TestVersionChosen(t *testing.T) {
	field := func(name string) dtype.Type {
		d, err := dtype.StructOf([]dtype.Field{{Name: name, DType: mustParse(t, "<f4")}}, 4)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	tests := []struct {
		name string
		d    dtype.Type
		want byte
	}{
		{"ASCII", field("a"), 1},
		{"Latin-1", field("é"), 1},
		{"not Latin-1", field("数"), 3},
		{"long", field(strings.Repeat("a", 65536)), 2},
		{"long and not Latin-1", field(strings.Repeat("数", 65536)), 3},
	}
	for _, tt := range tests {
		h, err := npy.AppendHeader(nil, tt.d, false, nil)
		if err != nil || h[6] != tt.want || len(h)%64 != 0 {
			t.Errorf("%s: version %d, %d bytes, %v; want version %d", tt.name, h[6], len(h), err, tt.want)
		}
	}
}

// The longest header of version 1 has 65,535 bytes or what alignment leaves of it; one byte more needs version 2.
func TestVersionBoundary(t *testing.T) {
	last := byte(0)
	for n := 65400; n < 65480; n++ {
		d, err := dtype.StructOf([]dtype.Field{{Name: strings.Repeat("a", n), DType: mustParse(t, "<f4")}}, 4)
		if err != nil {
			t.Fatal(err)
		}
		h, err := npy.AppendHeader(nil, d, false, []int{3})
		if err != nil || h[6] < last || last == 0 && h[6] != 1 {
			t.Fatalf("name of %d bytes: version %d after %d, %v", n, h[6], last, err)
		}
		if got, err := read(append(h, make([]byte, 12)...)); err != nil || got.DataOffset != int64(len(h)) {
			t.Fatalf("name of %d bytes: %v", n, err)
		}
		last = h[6]
	}
	if last != 2 {
		t.Errorf("no name was long enough for version 2")
	}
}

// What cannot be an array is not written.
func TestUnwritable(t *testing.T) {
	f4 := mustParse(t, "<f4")
	sub, err := dtype.ArrayOf(f4, []int{2})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		d       dtype.Type
		fortran bool
		shape   []int
		class   fault.Class
	}{
		{"no dtype", dtype.Type{}, false, []int{1}, fault.Unsupported},
		{"negative size", f4, false, []int{-1}, fault.Malformed},
		{"overflow", f4, false, []int{math.MaxInt, math.MaxInt}, fault.Malformed},
		{"65 dimensions", f4, false, make([]int, 65), fault.Unsupported},
		{"sub-array in Fortran order", sub, true, []int{1}, fault.Unsupported},
	}
	for _, tt := range tests {
		if h, err := npy.AppendHeader(nil, tt.d, tt.fortran, tt.shape); fault.ClassOf(err) != tt.class || err == nil || h != nil {
			t.Errorf("%s: %q, %v", tt.name, h, err)
		}
	}
}

// Types outside NumPy are written as raw bytes that numpy.load takes.
func TestForeignTypesAreWrittenAsBytes(t *testing.T) {
	for name, want := range map[string]string{
		"bfloat16": "'<V2'", ">bfloat16": "'>V2'", "float8_e4m3fn": "'<V1'", "float8_e5m2": "'<V1'", "complex32": "'<V4'",
	} {
		if got := npy.Descr(mustParse(t, name)); got != want {
			t.Errorf("%s is written as %s, want %s", name, got, want)
		}
	}
}

// write(read(f)) is a fixed point: what is written reads back equal, and is written the same again. For random dtypes
// and shapes.
func TestWriteReadFixedPoint(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		g := generator{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))}
		h, err := npy.ReadHeader(bytes.NewReader(g.file()), -1, npy.Limits{})
		if err != nil {
			t.Skip("refused")
		}
		checkFixedPoint(t, h)
	})
}

// checkFixedPoint writes h, reads it back and writes it again.
func checkFixedPoint(t interface {
	Helper()
	Fatalf(string, ...any)
}, h npy.Header) {
	t.Helper()
	file, err := npy.AppendHeader(nil, h.DType, h.Fortran, h.Shape)
	if err != nil {
		t.Fatalf("cannot write %+v: %v", h, err)
	}
	again, err := npy.ReadHeader(bytes.NewReader(file), -1, npy.Limits{MaxHeader: 1 << 30})
	if err != nil {
		t.Fatalf("cannot read back %q: %v", file, err)
	}
	if again.DataOffset != int64(len(file)) || len(file)%64 != 0 {
		t.Fatalf("the data would start at %d, header %d bytes", again.DataOffset, len(file))
	}
	if again.Chars != len(file)-map[uint8]int{1: 10, 2: 12, 3: 12}[again.Major] && again.Major < 3 || again.Python2 {
		t.Fatalf("a header of %d characters, Python 2's: %v, in a file of %d bytes", again.Chars, again.Python2, len(file))
	}
	again.Major, again.DataOffset, again.Chars, again.Python2 = h.Major, h.DataOffset, h.Chars, h.Python2
	if !cmp.Equal(h, again) {
		t.Fatalf("read back other than written:\n%s", cmp.Diff(h, again))
	}
	twice, err := npy.AppendHeader(nil, again.DType, again.Fortran, again.Shape)
	if err != nil || !bytes.Equal(twice, file) {
		t.Fatalf("written again:\n%q, %v\nbefore:\n%q", twice, err, file)
	}
}

// Headers are written byte for byte as NumPy writes them, for random dtypes, shapes of all lengths, and both orders.
func TestWriteAgainstNumPy(t *testing.T) {
	g := generator{random.New(t)}
	var questions []question
	var want [][]byte
	for len(questions) < 2000 {
		h, err := npy.ReadHeader(bytes.NewReader(g.file()), -1, npy.Limits{})
		if err != nil {
			continue
		}
		for range g.IntN(14) {
			h.Shape = append(h.Shape, g.IntN(2)*(1+g.IntN(20)))
		}
		header, err := npy.AppendHeader(nil, h.DType, h.Fortran, h.Shape)
		if err != nil {
			continue
		}
		questions = append(questions, question{Op: "write", Descr: h.Descr, Shape: h.Shape, Fortran: h.Fortran})
		want = append(want, header)
	}
	for i, a := range askNumPy(t, questions) {
		if !a.OK || !bytes.Equal(a.File, want[i]) {
			t.Errorf("%+v:\nNumPy %q %s\n here %q", questions[i], a.File, a.Error, want[i])
		}
	}
}

// Each step of the growing size's width gives NumPy's padding; the widths are those of int.
func TestGrowthPaddingAgainstNumPy(t *testing.T) {
	var questions []question
	for n := 1; n < math.MaxInt/10; n *= 10 {
		for _, shape := range [][]int{{n}, {n, 1}, {1, n}} {
			questions = append(questions, question{Op: "write", Descr: "'|u1'", Shape: shape, Fortran: n%3 == 0})
			questions = append(questions, question{Op: "write", Descr: "'|u1'", Shape: shape, Fortran: true})
		}
	}
	for i, a := range askNumPy(t, questions) {
		q := questions[i]
		got, err := npy.AppendHeader(nil, mustParse(t, "u1"), q.Fortran, q.Shape)
		if err != nil || !bytes.Equal(got, a.File) {
			t.Errorf("%s: %q, %v; NumPy %q", strconv.Itoa(q.Shape[0]), got, err, a.File)
		}
	}
}
