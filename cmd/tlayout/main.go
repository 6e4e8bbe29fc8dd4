// Command tlayout inspects, explains, draws, converts and benchmarks the memory layout of tensors.
package main

import (
	"os"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
)

func main() {
	dieBySignal()
	os.Exit(cli.Run(os.Args[1:], cli.System(), newRootCmd))
}
