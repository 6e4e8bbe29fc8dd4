package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// codeCases are layouts of every kind for which formats writes code: plain ones, blocks that are whole and that are
// not, several blocks of one dim, weights, tiles, other ranks, sizes of 1 and 0, and strides with gaps and an offset.
var codeCases = []struct{ layout, shape, strides string }{
	{"nchw", "2,3,4,5", ""}, {"nhwc", "2,3,4,5", ""}, {"chwn", "2,3,4,5", ""}, {"whcn", "2,3,4,5", ""}, {"nhwc", "2,1,4,5", ""},
	{"ndhwc", "2,3,2,4,5", ""}, {"hwio", "6,3,2,2", ""}, {"ohwi", "6,3,2,2", ""}, {"wh", "3,5", ""}, {"fortran", "2,3,4", ""},
	{"nChw16c", "1,62,5,4", ""}, {"nChw8c", "2,16,3,3", ""}, {"NCHW4", "2,3,4,5", ""}, {"CHWN4", "3,6,2,5", ""}, {"NHWCD4", "2,7,3,2", ""},
	{"kHWC8", "2,3,4,4", ""}, {"kDHWC8", "1,9,2,3,2", ""}, {"OIhw4i16o4i", "17,20,1,2", ""}, {"OIhw16i16o", "32,16,3,3", ""},
	{"KCRSc4k4", "5,6,2,3", ""},
	{"NCHW64w", "1,2,3,5", ""}, {"NHW16wC4c", "2,3,2,17", ""}, {"{1,0:T(8,128)(2,1)}", "10,130", ""}, {"{1,0:T(2,2)}", "3,5", ""},
	{"goihw", "2,3,4,2,2", ""}, {"NChw16n16c", "17,3,2,2", ""}, {"C4NHW4", "2,5,3,2", ""}, {"N4n", "6", ""}, {"nchw4", "2,0,4,5", ""},
	{"", "2,32,7,7", "1568,1,224,32"}, {"", "2,3", "5,1"}, {"", "2,3,4", "1,40,3"}, {"", "2,1,4,4", "16,16,4,1"},
	{"(2,3):(5,1)@2", "", ""}, {"(5):(3)", "", ""}, {"(2,(4,2)<5,2,3):(48,(1,24),12,4)", "", ""},
}

// codeCase is what testdata/formats_code.py gets.
type codeCase struct {
	Name      string   `json:"name"`
	Shape     []int    `json:"shape"`
	Addresses []int    `json:"addresses"`
	Elems     int      `json:"elems"`
	Offset    int      `json:"offset"`
	Make      []string `json:"make"`
	Back      []string `json:"back"`
}

// TestFormatsCodeNumPy and TestFormatsCodeTorch prove that the code that formats writes makes the memory that it says,
// element by element, with zeros in the padding, and that the code back gives the tensor again: with sizes, and without
// them for the same shape.
func TestFormatsCodeNumPy(t *testing.T) {
	runFormatsCode(t, "NumPy", "numpy", "TLAYOUT_TEST_REQUIRE_NUMPY")
}

func TestFormatsCodeTorch(t *testing.T) {
	runFormatsCode(t, "PyTorch", "torch", "TLAYOUT_TEST_REQUIRE_TORCH")
}

func runFormatsCode(t *testing.T, framework, module, require string) {
	t.Helper()
	var input strings.Builder
	count := 0
	for _, c := range codeCases {
		for _, sized := range []bool{true, false} {
			if !sized && (c.strides != "" || c.shape == "" || c.layout == "fortran") {
				continue
			}
			input.Write(must2(json.Marshal(newCodeCase(t, c.layout, c.shape, c.strides, framework, sized))))
			input.WriteByte('\n')
			count++
		}
	}
	out, ok := runPython(module, input.String())
	switch {
	case !ok && os.Getenv(require) == "1":
		t.Fatalf("there is no Python with %s", framework)
	case !ok:
		t.Skipf("there is no Python with %s", framework)
	}
	if strings.TrimSpace(out) != strconv.Itoa(count) || count < 60 {
		t.Errorf("%s compared results of %d:\n%s", framework, count, out)
	}
}

// runPython runs testdata/formats_code.py with the first Python that has the module; ok is false where none has.
func runPython(module, input string) (out string, ok bool) {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		cmd := exec.Command(python, "testdata/formats_code.py", module)
		var all strings.Builder
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &all, &all
		err := cmd.Run()
		var failed *exec.ExitError
		if err == nil || errors.As(err, &failed) && failed.ExitCode() != 77 {
			return all.String(), true
		}
	}
	return "", false
}

// newCodeCase asks for the code, with or without sizes, and computes every address from the layout.
func newCodeCase(t *testing.T, layout, shape, strides, framework string, sized bool) codeCase {
	t.Helper()
	o := &formatsOptions{framework: strings.ToLower(framework)}
	for flag, text := range map[interface{ Set(string) error }]string{&o.layout: layout, &o.shape: shape, &o.strides: strides} {
		if text != "" {
			must(flag.Set(text))
		}
	}
	r, err := newFormatsReport(o)
	if err != nil {
		t.Fatalf("%s %s: %v", layout, shape, err)
	}
	l := *r.layout
	c := codeCase{Name: layout + " " + shape + " " + strides, Shape: r.Shape, Addresses: addresses(l), Elems: *r.Elems, Offset: l.Offset()}
	if !sized {
		o.shape = intsFlag{}
		if r, err = newFormatsReport(o); err != nil {
			t.Fatal(err)
		}
		c.Name += " (symbols)"
	}
	if len(r.Code) != 1 || r.Code[0].Framework != framework {
		t.Fatalf("%s: the code is %+v", c.Name, r.Code)
	}
	c.Make, c.Back = r.Code[0].Make, r.Code[0].Back
	return c
}

// addresses are where the elements lie, in logical order.
func addresses(l tensor.Layout) []int {
	all := []int{}
	for coord := range l.Logical() {
		all = append(all, l.At(coord...))
	}
	return all
}
