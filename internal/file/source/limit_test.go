package source

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
)

// A container of n tensors is read where n are allowed, and refused with a hint where one less is: the files of testdata, of all formats.
func TestMaxTensors(t *testing.T) {
	const dir = "../../../testdata"
	for _, file := range []string{"weights.npz", "model.pt", "checkpoints/plain.safetensors", "checkpoints/model.safetensors.index.json", "checkpoints/q4.gguf", "checkpoints/model.onnx", "checkpoints/program.pt2", "checkpoints/old.pth"} {
		path := filepath.Join(dir, file)
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%v", err)
			continue
		}
		open := func(o Options) (int, error) {
			s, _, err := Open(named(path), o)
			if err != nil {
				return 0, err
			}
			defer s.Close()
			return len(s.Tensors), nil
		}
		least := checkpoint.Limit(1)
		for ; ; least++ {
			_, err := open(Options{MaxTensors: least})
			if err == nil {
				break
			}
			var e *fault.Error
			if !errors.As(err, &e) || e.Class != fault.Resource || !strings.HasPrefix(e.Hint, "--max-tensors ") {
				t.Fatalf("%s with %d: %v", file, least, err)
			}
		}
		if n, err := open(Options{MaxTensors: least}); err != nil || least < 2 || n > int(least) {
			t.Errorf("%s: %d tensors need a limit of %d, %v", file, n, least, err)
		}
	}
}
