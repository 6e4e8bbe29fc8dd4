// Command tlayout shows how a tensor lies in memory, explains why, and moves it into another memory format.
package main

import (
	"os"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
)

func main() {
	dieBySignal()
	os.Exit(cli.Run(os.Args[1:], cli.System(), newRootCmd))
}
