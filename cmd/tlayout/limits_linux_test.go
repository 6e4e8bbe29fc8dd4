package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/random"
)

// TestFewOpenFiles: with a low limit of open files, inherited ones included, a command works or reports the error, and never ends in a
// traceback of Go's runtime.
func TestFewOpenFiles(t *testing.T) {
	c := countTrials(t)
	dir := t.TempDir()
	cli.Must(os.WriteFile(filepath.Join(dir, "x.npy"), fixture.Must(fixture.Npy("<f4", []int{1, 3, 4, 5}, false)), 0o644))
	cli.Must(os.WriteFile(filepath.Join(dir, "net.pt2"), fixture.Must(os.ReadFile(filepath.Join(testdataDir, "net.pt2"))), 0o644))
	for _, i := range random.Sample([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, 3) {
		n, inherited := 4+i/2, []string{"", "exec 3</dev/null 4</dev/null; "}[i%2]
		for _, command := range []string{"inspect x.npy", "convert x.npy --to nchw4 -o y.npz --force --verify", "draw x.npy -o x.svg --force", "diff x.npy x.npy",
			"graph net.pt2", "graph net.pt2 -o net.svg --force"} {
			cmd := exec.Command("sh", "-c", fmt.Sprintf("%sulimit -n %d && exec tlayout %s", inherited, n, command))
			cmd.Dir = dir
			var stderr strings.Builder
			cmd.Stderr = &stderr
			cmd.Run() //nolint:errcheck // the state tells
			_, code := ending(cmd)
			if code == 127 && strings.Contains(stderr.String(), "shared libraries") {
				continue // the system could not load the program
			}
			var problems []string
			if code != 0 && code != 5 || strings.Contains(stderr.String(), "goroutine") || (code == 5) != strings.HasPrefix(stderr.String(), "tlayout: error: ") {
				problems = append(problems, fmt.Sprintf("exit code %d: %.300s", code, stderr.String()))
			}
			c.try(t, fmt.Sprintf("%s%d files, tlayout %s", inherited, n, command), fmt.Sprint("exit code ", code), problems...)
		}
	}
}
