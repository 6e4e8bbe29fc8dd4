// Command tlayout inspects, explains, draws, converts and benchmarks the memory layout of tensors.
package main

import (
	"os"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
)

func main() { os.Exit(command.Run(arguments(), cli.System())) }
