package command

import (
	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
)

// benchEntry is a command that refuses: a page would measure the browser, not the machine.
var benchEntry = entry{compare, "bench", func(*cli.App) *cobra.Command {
	return &cobra.Command{
		Use:                "bench",
		Short:              "Measure what a layout costs (at a terminal)",
		DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return fault.New(fault.Unsupported, "bench does not run in a page").WithHint("run it at a terminal")
		},
	}
}, ""}

// benchDocuments names bench's document without its type, whose methods would be a sixtieth of the program.
var benchDocuments = []cli.Document{{Schema: bench.Schema, Prints: "bench"}}
