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

// recorded is what a script of testdata wrote: the versions of the libraries that it asked, and a line for each tensor.
func recorded(t *testing.T, file string) (versions, lines []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
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
	_, lines := recorded(t, "dlpack.txt")
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
			if a := f.Accepts(o); a.OK != (got == "same") && !strings.HasPrefix(a.Why, "as "+pairOfFloat4) { // another type of the same bytes
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

// compareRecorded: the libraries that are installed, in the versions that a script recorded, still answer so.
func compareRecorded(t *testing.T, script string) {
	t.Helper()
	versions, lines := recorded(t, strings.Replace(script, ".py", ".txt", 1))
	o := oracle.NumPy(t, script, versions...)
	asked := strings.Fields(o.Version)[1:]
	if len(asked) == 0 {
		t.Log("no library has one of these versions: ", versions)
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
		if len(strings.Fields(got)) < 2+len(asked) {
			t.Fatalf("%q of %v", got, asked)
		}
	}
}

// TestDescriptors: oneDNN and cuDNN accept the tensors that testdata/descriptors.txt says they describe, and no others; cuDNN's remark says what
// cudnnSetTensorNdDescriptor refuses of them.
func TestDescriptors(t *testing.T) {
	answers := map[string]int{}
	_, lines := recorded(t, "descriptors.txt")
	for _, line := range lines {
		w := strings.Fields(line)
		o := readOffer(t, w[0], w[1])
		for _, answer := range w[2:] {
			name, got, _ := strings.Cut(answer, "=")
			answers[answer]++
			a := map[string]*Framework{"onednn": OneDNN, "cudnn": CuDNN, "cudnn-nd": CuDNN}[name].Accepts(o)
			if name == "cudnn-nd" {
				a.OK = a.OK && !strings.Contains(a.Why, "cudnnSetTensorNdDescriptor refuses it")
				if s, _ := o.Layout.Strided(); s.Negative() { // it takes negative strides, the graph API none
					continue
				}
			}
			if a.OK != (got == "yes") {
				t.Errorf("%s of %s: %s answers %s; ours is %+v", w[0], w[1], name, got, a)
			}
		}
	}
	for _, want := range []string{"onednn=yes", "onednn=no", "cudnn=yes", "cudnn=no", "cudnn-nd=yes", "cudnn-nd=no"} {
		if answers[want] < 10 {
			t.Errorf("%s: %v", want, answers)
		}
	}
}
