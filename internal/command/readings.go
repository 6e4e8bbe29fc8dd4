package command

import (
	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
)

// newReadingsCmd returns the command that pages ask what a text is read as: it prints a list of readings, as JSON.
func newReadingsCmd(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:    "__readings TEXT",
		Short:  "List what a text is read as, for the page in a browser",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.WriteJSON(cmd.OutOrStdout(), cli.Readings(cmd.Root(), args[0]), false)
		},
	}
}
