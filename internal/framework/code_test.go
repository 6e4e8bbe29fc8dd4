package framework

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// packedCases are orders of every kind: plain ones, whole and partial blocks, several blocks of one dim, weights, tiles, other
// ranks, sizes of 1 and 0. stridedCases have gaps, an offset, or a dim of size 1.
var (
	packedCases = []struct {
		layout string
		shape  []int
	}{
		{"nchw", []int{2, 3, 4, 5}}, {"nhwc", []int{2, 3, 4, 5}}, {"chwn", []int{2, 3, 4, 5}}, {"whcn", []int{2, 3, 4, 5}},
		{"nhwc", []int{2, 1, 4, 5}}, {"ndhwc", []int{2, 3, 2, 4, 5}}, {"hwio", []int{6, 3, 2, 2}}, {"ohwi", []int{6, 3, 2, 2}},
		{"wh", []int{3, 5}}, {"cba", []int{2, 3, 4}}, {"nChw16c", []int{1, 62, 5, 4}}, {"nChw8c", []int{2, 16, 3, 3}},
		{"NCHW4", []int{2, 3, 4, 5}}, {"CHWN4", []int{3, 6, 2, 5}}, {"NHWCD4", []int{2, 7, 3, 2}}, {"kHWC8", []int{2, 3, 4, 4}},
		{"kDHWC8", []int{1, 9, 2, 3, 2}}, {"OIhw4i16o4i", []int{17, 20, 1, 2}}, {"OIhw16i16o", []int{32, 16, 3, 3}},
		{"KCRSc4k4", []int{5, 6, 2, 3}}, {"NCHW64w", []int{1, 2, 3, 5}}, {"NHW16wC4c", []int{2, 3, 2, 17}},
		{"{1,0:T(8,128)(2,1)}", []int{10, 130}}, {"{1,0:T(2,2)}", []int{3, 5}}, {"goihw", []int{2, 3, 4, 2, 2}},
		{"NChw16n16c", []int{17, 3, 2, 2}}, {"C4NHW4", []int{2, 5, 3, 2}}, {"N4n", []int{6}}, {"nchw4", []int{2, 0, 4, 5}},
	}
	stridedCases = []string{"(2,32,7,7):(1568,1,224,32)", "(2,3):(5,1)", "(2,3,4):(1,40,3)", "(2,1,4,4):(16,999,4,1)",
		"(2,3):(5,1)@2", "(5):(3)", "(4,3):(3,1)@7"}
)

// pythonCase is the input of testdata/run.py: addresses are the offsets of the elements, in logical order.
type pythonCase struct {
	Name      string   `json:"name"`
	Shape     []int    `json:"shape"`
	Addresses []int    `json:"addresses"`
	Elems     int      `json:"elems"`
	Offset    int      `json:"offset"`
	Make      []string `json:"make"`
	Back      []string `json:"back"`
}

func newPythonCase(name string, l tensor.Layout, c Code) pythonCase {
	addresses := []int{}
	for coord := range l.Logical() {
		addresses = append(addresses, l.At(coord...))
	}
	return pythonCase{name, l.Shape(), addresses, l.Alloc(), l.Offset(), c.Make, c.Back}
}

// pythonCases are all of a dialect: packed ones with sizes, and without them for the same shape.
func pythonCases(t *testing.T, d Dialect) []pythonCase {
	t.Helper()
	var all []pythonCase
	for _, c := range packedCases {
		order, err := notation.Parse(c.layout)
		if err != nil {
			t.Fatal(err)
		}
		l, err := order.Format.Bind(c.shape)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, newPythonCase(c.layout, l, d.Packed(order.Format, c.shape)),
			newPythonCase(c.layout+" (letters)", l, d.Packed(order.Format, nil)))
	}
	for _, text := range stridedCases {
		l := exactly(t, text)
		c, ok := d.Strided(l)
		if !ok {
			t.Errorf("there is no code for %s", text)
		}
		all = append(all, newPythonCase(text, l, c))
	}
	return all
}

// TestNumPy and TestPyTorch run the code: it makes the memory that it claims, element by element, with zeros in the padding,
// and the code back gives the tensor again.
func TestNumPy(t *testing.T) { compare(t, NumPyCode, oracle.NumPy(t, "run.py", "numpy")) }

func TestPyTorch(t *testing.T) { compare(t, PyTorchCode, oracle.Torch(t, "run.py", "torch")) }

// compare fails with the differences that run.py prints. Its last line is the number of comparisons.
func compare(t *testing.T, d Dialect, o *oracle.Oracle) {
	t.Helper()
	cases := pythonCases(t, d)
	go func() {
		defer o.Close()
		for _, c := range cases {
			if o.Ask(c) != nil {
				return
			}
		}
	}()
	var lines []string
	for line, err := o.Line(); err == nil; line, err = o.Line() {
		lines = append(lines, line)
	}
	if strings.Join(lines, "\n") != strconv.Itoa(len(cases)) || len(cases) < 60 {
		t.Errorf("of %d comparisons: %s", len(cases), strings.Join(lines, "\n"))
	}
}

// TestStridedRefused: no code for overlapping elements, negative strides, empty tensors and blocks.
func TestStridedRefused(t *testing.T) {
	for _, text := range []string{"(2,3):(0,1)", "(3):(-1)@2", "(0,3):(3,1)", "(2,(4,2)):(8,(1,12))"} {
		l := exactly(t, text)
		if c, ok := PyTorchCode.Strided(l); ok {
			t.Errorf("%s: %v", text, c)
		}
	}
}

// TestDirectML: leading sizes of 1, strides unless the tensor is packed, and the bytes up to the last element, rounded up to
// four (source 2).
func TestDirectML(t *testing.T) {
	for _, c := range []struct {
		shape, strides, sizes, passed []int
		dtype, code                   string
		bytes                         int
	}{
		{[]int{3, 5}, []int{5, 1}, []int{1, 1, 3, 5}, nil, "float32", "desc.Strides = nullptr; // packed", 60},
		{[]int{3, 5}, []int{6, 1}, []int{1, 1, 3, 5}, []int{18, 18, 6, 1}, "float16", "const UINT strides[] = {18, 18, 6, 1}; // elements", 36},
		{[]int{2, 3, 1, 1, 1, 2}, []int{6, 2, 2, 2, 2, 1}, []int{2, 3, 1, 1, 1, 2}, nil, "uint8",
			"desc.DimensionCount = 6; // feature level 3.0; 5 before", 12},
	} {
		s, err := tensor.NewStrided(c.shape, c.strides, 0)
		if err != nil {
			t.Fatal(err)
		}
		typ, err := dtype.Parse(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		d, ok := NewDesc(s, typ)
		if !ok || !slices.Equal(d.Sizes, c.sizes) || !slices.Equal(d.Strides, c.passed) || d.Bytes != c.bytes || !slices.Contains(d.Lines(), c.code) {
			t.Errorf("%v:%v is %+v, %q, expected %v:%v of %d bytes, %q", c.shape, c.strides, d, d.Lines(), c.sizes, c.passed, c.bytes, c.code)
		}
	}
	empty, none := tensor.Strided{Shape: []int{2, 0}, Strides: []int{1, 1}}, dtype.Type{}
	if d, ok := NewDesc(empty, none); ok {
		t.Errorf("an empty tensor of no type is %+v", d)
	}
}
