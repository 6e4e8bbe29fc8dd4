package source

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
)

// A container of n tensors is read where n are allowed, and refused with a hint where one less is: the files of testdata, of all formats,
// by every function that opens one.
func TestMaxTensors(t *testing.T) {
	const dir = "../../../testdata"
	for _, file := range []string{"weights.npz", "model.pt", "checkpoints/plain.safetensors", "checkpoints/model.safetensors.index.json", "checkpoints/q4.gguf", "checkpoints/old.pth"} {
		path := filepath.Join(dir, file)
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%v", err)
			continue
		}
		opens := map[string]func(o Options) (int, error){
			"Expand": func(o Options) (int, error) { names, err := Expand(path, o); return len(names), err },
			"Opener": func(o Options) (int, error) {
				var p Opener
				defer p.Close()
				names, err := p.Expand(path, o)
				return len(names), err
			},
			"Arrays": func(o Options) (int, error) { names, err := Arrays(path, "", o); return len(names), err },
			"OpenOrList": func(o Options) (int, error) {
				tensor, _, err := OpenOrList(path, o)
				if tensor != nil {
					tensor.Close()
				}
				return 0, err
			},
		}
		for name, open := range opens {
			least := checkpoint.Limit(1)
			for ; ; least++ {
				_, err := open(Options{MaxTensors: least})
				if err == nil {
					break
				}
				var e *fault.Error
				if !errors.As(err, &e) || e.Class != fault.Resource || !strings.HasPrefix(e.Hint, "--max-tensors ") {
					t.Fatalf("%s of %s with %d: %v", name, file, least, err)
				}
			}
			if n, err := open(Options{MaxTensors: least}); err != nil || least < 2 || n > int(least) {
				t.Errorf("%s of %s: %d tensors need a limit of %d, %v", name, file, n, least, err)
			}
		}
	}
}
