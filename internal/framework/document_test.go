package framework

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/golden"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// TestDocument: docs/accepted.md is what the table says. -update writes it.
func TestDocument(t *testing.T) {
	var out strings.Builder
	out.WriteString(`# What frameworks accept

A framework accepts a tensor without a copy if its layout, element type and number of dims all fit. This page lists types and dims, and
where each was read. Some names go with some types only, TensorRT's kCHW4 with int8: ` + "`tlayout formats tensorrt`" + ` lists them. As JSON, with
sources: ` + "`tlayout formats nhwc --json`" + `.

- *As stored or logical*: for NumPy, PyTorch, DLPack, JAX, TensorFlow, ONNX Runtime and safetensors, the answer is about the array as stored in
  its file; for the others, about the logical tensor.
- *Run*: JAX, TensorFlow, ONNX Runtime, PyTorch and NumPy imported memory of every layout, type and alignment through DLPack, on a CPU; they
  accept it if the address stays the same. oneDNN and cuDNN accept what their descriptors describe; no kernel was run. MLX always
  copies, and OpenVINO shares row-major NumPy arrays only.
- *Alignment*: JAX and TensorFlow need 64 bytes, TMA 16. The storage is assumed to be aligned, so that the offset decides.

## Types

NumPy accepts every type; strings, times, records, raw bytes, big-endian numbers and floats wider than float64 are accepted by NumPy alone.
CuTe's layouts have no types. PyTorch accepts some types only since a version, or under another name, which ` + "`inspect`" + ` prints.
Types below a byte are packed, two values of 4 bits in a byte; PyTorch's int4, a byte for each value, is not. DirectML and MegEngine have int4
and uint4, but whether they accept such tensors was not tested: the answer is unknown.

`)
	writeGroups(&out)
	out.WriteString("\n| framework | types |\n|---|---|\n")
	writeTypes(t, &out)
	out.WriteString("\n## Dims and sources\n\n| framework | dims | source | version read |\n|---|---|---|---|\n")
	for _, f := range frameworks {
		dims := fmt.Sprintf("%d to %d", f.MinDims, f.MaxDims)
		if f.MaxDims == 0 {
			dims = "any"
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", f.Name, dims, f.Source, f.Read)
	}
	golden.Compare(t, "../../docs/accepted.md", []byte(out.String()))
}

// TestReadVersions: testdata/read.txt, from which make stale takes versions to compare with the registries, has every framework: a release that its
// own row names, a commit, or the reason why no registry has it.
func TestReadVersions(t *testing.T) {
	data, err := os.ReadFile("testdata/read.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		w := strings.Fields(line)
		if len(w) == 0 || w[0] == "#" {
			continue
		}
		name := frameworkOf(w[0])
		at := slices.IndexFunc(frameworks, func(f *Framework) bool { return f.Name == name })
		seen[name] = true
		switch {
		case at < 0:
			t.Errorf("%s is no framework", name)
		case len(w) < 3 || w[1] != "none" && (len(w) != 4 || !slices.Contains([]string{"pypi", "npm", "go"}, w[1])):
			t.Errorf("%s", line)
		case w[1] != "none" && w[3] != "-" && !strings.Contains(frameworks[at].Read, w[3]):
			t.Errorf("%s: the row was read in %q, read.txt says %s", name, frameworks[at].Read, w[3])
		}
	}
	for _, f := range frameworks {
		if !seen[f.Name] {
			t.Errorf("no line for %s", f.Name)
		}
	}
}

// frameworkOf returns the name of a framework of testdata, where a space is _.
func frameworkOf(word string) string {
	if slices.ContainsFunc(frameworks, func(f *Framework) bool { return f.Name == word }) {
		return word
	}
	return strings.ReplaceAll(word, "_", " ")
}

// narrowTypes are the types below a byte.
var narrowTypes = strings.Fields("int2 int4 uint2 uint4 float4_e2m1fn")

// typeGroups are types that the document names together, where a framework has them all.
var typeGroups = []struct {
	name  string
	types []string
}{
	{"integers", strings.Fields(integers)},
	{"floats", strings.Fields(plainFloats)},
	{"complex", strings.Fields(complexes)},
	{"float8", strings.Fields("float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu")},
	{"other float8", strings.Fields("float8_e3m4 float8_e4m3 float8_e4m3b11fnuz")},
	{"sub-byte", narrowTypes},
}

// writeGroups writes which types each group has.
func writeGroups(out *strings.Builder) {
	out.WriteString("| in this table | is |\n|---|---|\n")
	for _, g := range typeGroups {
		fmt.Fprintf(out, "| *%s* | %s |\n", g.name, strings.Join(g.types, ", "))
	}
}

// writeTypes writes a row for each framework that does not take all types.
func writeTypes(t *testing.T, out *strings.Builder) {
	t.Helper()
	for _, f := range frameworks {
		if f.Types == "" || f.Types == AnyType {
			continue
		}
		var taken []string
		for _, typ := range append(slices.Clone(pairTypes), narrowTypes...) {
			d, err := dtype.Parse(typ)
			if err != nil {
				t.Fatal(err)
			}
			if f.refusesType(d).full == "" {
				taken = append(taken, typ)
			}
		}
		fmt.Fprintf(out, "| %s | %s |\n", f.Name, strings.Join(grouped(taken), ", "))
	}
}

// grouped returns types with the name of a group in the place of its first member, where all its members are there.
func grouped(types []string) []string {
	for _, g := range typeGroups {
		outside := func(typ string) bool { return !slices.Contains(types, typ) }
		if slices.ContainsFunc(g.types, outside) {
			continue
		}
		at := slices.Index(types, g.types[0])
		types = slices.Insert(slices.Clone(types), at, "*"+g.name+"*")
		types = slices.DeleteFunc(types, func(typ string) bool { return slices.Contains(g.types, typ) })
	}
	return types
}
