// Command tlayout inspects, explains, draws, converts and benchmarks the memory layout of tensors.
package main

import (
	"os"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/fault"
)

// minOpenFiles is how many files must be allowed to be open: with fewer, Go's runtime ends the program with a dump of its
// state when the first one is opened (runtime.netpollinit).
const minOpenFiles = 8

func main() { os.Exit(run(cli.System())) }

// run is the program on these streams; it returns the exit code.
func run(s *cli.Streams) int {
	dieBySignal()
	if limit, ok := openFiles(); ok && limit < minOpenFiles {
		a := &cli.App{Streams: s}
		return a.Report(fault.New(fault.Resource, "%d files may be open (ulimit -n), tlayout needs %d", limit, minOpenFiles))
	}
	return cli.Run(os.Args[1:], s, newRootCmd)
}
