package onnxgraph

import (
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/graph/graphtest"
	"github.com/tlayout/tlayout/internal/hostile"
)

func checked(t testing.TB, raw []byte) error {
	t.Helper()
	return graphtest.Checked(t, read, raw, 1<<20, 1500)
}

// small returns a model with a field of each kind.
func small() message {
	inner := graphOf(part{1, node("Transpose", "x", "b")})
	return modelOf(part{11, value("x", "n,3,?")}, part{5, message{}.Packed(1, 4, 3).Number(2, 1).Text(8, "w")},
		part{1, node("Transpose", "x", "y", perm(0, 2, 1)).Bytes(9, message{}.Text(1, "pkg.torch.onnx.stack_trace").Text(2, "x"))},
		part{1, node("If", "c", "z", message{}.Text(1, "else_branch").Bytes(6, inner))}, part{1, node("Conv", "y w -", "z").Text(7, "my")},
		part{12, value("z", "")}, part{13, value("y", "2,3")})
}

// A model that is cut at any byte, or has any bit flipped, is a program or an error.
func TestDamaged(t *testing.T) {
	raw := small()
	if err := checked(t, raw); err != nil {
		t.Fatal(err)
	}
	hostile.Damage(t, raw, func(b []byte) error { return checked(t, b) }, func(b []byte) { checked(t, b) }) //nolint:errcheck // any answer will do
}

// What no model has is an error: graphs nested more than 16 deep, a name of a megabyte, perm with dims that no tensor has, no graph.
func TestLimits(t *testing.T) {
	nested := func(depth int) message {
		g := graphOf(part{1, node("Relu", "x", "y")})
		for range depth {
			g = graphOf(part{1, node("If", "c", "z", message{}.Text(1, "then_branch").Bytes(6, g))})
		}
		return message{}.Bytes(7, g)
	}
	if err := checked(t, nested(15)); err != nil {
		t.Error(err)
	}
	transpose := func(attribute message) message { return modelOf(part{1, node("Transpose", "x", "y", attribute)}) }
	for what, model := range map[string]message{
		"graphs are nested more than 16 deep": nested(16),
		"a name has 1048576 bytes":            modelOf(part{1, node(strings.Repeat("x", 1<<20), "x", "y")}),
		"perm has dims that no tensor has":    transpose(perm(0, 1<<63)),
		"it has no graph":                     message{}.Number(1, 10),
	} {
		hostile.WantFault(t, what, checked(t, model), fault.Malformed, what)
	}
	hostile.WantFault(t, "perm of many dims", checked(t, transpose(perm(slices.Repeat([]uint64{0}, 5000)...))), fault.Malformed, "perm has dims that no tensor has")
}

// Sizes that overflow, or are of too many dims, leave a tensor unknown.
func TestSizes(t *testing.T) {
	many := slices.Repeat([]uint64{1}, 1<<20)
	for what, model := range map[string]message{
		"a size of 2^64-1":  modelOf(part{5, message{}.Packed(1, 1<<64-1, 2).Number(2, 1).Text(8, "x")}, part{1, node("Transpose", "x", "y")}),
		"sizes of 2^62":     modelOf(part{11, value("x", "4611686018427387904,4611686018427387904")}, part{1, node("Transpose", "x", "y")}),
		"dims in a weight":  modelOf(part{5, message{}.Packed(1, many...).Number(2, 1).Text(8, "x")}, part{1, node("Transpose", "x", "y")}),
		"dims in an input":  modelOf(part{11, value("x", strings.Repeat("1,", 1<<14))}, part{1, node("Transpose", "x", "y")}),
		"an unknown type":   modelOf(part{5, message{}.Packed(1, 2, 3).Number(2, 99).Text(8, "x")}, part{1, node("Relu", "x", "y")}),
		"nodes of nothing":  message{}.Bytes(7, slices.Repeat([]byte{0x0a, 0}, 1000)),
		"values of nothing": message{}.Bytes(7, slices.Repeat([]byte{0x5a, 0}, 1000)),
	} {
		if err := checked(t, model); err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if p, _ := read(model); len(p.Changes()) > 0 {
			t.Errorf("%s: %d changes", what, len(p.Changes()))
		}
	}
}

// A million dims of a weight are not kept.
func TestManyDims(t *testing.T) {
	raw := modelOf(part{5, message{}.Packed(1, slices.Repeat([]uint64{1}, 1<<20)...).Number(2, 1).Text(8, "x")})
	used := hostile.AllocatedBy(func() {
		if _, err := read(raw); err != nil {
			t.Error(err)
		}
	})
	if used > 4<<20 {
		t.Errorf("%d bytes allocated for a file of %d", used, len(raw))
	}
}

// FuzzONNXGraph reads any bytes as a model: no panic, and memory in proportion to them.
func FuzzONNXGraph(f *testing.F) {
	f.Add([]byte(small()))
	f.Add([]byte(modelOf(part{1, node("Transpose", "x", "y", perm(0, 2, 3, 1))}, part{1, node("Transpose", "y", "z", perm(0, 3, 1, 2))})))
	f.Fuzz(func(t *testing.T, raw []byte) { checked(t, raw) }) //nolint:errcheck // any answer will do
}
