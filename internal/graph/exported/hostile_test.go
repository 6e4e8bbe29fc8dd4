package exported

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/graph/graphtest"
	"github.com/tlayout/tlayout/internal/random"
)

func checked(t testing.TB, raw []byte) error {
	t.Helper()
	return graphtest.Checked(t, read, raw, 8<<20, 400)
}

// An archive that is cut at any place has no program.
func TestTruncated(t *testing.T) {
	raw := sample(t)
	step := 97
	if random.Thorough() {
		step = 1
	}
	for n := 0; n < len(raw); n += step {
		if checked(t, raw[:n]) == nil {
			t.Errorf("the first %d bytes are a program", n)
		}
	}
}

// JSON that is cut, nested deep, or has numbers that no field holds, is malformed.
func TestDamagedJSON(t *testing.T) {
	whole := model("x", "y", tensors("x 2,3 1,2", "y 2,3 3,1"), node("torch.ops.aten.contiguous.default", "x", "y"))
	for n := range len(whole) {
		if err := checked(t, archived(t, whole[:n])); fault.ClassOf(err) != fault.Malformed {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
	deep := `{"graph_module":{"graph":{"nodes":[{"inputs":[{"arg":` + strings.Repeat(`{"as_optional_tensor":`, 10_000) + "{}" + strings.Repeat("}", 10_000) + `}]}]}}}`
	for what, text := range map[string]string{
		"nested":       deep,
		"huge":         strings.Replace(whole, `"as_int":3`, `"as_int":1e400`, 1),
		"over 64 bits": strings.Replace(whole, `"as_int":3`, `"as_int":99999999999999999999`, 1),
		"a fraction":   strings.Replace(whole, `"as_int":3`, `"as_int":2.5`, 1),
		"a text":       strings.Replace(whole, `"as_int":3`, `"as_int":"3"`, 1),
		"an object":    strings.Replace(whole, `"nodes":[`, `"nodes":{"a":[`, 1),
		"a list":       "[]",
		"nothing":      "",
	} {
		if err := checked(t, archived(t, text)); fault.ClassOf(err) != fault.Malformed {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A program of more operators or tensors than any model has is refused before memory is full, with the class of a limit.
func TestLimits(t *testing.T) {
	nodes := `{"graph_module":{"graph":{"nodes":[` + strings.Repeat("{},", maxNodes) + `{}]}}}`
	var values strings.Builder
	for i := range maxNodes + 1 {
		fmt.Fprintf(&values, `,"%x":{}`, i)
	}
	for what, text := range map[string]string{
		"operators": nodes, "tensors": `{"graph_module":{"graph":{"tensor_values":{` + values.String()[1:] + `}}}}`,
	} {
		_, err := read(archived(t, text))
		if fault.ClassOf(err) != fault.Resource || !strings.Contains(err.Error(), "more than 131072 "+what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := read(archived(t, strings.Replace(nodes, "{},", "", 1))); err != nil {
		t.Errorf("at the limit: %v", err)
	}
}

// Sizes and strides that make no layout leave a tensor unknown; whatever else is wrong, the program has what is right.
func TestDamagedPrograms(t *testing.T) {
	contiguous := node("torch.ops.aten.contiguous.default", "x", "y")
	for _, values := range []string{
		tensors("x 2,-3 1,2", "y 2,3 3,1"), tensors("x 2,3 1,-2", "y 2,3 3,1"), tensors("x 2,3 9223372036854775807,9", "y 2,3 3,1"),
		tensors("x 9223372036854775807,9 1,2", "y 2,3 3,1"), tensors("x 2,3 1", "y 2,3 3,1"), tensors("x 2 1,2", "y 2,3 3,1"), tensors("y 2,3 3,1"),
		"{}", "null", `{"x":null}`, `{"x":{}}`, strings.ReplaceAll(tensors("x 2,3 1,2", "y 2,3 3,1"), `"dtype":7`, `"dtype":-99`),
		tensors("x 0,3 1,2", "y 0,3 3,1"), tensors("x "+strings.Repeat("1,", 5000)+"1 "+strings.Repeat("1,", 5000)+"1", "y 2,3 3,1"),
	} {
		if err := checked(t, archived(t, model("x", "y", values, contiguous))); err != nil {
			t.Errorf("%.80s: %v", values, err)
		}
	}
	for _, text := range []string{
		"{}", "null", `{"graph_module":null}`, `{"graph_module":{"graph":{"nodes":[{}]}}}`,
		model("x", "y", tensors("x 2 1")), model("", "", "{}", node("torch.ops.aten.contiguous.default", "", "")),
		model("", "nowhere", "{}", node("", "a", "b")), model("x x x", "x x", tensors("x 2,3 1,2"), node("torch.ops.aten.clone.default", "x", "x")),
		model("x", "y", tensors("x 2,3 1,2", "y 2,3 3,1"), contiguous, contiguous, contiguous),
		model("x", "y", tensors("x 2,3 1,2", "y 2,3 3,1"), node("torch.ops.aten.linear.default", "x x x x x", "y"), node("torch.ops.aten.copy_.default", "x", "y")),
	} {
		if err := checked(t, archived(t, text)); err != nil {
			t.Errorf("%.80s: %v", text, err)
		}
	}
	for _, dims := range []string{"[0,0]", "[1]", "[-1,7]", "[9223372036854775807,0]", "[]"} {
		permute := strings.Replace(node("torch.ops.aten.permute.default", "x", "y"), `}],"outputs"`, `},{"name":"dims","arg":{"as_ints":`+dims+`}}],"outputs"`, 1)
		pool := node("torch.ops.aten.max_pool2d.default", "x", "z")
		for _, text := range []string{model("x", "y", tensors("x 2,3,4,4 48,16,4,1", "y 2,3,4,4 48,16,4,1", "z 2,3,2,2 12,4,2,1"), pool, permute),
			strings.Replace(model("x", "y", tensors("x 2,3 1,2"), permute), `"as_tensor":{"name":"x"}}},{"name":"dims"`, `"as_tensor":{"name":""}}},{"name":"dims"`, 1)} {
			if err := checked(t, archived(t, text)); err != nil {
				t.Errorf("permute by %s: %v", dims, err)
			}
		}
	}
}

// FuzzExported reads an archive with any program: no panic, and memory in proportion to it.
func FuzzExported(f *testing.F) {
	f.Add(model("x", "y", tensors("x 2,3 1,2", "y 2,3 3,1"), node("torch.ops.aten.contiguous.default", "x", "y")))
	f.Add(model("x w", "y", tensors("x 2,8,4,4 128,1,32,8", "w 8,8,1,1 8,1,1,1", "y 2,8,4,4 128,16,4,1"), node("torch.ops.aten.conv2d.default", "x w", "y")))
	f.Add(model("x", "y", tensors("x n,3 1,7", "y n,3 3,1"), fmt.Sprintf("%s,%s", node("torch.ops.aten.clone.default", "x", "y"), node("f", "y", "x"))))
	f.Fuzz(func(t *testing.T, text string) { checked(t, archived(t, text)) }) //nolint:errcheck // any answer will do
}
