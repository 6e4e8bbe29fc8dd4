package exported

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/graphtest"
	"github.com/tlayout/tlayout/internal/hostile"
)

// archived returns an archive of torch.export with this program.
func archived(t testing.TB, model string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, member := range [][2]string{{"net/archive_format", "pt2"}, {"net/models/model.json", model}} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: member[0], Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(member[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// jsonList returns words as a list in JSON: each is put into a form.
func jsonList(words, form string) string {
	var all []string
	for _, word := range strings.Fields(words) {
		all = append(all, fmt.Sprintf(form, word))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// tensors returns the tensor_values of lines "name sizes strides", the numbers with commas; a letter is an open size of 7.
func tensors(lines ...string) string {
	var all []string
	for _, line := range lines {
		words := strings.Fields(line)
		sizes := func(list string) string {
			var numbers []string
			for word := range strings.SplitSeq(list, ",") {
				if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" {
					numbers = append(numbers, `{"as_expr":{"expr_str":"`+word+`","hint":{"as_int":7}}}`)
				} else {
					numbers = append(numbers, `{"as_int":`+word+`}`)
				}
			}
			return "[" + strings.Join(numbers, ",") + "]"
		}
		all = append(all, fmt.Sprintf(`%q:{"dtype":7,"sizes":%s,"strides":%s}`, words[0], sizes(words[1]), sizes(words[2])))
	}
	return "{" + strings.Join(all, ",") + "}"
}

// node returns a node with operands that are tensors.
func node(target, inputs, outputs string) string {
	return fmt.Sprintf(`{"target":%q,"inputs":%s,"outputs":%s,"metadata":{}}`, target,
		jsonList(inputs, `{"name":"x","arg":{"as_tensor":{"name":%q}}}`), jsonList(outputs, `{"as_tensor":{"name":%q}}`))
}

// model returns a program of nodes.
func model(inputs, outputs, values string, nodes ...string) string {
	return fmt.Sprintf(`{"graph_module":{"graph":{"inputs":%s,"outputs":%s,"nodes":[%s],"tensor_values":%s},"signature":{"input_specs":[]}}}`,
		jsonList(inputs, `{"as_tensor":{"name":%q}}`), jsonList(outputs, `{"as_tensor":{"name":%q}}`), strings.Join(nodes, ","), values)
}

func read(raw []byte) (*graph.Program, error) { return Read(bytes.NewReader(raw), int64(len(raw))) }

func programOf(t testing.TB, model string) *graph.Program {
	t.Helper()
	p, err := read(archived(t, model))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sample returns the archive of testdata/net.py.
func sample(t testing.TB) []byte {
	t.Helper()
	raw, err := os.ReadFile("../../../testdata/net.pt2")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// The sample has two changes, which undo each other: contiguous(), and the copy of conv2d, whose weight is channels_last.
func TestSample(t *testing.T) {
	p, err := read(sample(t))
	if err != nil {
		t.Fatal(err)
	}
	graphtest.WantLines(t, graphtest.NamedChanges(p), `
contiguous 4,32,64,64 NHWC NCHW cancels 1
conv2d 4,32,64,64 NCHW NHWC cancels 0`)
	all := p.Changes()
	op := p.Operators[all[0].Operator]
	if op.Place.String() != "net.py:18" || op.Place.Call(op.Name) != "x.contiguous()" || all[1].Forced != "its weight is channels_last" {
		t.Errorf("%+v forced by %q", op.Place, all[1].Forced)
	}
	if !all[0].Proved || all[0].Cure != "without contiguous() in net.py:18, conv2d reads x as it is" {
		t.Errorf("cure %q, proved %t", all[0].Cure, all[0].Proved)
	}
	if conv := p.Operators[all[1].Operator]; conv.Place.Module != "head" {
		t.Errorf("conv2d runs in %q", conv.Place.Module)
	}
	var inputs, weights []string
	for _, id := range p.Inputs {
		inputs = append(inputs, p.Values[id].Name)
	}
	for _, v := range p.Values {
		if v.Weight {
			weights = append(weights, v.Name)
		}
	}
	if fmt.Sprint(inputs) != "[image]" || len(weights) != 8 || !slices.Contains(weights, "head.weight") {
		t.Errorf("inputs %v, weights %v", inputs, weights)
	}
	if len(p.UnknownOperators()) > 0 || len(p.Notes) > 0 || p.Timed || p.ListsCopies {
		t.Errorf("unknown %v, notes %v", p.UnknownOperators(), p.Notes)
	}
}

// Operators that may return a view copy if their strides say so: reshape, to and contiguous. permute has its dims, transpose those of its strides.
func TestViewsAndCopies(t *testing.T) {
	for _, c := range []struct {
		target, from, to string
		kind             graph.Kind
		perm             string
	}{
		{"contiguous", "2,3 1,2", "2,3 3,1", graph.Copies, "[]"},
		{"contiguous", "2,3 3,1", "2,3 3,1", graph.Views, "[]"},
		{"reshape", "2,3,4 12,1,3", "6,4 4,1", graph.Copies, "[]"},
		{"reshape", "2,3,4 12,4,1", "6,4 4,1", graph.Views, "[]"},
		{"flatten", "2,1,4 4,9,1", "2,4 4,1", graph.Views, "[]"},
		{"reshape", "2,4 4,1", "2,1,4 4,99,1", graph.Views, "[]"},
		{"contiguous", "2,1,3 3,99,1", "2,1,3 3,3,1", graph.Views, "[]"},
		{"view", "2,3,4 12,1,3", "6,4 4,1", graph.Views, "[]"},
		{"transpose", "2,3,4 12,4,1", "2,4,3 12,1,4", graph.Views, "[0 2 1]"},
		{"t", "2,3 3,1", "3,2 1,3", graph.Views, "[1 0]"},
		{"mT", "3,3 3,1", "3,3 1,3", graph.Views, "[1 0]"},
		{"clone", "2,3 1,2", "2,3 3,1", graph.Copies, "[]"},
		{"conv2d", "2,3 1,2", "2,3 3,1", graph.Follows, "[]"},
		{"bmm", "2,3 1,2", "2,3 3,1", graph.Computes, "[]"},
		{"relu_", "2,3 1,2", "2,3 1,2", graph.Elementwise, "[]"},
		{"no_such_operator", "2,3 1,2", "2,3 3,1", graph.Unknown, "[]"},
	} {
		p := programOf(t, model("x", "y", tensors("x "+c.from, "y "+c.to), node("torch.ops.aten."+c.target+".default", "x", "y")))
		op := p.Operators[0]
		if op.Kind != c.kind || fmt.Sprint(op.Perm) != c.perm || op.Name != c.target {
			t.Errorf("%s of %s to %s: %s, kind %d, perm %v, want kind %d, %s", c.target, c.from, c.to, op.Name, op.Kind, op.Perm, c.kind, c.perm)
		}
	}
	for dims, want := range map[string]string{"0,2,1": "[0 2 1]", "0,-1,-2": "[0 2 1]", "0,9223372036854775807,1": "[0 -1 1]"} {
		permute := strings.Replace(node("torch.ops.aten.permute.default", "x", "y"), `}],"outputs"`,
			`},{"name":"dims","arg":{"as_ints":[`+dims+`]}}],"outputs"`, 1)
		p := programOf(t, model("x", "y", tensors("x 2,3,4 12,4,1", "y 2,4,3 12,1,4"), permute))
		if got := fmt.Sprint(p.Operators[0].Perm); got != want {
			t.Errorf("permute by %s: %s, want %s", dims, got, want)
		}
	}
}

// copy_ moves its second operand into the first, also if another operator reads what it returns.
func TestCopyInto(t *testing.T) {
	for _, name := range []string{"copy_", "copy"} {
		p := programOf(t, model("x y", "z", tensors("x 2,3 1,2", "y 2,3 3,1", "z 2,3 1,2"), node("torch.ops.aten."+name+".default", "x y", "z")))
		graphtest.WantLines(t, graphtest.NamedChanges(p), name+" 2,3 0,1 1,0")
	}
}

// A size that is an expression has the value of the example; a tensor with one that has none is not known.
func TestSymbolicSizes(t *testing.T) {
	contiguous := node("torch.ops.aten.contiguous.default", "x", "y")
	p := programOf(t, model("x", "y", tensors("x n,3,4 12,1,3", "y n,3,4 12,4,1"), contiguous))
	graphtest.WantLines(t, graphtest.NamedChanges(p), "contiguous 7,3,4 0,2,1 0,1,2")
	for _, damaged := range []string{`"hint":null`, `"hint":{"as_int":null}`, `"hint":{}`} {
		text := strings.Replace(model("x", "y", tensors("x n,3,4 12,1,3", "y n,3,4 12,4,1"), contiguous), `"hint":{"as_int":7}`, damaged, 1)
		p := programOf(t, text)
		if p.Tensor(p.Inputs[0]) != nil || len(p.Changes()) > 0 {
			t.Errorf("%s: %v", damaged, p.Tensor(p.Inputs[0]))
		}
	}
}

// torch.export records the output of a convolution of volumes in C order whatever its operands: it is not followed, and noted once.
func TestConv3d(t *testing.T) {
	const image, last = "2,8,4,4,4 512,64,16,4,1", "2,8,4,4,4 512,1,128,32,8"
	const kernel = "8,8,3,3,3 216,27,9,3,1"
	for _, c := range []struct {
		x, y  string
		notes int
	}{{image, image, 0}, {last, image, 1}, {last, last, 0}} {
		p := programOf(t, model("x w", "z", tensors("x "+c.x, "w "+kernel, "y "+c.y, "z "+c.y),
			node("torch.ops.aten.conv3d.default", "x w", "y"), node("torch.ops.aten.conv3d.default", "x w", "z")))
		if len(p.Notes) != c.notes || (p.Operators[0].Kind == graph.Computes) != (c.notes > 0) {
			t.Errorf("%s to %s: kind %d, notes %v", c.x, c.y, p.Operators[0].Kind, p.Notes)
		}
	}
}

// The page says which operators may copy without a trace in an export, each once.
func TestHiddenCopies(t *testing.T) {
	p := programOf(t, model("x", "z", tensors("x 2,3 3,1", "y 2,3 3,1", "z 2,3 3,1"), node("torch.ops.aten.einsum.default", "x", "y"),
		node("torch.ops.aten.einsum.default", "y", "z"), node("torch.ops.aten.relu.default", "y", "z")))
	if got := strings.Join(p.Notes, "; "); got != "copies that einsum may make are not in an export; a profile has them" {
		t.Error(got)
	}
}

// Operators of other namespaces are unknown and counted; Python's functions of sizes are not.
func TestNamespaces(t *testing.T) {
	p := programOf(t, model("x", "y", tensors("x 2,3 3,1"), node("torch.ops.mylib.conv2d.default", "x", "a"), node("torch.ops.mylib.conv2d.default", "a", "b"),
		node("torch.ops.higher_order.cond", "b", "c"), node("_operator.mul", "", ""), node("math.trunc", "", ""), node("torch.ops.aten.relu.default", "c", "y")))
	if got := fmt.Sprint(p.UnknownOperators()); got != "map[higher_order.cond:1 mylib.conv2d:2]" {
		t.Error(got)
	}
}

// Parameters, buffers and constants are weights with the names that the module has for them.
func TestWeights(t *testing.T) {
	text := strings.Replace(model("x p b c", "", tensors("x 2 1")), `"input_specs":[]`, `"input_specs":[
		{"user_input":{"arg":{"as_tensor":{"name":"x"}}}},
		{"parameter":{"arg":{"name":"p"},"parameter_name":"layers.0.weight"}},
		{"buffer":{"arg":{"name":"b"},"buffer_name":"mean","persistent":true}},
		{"tensor_constant":{"arg":{"name":"c"},"tensor_constant_name":5}},
		{"token":{"arg":7}}, {"parameter":{}}]`, 1)
	p := programOf(t, text)
	var got []string
	for _, v := range p.Values {
		got = append(got, fmt.Sprint(v.Name, " ", v.Weight))
	}
	if fmt.Sprint(got) != "[x false layers.0.weight true mean true c true]" || len(p.Inputs) != 1 {
		t.Errorf("values %v, inputs %v", got, p.Inputs)
	}
}

// A node reads tensors of every kind of argument: lists, optional ones, and none.
func TestArguments(t *testing.T) {
	arguments := `[{"arg":{"as_tensors":[{"name":"a"},{"name":"b"}]}},{"arg":{"as_optional_tensors":[{"as_tensor":{"name":"c"}},{"as_none":true}]}},
		{"arg":{"as_optional_tensor":{"as_tensor":{"name":"d"}}}},{"arg":{"as_tensor":{"name":""}}},{"arg":{"as_int":3}},{"arg":{"as_none":true}}]`
	text := strings.Replace(model("", "", tensors("a 2 1"), node("torch.ops.aten.cat.default", "", "y")), `"inputs":[],"outputs":[{`, `"inputs":`+arguments+`,"outputs":[{`, 1)
	if got := fmt.Sprint(programOf(t, text).Operators[0].Inputs); got != "[0 1 2 3 -1]" {
		t.Error(got)
	}
}

// An archive without a program is not one that is read, and PyTorch's older names of it are.
func TestIsModel(t *testing.T) {
	for name, want := range map[string]bool{"net/models/model.json": true, "a/b/models/x.json": true, "serialized_exported_program.json": true,
		"net/serialized_exported_program.json": true, "models/model.json": false, "net/models/model.txt": false, "net/data/weights/model.json": false} {
		if got := IsModel(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
	raw := bytes.ReplaceAll(sample(t), []byte("models/model.json"), []byte("models/model.text"))
	_, err := read(raw)
	hostile.WantFault(t, "without a program", err, fault.Unsupported, "the archive has no models/model.json")
}
