package convertcmd

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/fault"
)

// TestHintedFiles: where a kind of file cannot hold blocks, packed values or both, each kind that the hint names can.
func TestHintedFiles(t *testing.T) {
	refused := 0
	for _, c := range []struct {
		typ   string
		shape []int
		args  string
	}{
		{"int32", []int{64, 3}, "--from awq --to marlin"},  // packed, ends inside a block
		{"int32", []int{64, 32}, "--from awq --to marlin"}, // packed
		{"float32", []int{1, 6, 4, 4}, "--to nchw4c"},      // ends inside a block
		{"float32", []int{1, 8, 4, 4}, "--to nchw4c"},
	} {
		dir := t.TempDir()
		in := filepath.Join(dir, "in.npy")
		cli.Must(os.WriteFile(in, fixture.Must(fixture.Npy(c.typ, c.shape, false)), 0o666))
		write := func(ending string) error {
			cmd := NewCmd(&cli.App{Streams: &cli.Streams{Out: io.Discard, Err: io.Discard, Env: noEnv}, Stdout: new(bytes.Buffer), Format: cli.JSON})
			cmd.SilenceUsage, cmd.SilenceErrors = true, true
			cmd.SetArgs(append(strings.Fields(c.args), in, "-o", filepath.Join(dir, "out"+ending), "--force"))
			return cmd.Execute()
		}
		for _, ending := range []string{".npy", ".npz", ".safetensors", ".pt", ".bin"} {
			err := write(ending)
			if err == nil {
				continue
			}
			refused++
			var f *fault.Error
			if !errors.As(err, &f) || f.Class != fault.Unsupported {
				t.Fatalf("%v %s: %v", c.shape, ending, err)
			}
			hinted := regexp.MustCompile(`\.[a-z]+`).FindAllString(f.Hint, -1)
			if len(hinted) == 0 {
				t.Errorf("%v %s: %v, hint %q", c.shape, ending, err, f.Hint)
			}
			for _, other := range hinted {
				if err := write(other); err != nil {
					t.Errorf("%v %s: the hint %q names %s: %v", c.shape, ending, f.Hint, other, err)
				}
			}
		}
	}
	if refused < 6 {
		t.Errorf("%d files were refused", refused)
	}
}
