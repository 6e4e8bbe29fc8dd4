package framework

import (
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// packedCases are orders of every kind: plain ones, blocks that are whole and that are not, several blocks of one dim,
// weights, tiles, other ranks, sizes of 1 and 0. stridedCases have gaps, an offset, or a dim that never moves.
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

// pythonCase is what testdata/run.py gets: addresses are where the elements lie, in logical order.
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
		l, err := notation.ParseLayout(text)
		if err != nil {
			t.Fatal(err)
		}
		c, ok := d.Strided(l)
		if !ok {
			t.Errorf("there is no code for %s", text)
		}
		all = append(all, newPythonCase(text, l, c))
	}
	return all
}

// TestNumPy and TestPyTorch prove that the code makes the memory that it says, element by element, with zeros in the
// padding, and that the code back gives the tensor again.
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

// TestStridedRefused: no code where elements share places, run backwards, are none, or lie in blocks.
func TestStridedRefused(t *testing.T) {
	for _, text := range []string{"(2,3):(0,1)", "(3):(-1)@2", "(0,3):(3,1)", "(2,(4,2)):(8,(1,12))"} {
		l, err := notation.ParseLayout(text)
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := PyTorchCode.Strided(l); ok {
			t.Errorf("%s: %v", text, c)
		}
	}
}
