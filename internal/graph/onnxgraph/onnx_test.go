package onnxgraph

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/file/onnx/onnxtest"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/graphtest"
)

// message is a message of protobuf that a test writes.
type message = onnxtest.Message

// node returns a NodeProto, with attributes.
func node(operator, inputs, outputs string, attributes ...message) message {
	m := message{}.Text(4, operator).Text(3, "/"+operator)
	for name := range strings.FieldsSeq(inputs) {
		m = m.Text(1, strings.Trim(name, "-"))
	}
	for name := range strings.FieldsSeq(outputs) {
		m = m.Text(2, strings.Trim(name, "-"))
	}
	for _, a := range attributes {
		m = m.Bytes(5, a)
	}
	return m
}

// perm returns the attribute of a Transpose.
func perm(dims ...uint64) message { return message{}.Text(1, "perm").Packed(8, dims...).Number(20, 7) }

// value returns a ValueInfoProto of a float32 tensor. A size that is not a number is a name, ? neither.
func value(name, sizes string) message {
	var shape message
	for size := range strings.FieldsSeq(strings.ReplaceAll(sizes, ",", " ")) {
		var n uint64
		if size == "?" {
			shape = shape.Bytes(1, nil)
		} else if _, err := fmt.Sscan(size, &n); err == nil {
			shape = shape.Bytes(1, message{}.Number(1, n))
		} else {
			shape = shape.Bytes(1, message{}.Text(2, size))
		}
	}
	return message{}.Text(1, name).Bytes(2, message{}.Bytes(1, message{}.Number(1, 1).Bytes(2, shape)))
}

// part is a field of a GraphProto, by its number: 1 is a node, 5 an initializer, 11 an input, 12 an output, 13 another value.
type part struct {
	field   int
	content message
}

func graphOf(parts ...part) message {
	var m message
	for _, p := range parts {
		switch p.field {
		case 1:
			m = m.Bytes(1, p.content)
		case 5:
			m = m.Bytes(5, p.content)
		case 11:
			m = m.Bytes(11, p.content)
		case 12:
			m = m.Bytes(12, p.content)
		case 13:
			m = m.Bytes(13, p.content)
		}
	}
	return m
}

func modelOf(parts ...part) message { return message{}.Number(1, 10).Bytes(7, graphOf(parts...)) }

func read(raw []byte) (*graph.Program, error) { return Read(bytes.NewReader(raw), int64(len(raw))) }

func programOf(t testing.TB, model message) *graph.Program {
	t.Helper()
	p, err := read(model)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The sample has two Transposes, with the lines of the user's program.
func TestSample(t *testing.T) {
	raw, err := os.ReadFile("../../../testdata/net.onnx")
	if err != nil {
		t.Fatal(err)
	}
	p := programOf(t, raw)
	graphtest.WantLines(t, graphtest.NamedChanges(p), "Transpose 4,32,4096 0,1,2 0,2,1\nTranspose 4,4096,32 0,1,2 0,2,1")
	for i, want := range []string{"net.py:16", "net.py:17"} {
		if got := p.Operators[p.Changes()[i].Operator].Place.String(); got != want {
			t.Errorf("change %d is at %s", i, got)
		}
	}
	if len(p.Inputs) != 1 || len(p.Outputs) != 1 || p.Timed || !p.ListsCopies || len(p.Notes) > 0 {
		t.Errorf("inputs %v, outputs %v, notes %v", p.Inputs, p.Outputs, p.Notes)
	}
}

// A Transpose permutes its dims, without perm it reverses them; perm that is no permutation changes nothing. Sizes of results follow.
func TestTranspose(t *testing.T) {
	for _, c := range []struct {
		sizes      string
		attributes []message
		want       string
	}{
		{"2,3,4", []message{perm(0, 2, 1)}, "Transpose 2,3,4 0,1,2 0,2,1"},
		{"2,3,4", []message{perm(2, 0, 1)}, "Transpose 2,3,4 0,1,2 2,0,1"},
		{"2,3,4", []message{message{}.Text(1, "perm").Number(8, 0).Number(8, 2).Number(8, 1)}, "Transpose 2,3,4 0,1,2 0,2,1"},
		{"2,3,4", nil, "Transpose 2,3,4 0,1,2 2,1,0"},
		{"2,3,4", []message{perm(0, 1, 2)}, ""},
		{"2,1,4", []message{perm(0, 2, 1)}, ""},
		{"2,3,4", []message{perm(0, 0, 1)}, ""},
		{"2,3,4", []message{perm(0, 2, 7)}, ""},
		{"2,3,4", []message{perm(1, 0)}, ""},
		{"2,3,4", []message{perm(1, 0, 2, 3)}, ""},
		{"2,3,4", []message{message{}.Text(1, "axes").Packed(8, 0, 1, 2)}, "Transpose 2,3,4 0,1,2 2,1,0"},
		{"n,3,4", []message{perm(0, 2, 1)}, "Transpose 2,3,4 0,1,2 0,2,1"},
		{"", nil, ""},
		{"5", nil, ""},
	} {
		p := programOf(t, modelOf(part{1, node("Transpose", "x", "y", c.attributes...)}, part{11, value("x", c.sizes)}))
		t.Run(fmt.Sprint(c.sizes, c.attributes), func(t *testing.T) { graphtest.WantLines(t, graphtest.Changes(p), lines(p, c.want)) })
	}
	p := programOf(t, modelOf(part{11, value("x", "2,3,4")}, part{1, node("Transpose", "x", "y", perm(0, 2, 1))},
		part{1, node("Relu", "y", "z")}, part{1, node("Transpose", "z", "u", perm(0, 2, 1))}))
	graphtest.WantLines(t, graphtest.NamedChanges(p), "Transpose 2,3,4 0,1,2 0,2,1 cancels 1\nTranspose 2,4,3 0,1,2 0,2,1 cancels 0")
}

// lines returns changes with layouts instead of the names of orders, if there is one.
func lines(p *graph.Program, want string) string {
	all := p.Changes()
	if len(all) != 1 {
		return want
	}
	return strings.Replace(want, all[0].FromName()+" "+all[0].ToName(), all[0].From.String()+" "+all[0].To.String(), 1)
}

// Without sizes, a Transpose with perm is a change of unknown size, which is noted; one without perm may move nothing.
func TestUnsized(t *testing.T) {
	p := programOf(t, modelOf(part{1, node("Transpose", "x", "y", perm(0, 2, 3, 1))}, part{1, node("Relu", "y", "z")},
		part{1, node("Transpose", "z", "u", perm(0, 3, 1, 2))}, part{1, node("Transpose", "u", "v")}))
	all := p.Changes()
	if len(all) != 2 || all[0].Cancels != 1 || all[0].Tensor.Sizes() != "?,?,?,?" {
		t.Errorf("changes %+v", all)
	}
	if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "lacks shapes") {
		t.Errorf("notes %q", p.Notes)
	}
	p = programOf(t, modelOf(part{11, value("x", "batch,?,4")}, part{1, node("Transpose", "x", "y", perm(0, 2, 1))}))
	c := p.Changes()[0]
	if c.Tensor.Sizes() != "batch,?,4" || c.Bytes() != 16 || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "leaves open") {
		t.Errorf("%s, %d bytes, notes %q", c.Tensor.Sizes(), c.Bytes(), p.Notes)
	}
}

// An initializer is a weight, also if it is an input, as before IR version 4.
func TestInitializers(t *testing.T) {
	w := message{}.Packed(1, 4, 3).Number(2, 10).Text(8, "w")
	v := message{}.Number(1, 3).Number(1, 2).Number(2, 1).Text(8, "v")
	p := programOf(t, modelOf(part{11, value("x", "2,3")}, part{11, value("w", "4,3")}, part{5, w}, part{5, v},
		part{1, node("Transpose", "w", "t")}, part{1, node("Transpose", "v", "u")}, part{12, value("t", "3,4")}))
	all := p.Changes()
	if len(all) != 2 || !all[0].Weight || all[0].Bytes() != 24 || !all[1].Weight || all[1].Bytes() != 24 {
		t.Errorf("changes %+v", all)
	}
	if len(p.Outputs) != 1 || p.Values[p.Outputs[0]].Name != "t" {
		t.Errorf("outputs %v", p.Outputs)
	}
}

// Operators of ONNX and of Microsoft have kinds, those of other domains are unknown. An operand that is left out has no value.
func TestDomains(t *testing.T) {
	p := programOf(t, modelOf(part{1, node("Relu", "x", "y")}, part{1, node("FusedConv", "y", "z").Text(7, "com.microsoft")},
		part{1, node("Relu", "z", "u").Text(7, "my.ops")}, part{1, node("NoSuch", "u - v", "w -")}, part{1, node("Conv", "w", "-")}))
	var kinds []graph.Kind
	for _, op := range p.Operators {
		kinds = append(kinds, op.Kind)
	}
	if want := []graph.Kind{graph.Elementwise, graph.Follows, graph.Unknown, graph.Computes, graph.Computes}; fmt.Sprint(kinds) != fmt.Sprint(want) {
		t.Errorf("kinds %v, want %v", kinds, want)
	}
	if got := fmt.Sprint(p.UnknownOperators()); got != "map[my.ops.Relu:1]" {
		t.Error(got)
	}
	if op := p.Operators[3]; op.Inputs[1] != graph.NoValue || op.Outputs[1] != graph.NoValue {
		t.Errorf("operands %v, results %v", op.Inputs, op.Outputs)
	}
	p.Changes()
}

// A node is at its name, or at the line of the user's program that torch.onnx.export keeps.
func TestMetadata(t *testing.T) {
	const stack = "File \"/home/me/net.py\", line 12, in forward\n    y = x.mT\n  File \"/usr/lib/python3/site-packages/torch/x.py\", line 3, in f\n    g()"
	entry := func(key, value string) message { return message{}.Text(1, key).Text(2, value) }
	n := node("Transpose", "x", "y").Bytes(9, entry("namespace", "a")).Bytes(9, entry("pkg.torch.onnx.stack_trace", stack)).Bytes(9, entry("fx_node", "a"))
	p := programOf(t, modelOf(part{11, value("x", "2,3")}, part{1, n}, part{1, node("Transpose", "y", "z")}))
	at := p.Operators[0].Place
	if at.String() != "net.py:12" || at.Code != "y = x.mT" || at.Node != "/Transpose" || p.Operators[1].Place.String() != "/Transpose" {
		t.Errorf("%+v and %+v", at, p.Operators[1].Place)
	}
}

// Graphs in attributes are read: their nodes see the values around them, and their own hide these.
func TestSubgraphs(t *testing.T) {
	inner := graphOf(part{13, value("x", "5,6")}, part{1, node("Transpose", "outer", "a")}, part{1, node("Transpose", "x", "b")}, part{12, value("b", "6,5")})
	branch := message{}.Text(1, "then_branch").Bytes(6, inner)
	p := programOf(t, modelOf(part{11, value("x", "2,3")}, part{11, value("outer", "4,3")}, part{1, node("If", "c", "z", branch)},
		part{1, node("Transpose", "x", "y")}))
	graphtest.WantLines(t, graphtest.NamedChanges(p), "Transpose 4,3 0,1 1,0\nTranspose 5,6 0,1 1,0\nTranspose 2,3 0,1 1,0")
	if len(p.Inputs) != 2 || len(p.Outputs) != 0 || p.Operators[2].Name != "If" {
		t.Errorf("inputs %v, outputs %v, %s", p.Inputs, p.Outputs, p.Operators[2].Name)
	}
	branch = message{}.Text(1, "then_branch").Bytes(6, graphOf(part{1, node("Relu", "x", "y")}))
	p = programOf(t, modelOf(part{1, node("Exp", "x", "y")}, part{1, node("If", "c", "z", branch)}))
	if p.Operators[0].Outputs[0] == p.Operators[1].Outputs[0] {
		t.Error("a node of a branch writes a value around it")
	}
}
