package diagnose

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/random"
)

// unrun are the messages and kinds whose repairs no test runs, and why.
var unrun = map[string]string{
	"gmma-canonical":         "C++ for a GPU",
	"cute-vectorize":         "C++ for a GPU",
	"onednn-tag":             "C++",
	"ggml-mul-mat":           "C++",
	"candle-matmul":          "Rust",
	"mlmultiarray-strides":   "Swift",
	"cublaslt-not-supported": "cuBLAS needs a GPU",
	"linear-packed":          "bitsandbytes needs a GPU",

	"openvino-preprocessing": "a model for each layout",

	"tile":    "kernels for a GPU or a TPU",
	"sharded": "several devices",
}

// TestRepairsAreRun: every message that has a repair, and every kind, has a case in testdata/repairs.py, which TestRepairs runs.
func TestRepairsAreRun(t *testing.T) {
	script, err := os.ReadFile("testdata/repairs.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range Known() {
		a, _ := Read(m.Text)
		isRun := strings.Contains(string(script), `case("`+m.ID+`"`)
		if _, excused := unrun[m.ID]; len(a.Fixes) > 0 && isRun == excused {
			t.Errorf("%s: run %v, excused %v: %q", m.ID, isRun, excused, a.Fixes)
		}
		for _, fix := range a.Fixes {
			if strings.HasPrefix(fix, "#") || strings.Contains(fix, "$") {
				t.Errorf("%s: %q is not a repair", m.ID, fix)
			}
		}
	}
	for _, k := range Kinds() {
		isRun := strings.Contains(string(script), `case("`+k.ID+`"`)
		if _, excused := unrun[k.ID]; isRun == excused {
			t.Errorf("kind %s: run %v, excused %v", k.ID, isRun, excused)
		}
	}
}

// TestRepairs runs every repair that the program prints in the libraries: it works on a tensor that raises the message, and gives what it
// says. The cases are in testdata/repairs.py; of libraries that cannot be here, they are only the repairs.
//
// TLAYOUT_TEST_REQUIRE_TORCH=1, _NUMPY=1 and so on fail without that library.
func TestRepairs(t *testing.T) {
	libraries := []string{"torch", "numpy", "PIL"}
	if random.Thorough() {
		libraries = append(libraries, "safetensors", "jax", "mlx", "keras", "tensorflow", "triton", "cv2", "openvino", "onnxruntime", "numba", "ml_dtypes")
	}
	for _, library := range libraries {
		t.Run(library, func(t *testing.T) {
			oracle.Each(t, library, "repairs.py", runRepairs, library, filepath.Join(t.TempDir(), "file"))
		})
	}
}

func runRepairs(t *testing.T, o *oracle.Oracle) {
	t.Helper()
	examples := map[string]string{}
	for _, m := range Known() {
		examples[m.ID] = m.Text
	}
	n := 0
	for ; ; n++ {
		var c struct {
			Name, Before string
			Text         *string
		}
		err := o.Read(&c)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text := examples[c.Name]
		if c.Text != nil {
			text = *c.Text
		}
		a, ok := Read(text)
		if !ok || a.Message.ID+a.Kind.ID != c.Name {
			t.Errorf("%s: %q is %s, %v", c.Name, text, a.Message.ID+a.Kind.ID, ok)
		}
		if err := o.Ask(append([]string{}, a.Fixes...)); err != nil {
			t.Fatal(err)
		}
		var wrong []string
		if err := o.Read(&wrong); err != nil {
			t.Fatal(err)
		}
		for _, w := range wrong {
			t.Errorf("%s: %s\nafter %s\nwhich raised %q", c.Name, w, c.Before, text)
		}
	}
	t.Logf("%s: %d cases", o.Version, n)
	if n == 0 {
		t.Error("no cases")
	}
}

// TestWidth: a line that a reader copies fits 80 columns.
func TestWidth(t *testing.T) {
	var texts []string
	for _, m := range Known() {
		texts = append(texts, m.Text)
	}
	for _, k := range Kinds() {
		texts = append(texts, k.Example)
	}
	for _, text := range texts {
		a, _ := Read(text)
		for _, fix := range a.Fixes {
			for line := range strings.Lines(fix) {
				if w := displaywidth.String(strings.TrimSuffix(line, "\n")); w > 80 {
					t.Errorf("%s: %d columns: %s", text, w, line)
				}
			}
		}
	}
}
