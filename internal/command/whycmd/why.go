// Package whycmd is tlayout why, which explains error messages about memory layouts.
package whycmd

import (
	"io"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/framework/diagnose"
)

// Documents lists the JSON documents of the command.
var Documents = []cli.Document{{Schema: schema, Prints: "why", Type: reflect.TypeFor[report]()}}

// NewCmd returns the command why.
func NewCmd(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "why MESSAGE | -",
		Short: "Explain a framework's error message about a layout",
		Long: `Explain a complaint about a memory layout: what happened, whether the existing
memory already has the wanted order, what the difference costs, and what to
write instead, in the framework that complains. Paste the message, its
traceback, or a log as a quoted argument or on standard input: the line that
complains is found, and the line of your code that raised it. The answer uses
the sizes and strides in the text; for a view, paste x.shape, x.stride() and the
line x.view(…) too.

tlayout why without an argument lists the kinds of complaints that it answers,
whatever their words and framework; --all adds the messages that it knows by
their words. The exit code is 1 if a text has no complaint about a layout; then
its sizes and strides are described.`,
		Example: `  tlayout why 'expected size 64==64, stride 3136==1 at dim=1'
  tlayout why 'RuntimeError: mat2 must be col_major' --json
  python train.py 2>&1 | tail -n 50 | tlayout why -
  tlayout why`,
		ValidArgsFunction: cobra.NoFileCompletions,
		Args:              cli.Args(0, 1, "message", "quote it for the shell, or use standard input: tlayout why - < error.txt"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.Write(newCatalogue())
			}
			return run(a, args[0])
		},
	}
	cli.HasSettings(cmd)
	return cmd
}

func run(a *cli.App, message string) error {
	if message == "-" {
		text, err := io.ReadAll(io.LimitReader(a.Streams.In, diagnose.MaxText+1))
		if err != nil {
			return fault.New(fault.Resource, "cannot read standard input: %s", fault.Cause(err))
		}
		message = string(text)
	}
	if len(message) > diagnose.MaxText {
		return fault.New(fault.Unsupported, "the message is longer than 1 MiB").WithHint("paste only the error and its traceback: tail -n 50 log | tlayout why -")
	}
	if strings.TrimSpace(message) == "" {
		return fault.New(fault.Usage, "the message is empty").WithHint("tlayout why lists the kinds of complaints")
	}
	r := newReport(message)
	err := a.Write(r)
	if err == nil && r.Failed() {
		return cli.Reported(fault.New(fault.Negative, "no complaint about a layout"))
	}
	return err
}
