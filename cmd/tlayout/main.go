// Command tlayout inspects, explains, draws, converts and benchmarks the memory layout of tensors.
package main

import (
	"os"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// minFiles is how many more files the program must be able to open: with fewer, Go's runtime ends it with a dump of its state
// when the first one is opened (runtime.netpollinit).
const minFiles = 4

func main() { os.Exit(run(cli.System())) }

// run is the program on these streams; it returns the exit code.
func run(s *cli.Streams) int {
	dieBySignal()
	if left, few := filesLeft(minFiles); few {
		a := &cli.App{Streams: s}
		return a.Report(fault.New(fault.Resource, "only %s can be opened (ulimit -n), and tlayout needs %d", words.Count(left, "more file"), minFiles))
	}
	return cli.Run(os.Args[1:], s, newRootCmd)
}
