package profile

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/graphtest"
)

// copyEvent is a copy_ as a trace has it: what it writes, and what it reads.
type copyEvent struct {
	Category string  `json:"cat"`
	Name     string  `json:"name"`
	Begin    float64 `json:"ts"`
	Args     struct {
		Dims    [2]ints `json:"Input Dims"`
		Strides [2]ints `json:"Input Strides"`
	} `json:"args"`
}

// ints is a list of numbers; other arguments of operators are lists of lists.
type ints []int

func (n *ints) UnmarshalJSON(b []byte) error {
	var all []int
	if json.Unmarshal(b, &all) == nil {
		*n = all
	}
	return nil
}

// orders returns the dims in the order of what is written and of what is read, the outermost first, without those of size 1 and those that
// repeat their elements.
func (e *copyEvent) orders() (to, from []int) {
	var dims []int
	for d, n := range e.Args.Dims[0] {
		if n > 1 && e.Args.Strides[0][d] != 0 && e.Args.Strides[1][d] != 0 {
			dims = append(dims, d)
		}
	}
	by := func(strides []int) []int {
		return slices.SortedStableFunc(slices.Values(dims), func(a, b int) int { return cmp.Compare(strides[b], strides[a]) })
	}
	return by(e.Args.Strides[0]), by(e.Args.Strides[1])
}

// movedBy returns the copies of a trace whose operands have their elements in different orders, in order of time.
func movedBy(t *testing.T, trace []byte) []string {
	t.Helper()
	var file struct {
		Events []copyEvent `json:"traceEvents"`
	}
	if err := json.Unmarshal(trace, &file); err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(file.Events, func(a, b copyEvent) int { return cmp.Compare(a.Begin, b.Begin) })
	var all []string
	for _, e := range file.Events {
		if e.Name != "aten::copy_" || !slices.Equal(e.Args.Dims[0], e.Args.Dims[1]) {
			continue
		}
		to, from := e.orders()
		if !slices.Equal(to, from) {
			all = append(all, fmt.Sprint(e.Args.Dims[0], e.Args.Strides[1], e.Args.Strides[0]))
		}
	}
	return all
}

// The changes that are copies in profiles of small models are the copy_ events whose two operands have different orders, one for one.
func TestProfileModels(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json.gz")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	found := map[string]int{}
	for _, file := range files {
		packed := graphtest.Sample(t, filepath.Base(file))
		p := profileOf(t, string(packed))
		var got []string
		for _, c := range p.Changes() {
			if p.Operators[c.Operator].Kind != graph.Copies {
				continue
			}
			from, _ := c.From.Strided()
			to, _ := c.To.Strided()
			got = append(got, fmt.Sprint(from.Shape, from.Strides, to.Strides))
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		var plain bytes.Buffer
		if _, err := plain.ReadFrom(z); err != nil {
			t.Fatal(err)
		}
		want := movedBy(t, plain.Bytes())
		if !slices.Equal(got, want) {
			t.Errorf("%s: changes\n%q\nwant\n%q", file, got, want)
		}
		found[filepath.Base(file)] = len(got)
	}
	if found["linear.json.gz"] != 0 || found["attention.json.gz"] != 4 {
		t.Errorf("changes %v", found)
	}
	t.Log(found)
}

// A change repeats another only if nothing else looks like the tensor that both read: q, k and v of an attention do.
func TestProfileRepeats(t *testing.T) {
	p := profileOf(t, string(graphtest.Sample(t, "attention.json.gz")))
	for _, c := range p.Changes() {
		if c.Repeats >= 0 {
			t.Errorf("%s repeats %d", described(p, c), c.Repeats)
		}
	}
}

// Operators of Python's syntax have their lines: q @ k and what follows it.
func TestProfileLines(t *testing.T) {
	p := profileOf(t, string(graphtest.Sample(t, "attention.json.gz")))
	for _, op := range p.Operators {
		if op.Place.File != "profiles.py" || op.Place.Line < 42 || op.Place.Line > 44 {
			t.Errorf("%s is at %s", op.Name, op.Place)
		}
	}
}

// operatorsNamed returns the operators with a name.
func operatorsNamed(p *graph.Program, name string) []*graph.Operator {
	var all []*graph.Operator
	for i := range p.Operators {
		if p.Operators[i].Name == name && p.Operators[i].Inside == "" {
			all = append(all, &p.Operators[i])
		}
	}
	return all
}

// The weights of a module are the same values in each step, and what a backward operator reads is not a weight because of its position.
func TestProfileWeights(t *testing.T) {
	p := profileOf(t, string(graphtest.Sample(t, "training.json.gz")))
	convs := operatorsNamed(p, "conv2d")
	if len(convs) != 6 {
		t.Fatalf("%d operators", len(convs))
	}
	for i, first := range convs[:3] {
		second := convs[i+3]
		if !slices.Equal(first.Inputs[1:], second.Inputs[1:]) || !p.Values[first.Inputs[1]].Weight {
			t.Errorf("%s reads %v, then %v", first.Place, first.Inputs, second.Inputs)
		}
	}
	for _, op := range operatorsNamed(p, "convolution_backward") {
		if p.Values[op.Inputs[1]].Weight {
			t.Errorf("the input of %s is a weight", op.Place)
		}
	}
}

// The tensors in a list are operands: cat has two, in different orders, and its output is what conv2d reads.
func TestProfileLists(t *testing.T) {
	p := profileOf(t, string(graphtest.Sample(t, "unet.json.gz")))
	cat := operatorsNamed(p, "cat")[0]
	if len(cat.Inputs) != 2 || cat.Inputs[0] == cat.Inputs[1] || !isTyped(p.Tensor(cat.Outputs[0])) {
		t.Errorf("cat reads %v, writes %v", cat.Inputs, cat.Outputs)
	}
	isImplied := func(c graph.Change) bool { return c.Implied && p.Operators[c.Operator].Name == "cat" }
	if !slices.ContainsFunc(p.Changes(), isImplied) {
		t.Error("cat changes nothing")
	}
}

// A tensor of a list has no type in a trace: that of the operator that made it.
func TestProfileListType(t *testing.T) {
	p := profileOf(t, traceOf(
		operatorEvent("aten::relu", 1, 1, "[[2,3]]", "[[3,1]]", `["c10::Half"]`),
		operatorEvent("aten::cat", 3, 1, "[[[2,3],[5,3]],[]]", "[[[3,1],[3,1]],[]]", `["TensorList","Scalar"]`)))
	cat := operatorsNamed(p, "cat")[0]
	if cat.Inputs[0] != p.Operators[0].Outputs[0] || p.Tensor(cat.Inputs[0]).Bytes() != 12 {
		t.Errorf("cat reads %v, of %d bytes", cat.Inputs, p.Tensor(cat.Inputs[0]).Bytes())
	}
}

// What reshape() returns is a view of what it has copied.
func TestProfileReshape(t *testing.T) {
	p := profileOf(t, string(graphtest.Sample(t, "attention.json.gz")))
	all := operatorsNamed(p, "reshape")
	op := all[len(all)-1]
	if op.Kind != graph.Copies || !slices.Equal(p.Tensor(op.Outputs[0]).Layout.Shape(), []int{2, 10, 64}) {
		t.Errorf("reshape is %d, makes %v", op.Kind, p.Tensor(op.Outputs[0]).Layout.Shape())
	}
	linear := operatorsNamed(p, "linear")
	if linear[1].Inputs[0] != op.Outputs[0] {
		t.Errorf("linear reads %v, not %v", linear[1].Inputs, op.Outputs)
	}
}

// An operand of a list that nothing else names has the type of the others, and not none: its bytes count.
func TestProfileListRepeated(t *testing.T) {
	p := profileOf(t, traceOf(
		operatorEvent("aten::sum", 1, 1, "[[2,3]]", "[[3,1]]", `["c10::Half"]`),
		operatorEvent("aten::cat", 3, 1, "[[[2,3],[2,3]],[]]", "[[[3,1],[3,1]],[]]", `["TensorList","Scalar"]`)))
	cat := operatorsNamed(p, "cat")[0]
	for _, id := range cat.Inputs {
		if p.Tensor(id).Bytes() != 12 {
			t.Errorf("cat reads %d bytes", p.Tensor(id).Bytes())
		}
	}
}

// The results that tlayout's module records are those of the operator, also if nothing reads them: add reads an operand out of order.
func TestProfileResults(t *testing.T) {
	added := operatorEvent("aten::add", 1, 1, "[[2,3],[2,3],[]]", "[[1,2],[3,1],[]]", `["float","float","Scalar"]`)
	if changes := profileOf(t, traceOf(added)).Changes(); len(changes) != 0 {
		t.Errorf("%d changes without a result", len(changes))
	}
	result := `"Output Dims":[[2,3]],"Output Strides":[[1,2]],"Output type":["torch.float32"],`
	p := profileOf(t, traceOf(strings.Replace(added, `"Input Dims"`, result+`"Input Dims"`, 1)))
	changes := p.Changes()
	if len(changes) != 1 || changes[0].Operand != 1 || p.Tensor(p.Operators[0].Outputs[0]).Bytes() != 24 {
		t.Errorf("changes %v", changes)
	}
}
