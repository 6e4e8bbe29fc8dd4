package framework

import (
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// readings is testdata/dlpack.txt: the versions of the frameworks that testdata/dlpack.py asked, and a line for each tensor.
func readings(t *testing.T) (versions, lines []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/dlpack.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines = strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Fields(lines[0])[1:], lines[1:]
}

// TestReaders: JAX, TensorFlow and ONNX Runtime accept the tensors that they read without a copy, and no others. PyTorch and NumPy accept
// those of float32 that they read; DLPack describes what one of them reads.
func TestReaders(t *testing.T) {
	read := map[string]*Framework{"jax": JAX, "tensorflow": TensorFlow, "onnxruntime": ONNXRuntime, "torch": PyTorch, "numpy": NumPy}
	answers := map[string]int{}
	_, lines := readings(t)
	for _, line := range lines {
		w := strings.Fields(line)
		o := readOffer(t, w[0], w[1])
		for _, answer := range w[2:] {
			name, got, _ := strings.Cut(answer, "=")
			f := read[name]
			if f == nil || f == NumPy && o.DType.String() != "float32" {
				continue
			}
			answers[name+" "+got]++
			if a := f.Accepts(o); a.OK != (got == "same") {
				t.Errorf("%s of %s: %s answers %s; ours is %+v", w[0], w[1], name, got, a)
			}
		}
		if a := DLPack.Accepts(o); a.OK != strings.Contains(line, "=same") {
			t.Errorf("%s: DLPack: %+v", line, a)
		}
	}
	for _, want := range strings.Fields("jax=copy jax=same jax=refused tensorflow=aborts tensorflow=same onnxruntime=refused torch=refused numpy=same") {
		if answers[strings.ReplaceAll(want, "=", " ")] < 3 {
			t.Errorf("%s: %v", want, answers)
		}
	}
}

// readOffer is a tensor of shape:strides@offset.
func readOffer(t *testing.T, layout, typ string) Offer {
	t.Helper()
	lists := strings.FieldsFunc(layout, func(r rune) bool { return strings.ContainsRune(":@", r) })
	ints := func(list string) (all []int) {
		for x := range strings.SplitSeq(strings.Trim(list, "()"), ",") {
			if n, err := strconv.Atoi(x); err == nil {
				all = append(all, n)
			}
		}
		return all
	}
	s := tensor.Strided{Shape: ints(lists[0]), Strides: ints(lists[1]), Offset: ints(lists[2])[0]}
	l, err := s.Layout(nil, 4096)
	if err != nil {
		t.Fatal(err)
	}
	d, err := dtype.Parse(typ)
	if err != nil {
		t.Fatal(err)
	}
	return Offer{Layout: l, Stored: l, Overlapping: l.Occupancy().Overlapping, DType: d, Copy: "some bytes"}
}

// compareReaders: the frameworks that are installed, in the versions of testdata/dlpack.txt, still answer so.
func compareReaders(t *testing.T) {
	versions, lines := readings(t)
	o := oracle.NumPy(t, "dlpack.py", versions...)
	asked := strings.Fields(o.Version)[1:]
	if len(asked) == 0 {
		t.Log("no framework has one of these versions: ", versions)
		return
	}
	for _, want := range lines {
		got, err := o.Line()
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		for answer := range strings.FieldsSeq(got) {
			if !slices.Contains(strings.Fields(want), answer) {
				t.Errorf("%s, recorded: %s", got, want)
			}
		}
		if len(strings.Fields(got)) != 2+len(asked) {
			t.Fatalf("%q of %v", got, asked)
		}
	}
}
