// Package command is the program: the tree of its commands, help topics, signals and version. A command is a package below it.
package command

import (
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// minFiles is how many more files the program must be able to open: with fewer, Go's runtime ends it with a dump of its state
// when the first one is opened (runtime.netpollinit).
const minFiles = 4

// Run is the program with these arguments and streams; it returns the exit code. It handles the process's signals.
func Run(args []string, s *cli.Streams) int {
	dieBySignal()
	if left, few := filesLeft(minFiles); few {
		a := &cli.App{Streams: s}
		return a.Report(fault.New(fault.Resource, "only %s can be opened (ulimit -n), and tlayout needs %d", words.Count(left, "more file"), minFiles))
	}
	return cli.Run(args, s, NewRoot)
}
