package tracecmd

import (
	"io"
	"runtime"
	"testing"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
)

// allocated returns the bytes that the command allocates for n steps, with flags.
func allocated(t *testing.T, step string, n int, flags ...string) uint64 {
	t.Helper()
	args := append([]string{"trace", "--shape", "2,3"}, flags...)
	for range n {
		args = append(args, step)
	}
	s := &cli.Streams{Out: io.Discard, Err: io.Discard, Width: 80, Unicode: true, Env: func(string) (string, bool) { return "", false }}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	code := cli.Run(args, s, func(a *cli.App) *cobra.Command {
		a.Format = cli.Table
		root := &cobra.Command{Use: "tlayout", SilenceErrors: true, SilenceUsage: true}
		root.PersistentFlags().BoolVar(&a.All, "all", false, "")
		root.AddCommand(NewCmd(a))
		return root
	})
	runtime.ReadMemStats(&after)
	if code != 0 {
		t.Fatalf("%d times %s: exit code %d", n, step, code)
	}
	return after.TotalAlloc - before.TotalAlloc
}

// TestLinear: the work for a chain is linear in its steps, measured by the memory that it takes: of 4 times the steps, about 4 times as much.
func TestLinear(t *testing.T) {
	for _, step := range []string{"T", "flip(0)", "rearrange('a b -> b a 1').squeeze(2)"} {
		for _, flags := range [][]string{nil, {"--all"}, {"--values"}} {
			few, many := allocated(t, step, 200, flags...), allocated(t, step, 800, flags...)
			if ratio := float64(many) / float64(few); ratio > 6 {
				t.Errorf("%s %v: %d bytes for 200 steps, %d for 800", step, flags, few, many)
			}
		}
	}
}
