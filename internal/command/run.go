// Package command is the program: the tree of its commands, help topics, signals and version. A command is a package below it.
package command

import (
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// minFiles is the number of files that the program must be able to open: with fewer, Go's runtime crashes when the first one is
// opened (runtime.netpollinit).
const minFiles = 4

// Run runs the program with these arguments and streams, handles the process's signals, and returns the exit code.
func Run(args []string, s *cli.Streams) int {
	dieBySignal()
	if left, few := filesLeft(minFiles); few {
		a := &cli.App{Streams: s}
		return a.Report(fault.New(fault.Resource, "only %s can be opened (ulimit -n), but tlayout needs %d", text.Count(left, "more file"), minFiles))
	}
	return cli.Run(args, s, NewRoot)
}
