package framework

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/golden"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// TestDocument: docs/accepted.md is what the table says. -update writes it.
func TestDocument(t *testing.T) {
	var out strings.Builder
	out.WriteString(`# What frameworks take

The element types, numbers of dims and named formats for which tlayout says that a framework accepts a tensor without a copy, and
where that was read. Layout, type and number of dims all have to fit.

- NumPy takes every type, and CuTe's layouts have none. Strings, times, records, raw bytes and floats wider than float64 are
  NumPy's alone, and so are big-endian numbers.
- PyTorch takes some types in another guise only: ` + "`inspect`" + ` says how, and since which version.
- NumPy, PyTorch, DLPack, JAX, TensorFlow, ONNX Runtime and safetensors are asked about the array as stored in its file; the others about the
  logical tensor.
- JAX, TensorFlow, ONNX Runtime, PyTorch and NumPy were run through DLPack, on a CPU, over foreign memory of every layout, type and alignment:
  the same address is a yes. oneDNN and cuDNN were run too: a tensor that they describe is a yes; no kernel was tried. MLX always copies, and
  OpenVINO shares row-major NumPy arrays alone.
- Types below a byte are packed, two values of 4 bits in a byte. DirectML and MegEngine have int4 and uint4, but no one has tried whether they
  accept such tensors: the answer is unknown, which is not a no. PyTorch's int4 has a byte for each value.
- A storage counts as aligned, so that an offset decides: JAX and TensorFlow need 64 bytes, TMA 16.

## Types

`)
	writeTypes(t, &out)
	out.WriteString("\n## Formats that take some types alone\n\n| framework | name | types | dims |\n|---|---|---|---|\n")
	for _, f := range All() {
		for _, e := range f.names {
			if e.Types == "" || e.use == catalogueOnly {
				continue
			}
			x := e.takes(f, rankNamed(t, e))
			dims := fmt.Sprint(x.MinDims)
			if *x.MaxDims != x.MinDims {
				dims = fmt.Sprintf("%d to %d", x.MinDims, *x.MaxDims)
			}
			fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", f.Name, x.Name, strings.Join(x.Types, ", "), dims)
		}
	}
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
		name := strings.ReplaceAll(w[0], "_", " ")
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

// narrowTypes are the types below a byte.
var narrowTypes = strings.Fields("int2 int4 uint2 uint4 float4_e2m1fn")

// writeTypes writes a row for each framework that does not take all types.
func writeTypes(t *testing.T, out *strings.Builder) {
	t.Helper()
	out.WriteString("| framework | types |\n|---|---|\n")
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
		fmt.Fprintf(out, "| %s | %s |\n", f.Name, strings.Join(taken, ", "))
	}
}

// rankNamed counts the dims of a name's order; 0 if it has none.
func rankNamed(t *testing.T, e Entry) int {
	t.Helper()
	if e.layouts() == nil {
		return 4 // NCHW_VECT_C
	}
	l, err := notation.Parse(e.layouts()[0].order)
	if err != nil {
		t.Fatal(err)
	}
	return l.Format.Rank()
}
