package recipe

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
)

// stored is a tensor of a test's file.
type stored struct {
	name, dtype string // of safetensors
	shape       []int
	data        []byte
}

// floats are numbers of float32.
func floats(numbers ...float32) (data []byte) {
	for _, x := range numbers {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return data
}

// counted are the numbers 0, 1, … of float32.
func counted(n int) []byte {
	var numbers []float32
	for k := range n {
		numbers = append(numbers, float32(k))
	}
	return floats(numbers...)
}

// makerOf writes a safetensors file and returns what makes tensors of its own.
func makerOf(t *testing.T, memory int64, tensors ...stored) Maker {
	t.Helper()
	header := map[string]any{}
	var data []byte
	for _, x := range tensors {
		start := len(data)
		data = append(data, x.data...)
		header[x.name] = map[string]any{"dtype": x.dtype, "shape": x.shape, "data_offsets": []int{start, len(data)}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, strings.Repeat(" ", -len(text)&7)...)
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	path := filepath.Join(t.TempDir(), "a.safetensors")
	err = os.WriteFile(path, slices.Concat(file, text, data), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	set, _, err := source.Open(name.Parse(path), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close() }) //nolint:errcheck // reads
	open := func(name string) (*source.Tensor, error) { return set.Named(name, source.Options{}) }
	return Maker{Open: open, Memory: memory, Convert: convert.Options{Threads: 1}}
}

// made returns all windows of a tensor, which must follow each other.
func made(t *testing.T, m Maker, x Tensor) (data []byte, err error) {
	t.Helper()
	err = m.Make(x, func(at int64, window []byte) error {
		if at != int64(len(data)) {
			t.Fatalf("%s: a window begins at byte %d after %d", x.Name, at, len(data))
		}
		data = append(data, window...)
		return nil
	})
	return data, err
}

// files are the tensors that the tests make others of.
var files = []stored{
	{"q", "F32", []int{2, 3}, counted(6)},
	{"k", "F32", []int{2, 3}, floats(10, 11, 12, 13, 14, 15)},
	{"halves", "F32", []int{4}, floats(0.1, -2049, 65520, 1e-9)},
	{"wide", "F64", []int{2}, binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, math.Float64bits(0.1)), math.Float64bits(-3))},
	{"bytes", "U8", []int{3}, []byte{0, 128, 255}},
	{"ints", "I32", []int{2}, []byte{0xff, 0xff, 0xff, 0xff, 44, 1, 0, 0}},
	{"flags", "BOOL", []int{2}, []byte{0, 1}},
	{"none", "F32", []int{0}, nil},
}

// TestMake: copies of several tensors, in any order, and numbers that are rounded to another dtype, times a factor, plus an addend; in windows of every
// size.
func TestMake(t *testing.T) {
	const row = "(2,3):(3,1)"
	m := makerOf(t, 0, files...)
	for _, c := range []struct {
		tensor Tensor
		want   []byte
	}{
		{Tensor{Name: "same", DType: "float32", Shape: []int{2, 3}, Pieces: []Piece{{"q", row, row}}}, counted(6)},
		{Tensor{Name: "transposed", DType: "float32", Shape: []int{3, 2}, Pieces: []Piece{{"q", row, "(2,3):(1,2)"}}}, floats(0, 3, 1, 4, 2, 5)},
		{Tensor{Name: "joined", DType: "float32", Shape: []int{4, 3}, Pieces: []Piece{{"k", row, row + "@6"}, {"q", row, row}}},
			floats(0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15)},
		{Tensor{Name: "in turn", DType: "float32", Shape: []int{4, 3}, Pieces: []Piece{{"q", row, "(2,3):(6,1)"}, {"k", row, "(2,3):(6,1)@3"}}},
			floats(0, 1, 2, 10, 11, 12, 3, 4, 5, 13, 14, 15)},
		{Tensor{Name: "a slice", DType: "float32", Shape: []int{2}, Pieces: []Piece{{"q", "2:3@1", "2:1"}}}, floats(1, 4)},
		{Tensor{Name: "an element twice", DType: "float32", Shape: []int{2}, Pieces: []Piece{{"q", "2:0@5", "2:1"}}}, floats(5, 5)},
		{Tensor{Name: "no elements", DType: "float32", Shape: []int{0, 7}}, nil},
		{Tensor{Name: "half", DType: "float16", Shape: []int{4}, Pieces: []Piece{{"halves", "4:1", "4:1"}}, Change: &Change{"float32", 1, 0}},
			[]byte{0x66, 0x2e, 0x00, 0xe8, 0x00, 0x7c, 0x00, 0x00}},
		{Tensor{Name: "single", DType: "float32", Shape: []int{2}, Pieces: []Piece{{"wide", "2:1", "2:1"}}, Change: &Change{"float64", 1, 0}}, floats(0.1, -3)},
		{Tensor{Name: "scaled", DType: "float32", Shape: []int{3}, Pieces: []Piece{{"bytes", "3:1", "3:1"}}, Change: &Change{"uint8", 0.5, -1}},
			floats(-1, 63, 126.5)},
		{Tensor{Name: "clipped", DType: "uint8", Shape: []int{2}, Pieces: []Piece{{"ints", "2:1", "2:1"}}, Change: &Change{"int32", 1, 0}}, []byte{0, 255}},
		{Tensor{Name: "backwards and scaled", DType: "int8", Shape: []int{3}, Pieces: []Piece{{"bytes", "3:1", "3:-1@2"}}, Change: &Change{"uint8", -1, 1}},
			[]byte{0x80, 0x81, 1}},
	} {
		for m.Memory = 1; m.Memory <= 64; m.Memory++ {
			got, err := made(t, m, c.tensor)
			if err != nil || !bytes.Equal(got, c.want) {
				t.Fatalf("%s in windows of %d bytes: % x, want % x: %v", c.tensor.Name, m.Memory, got, c.want, err)
			}
		}
	}
}

// TestMakeRefuses: what a recipe says that is not so of a, or makes no tensor, is an error that names b's tensor, and its class is the
// exit code.
func TestMakeRefuses(t *testing.T) {
	m := makerOf(t, 1<<20, files...)
	x := func(shape []int, dtype string, pieces ...Piece) Tensor {
		return Tensor{Name: "x", DType: dtype, Shape: shape, Pieces: pieces}
	}
	changed := func(x Tensor, c Change) Tensor {
		x.Change = &c
		return x
	}
	for _, c := range []struct {
		what   string
		tensor Tensor
		class  fault.Class
		want   string
	}{
		{"no pieces", x([]int{2}, "float32"), fault.Unsupported, "does not explain it"},
		{"a tensor that a lacks", x([]int{2}, "float32", Piece{"z", "2:1", "2:1"}), fault.Negative, "z"},
		{"another dtype of a", x([]int{2}, "int32", Piece{"q", "2:1", "2:1"}), fault.Negative, "its dtype is float32, and the recipe is for int32"},
		{"another dtype than it was cast from", changed(x([]int{2}, "float16", Piece{"q", "2:1", "2:1"}), Change{"float64", 1, 0}), fault.Negative, "its dtype is float32"},
		{"elements beyond a's tensor", x([]int{7}, "float32", Piece{"q", "7:1", "7:1"}), fault.Negative, "q"},
		{"elements beyond b's tensor", x([]int{2}, "float32", Piece{"q", "3:1", "3:1"}), fault.Negative, "q"},
		{"an offset before a's tensor", x([]int{2}, "float32", Piece{"q", "2:-1", "2:1"}), fault.Negative, "q"},
		{"sizes that differ", x([]int{6}, "float32", Piece{"q", "(2,3):(3,1)", "6:1"}), fault.Negative, "does not fit it"},
		{"an element of b twice", x([]int{3}, "float32", Piece{"q", "3:1", "3:1"}, Piece{"k", "1:1", "1:1@1"}), fault.Malformed, "two pieces write element 1"},
		{"an element of b not at all", x([]int{3}, "float32", Piece{"q", "2:1", "2:1"}), fault.Malformed, "no piece writes element 2"},
		{"a memory order that is no layout", x([]int{2}, "float32", Piece{"q", "NCHW", "2:1"}), fault.Malformed, "q"},
		{"a factor that is not finite", changed(x([]int{2}, "float16", Piece{"q", "2:1", "2:1"}), Change{"float32", math.Inf(1), 0}), fault.Malformed, "not finite"},
		{"an addend that is none", changed(x([]int{2}, "float16", Piece{"q", "2:1", "2:1"}), Change{"float32", 1, math.NaN()}), fault.Malformed, "not finite"},
		{"text of numbers", changed(x([]int{2}, "S4", Piece{"q", "2:1", "2:1"}), Change{"float32", 1, 0}), fault.Unsupported, "are not made of"},
		{"float8 of numbers", changed(x([]int{2}, "float8_e5m2", Piece{"q", "2:1", "2:1"}), Change{"float32", 1, 0}), fault.Unsupported, "are not made of"},
		{"a dtype that is none", x([]int{2}, "float33", Piece{"q", "2:1", "2:1"}), fault.Unsupported, "float33"},
		{"a cast from a dtype that is none", changed(x([]int{2}, "float16", Piece{"q", "2:1", "2:1"}), Change{"", 1, 0}), fault.Unsupported, "x"},
	} {
		_, err := made(t, m, c.tensor)
		if err == nil {
			t.Errorf("%s is made", c.what)
			continue
		}
		if fault.ClassOf(err) != c.class {
			t.Errorf("%s: class %v, want %v: %v", c.what, fault.ClassOf(err), c.class, err)
		}
		isNamed := strings.Contains(err.Error(), `tensor "x"`)
		if !isNamed || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.what, err, c.want)
		}
	}
}

// TestMakeRefusesText: text that is no layout is wrong in the recipe, whoever runs it.
func TestMakeRefusesText(t *testing.T) {
	m := makerOf(t, 1<<20, files...)
	for _, p := range []Piece{{"q", "rows", "2:1"}, {"q", "2:1", "2;1"}, {"q", "", "2:1"}, {"q", "2:1", "(2:1"}, {"q", "\x1b[31m", "2:1"}} {
		_, err := made(t, m, Tensor{Name: "x", DType: "float32", Shape: []int{2}, Pieces: []Piece{p}})
		if err == nil {
			t.Fatalf("%+v is a piece", p)
		}
		if strings.Contains(err.Error(), "\x1b") {
			t.Errorf("the error has controls: %q", err)
		}
	}
	t.Run("class", func(t *testing.T) {
		_, err := made(t, m, Tensor{Name: "x", DType: "float32", Shape: []int{2}, Pieces: []Piece{{"q", "rows", "2:1"}}})
		if fault.ClassOf(err) != fault.Malformed {
			t.Errorf("%v: %v", fault.ClassOf(err), err)
		}
	})
}

// tensorOf opens a tensor of a file that is written.
func tensorOf(t *testing.T, dtype string, shape []int, data []byte) *source.Tensor {
	t.Helper()
	x, err := makerOf(t, 1, stored{"b", dtype, shape, data}).Open("b")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() }) //nolint:errcheck // reads
	return x
}

// TestCompare: the first byte that differs is found in any window, in each place.
func TestCompare(t *testing.T) {
	x := Tensor{Name: "x", DType: "float32", Shape: []int{3, 2}, Pieces: []Piece{{"q", "(2,3):(3,1)", "(2,3):(1,2)"}}}
	b := floats(0, 3, 1, 4, 2, 5)
	for _, memory := range []int64{4, 12, 1 << 20} {
		m := makerOf(t, memory, files...)
		first, err := m.Compare(x, tensorOf(t, "F32", x.Shape, b))
		if first != -1 || err != nil {
			t.Errorf("equal: %d, %v", first, err)
		}
		for k := range b {
			other := bytes.Clone(b)
			other[k] ^= 1
			first, err := m.Compare(x, tensorOf(t, "F32", x.Shape, other))
			if first != int64(k) || err != nil {
				t.Errorf("byte %d differs, windows of %d: %d, %v", k, memory, first, err)
			}
		}
	}
	m := makerOf(t, 1<<20, files...)
	first, err := m.Compare(Tensor{Name: "x", DType: "float32", Shape: []int{2}}, tensorOf(t, "F32", []int{2}, floats(1, 2)))
	if first != -1 || fault.ClassOf(err) != fault.Unsupported {
		t.Errorf("not explained: %d, %v", first, err)
	}
}

// makeNothing makes a tensor of a source without any: it is an error, unless it has no elements.
func makeNothing(t *testing.T, x Tensor) {
	t.Helper()
	nothing := fault.New(fault.Usage, "no such tensor")
	m := Maker{Open: func(string) (*source.Tensor, error) { return nil, nothing }, Memory: 64, Convert: convert.Options{Threads: 1}}
	err := m.Make(x, func(int64, []byte) error { return nil })
	if err == nil && numel(x.Shape) > 0 {
		t.Fatalf("%+v is made of nothing", x)
	}
}
