package tracecmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/framework/trace"
	"github.com/tlayout/tlayout/internal/gpu/cute"
)

// complete offers sources, unless flags describe one, and then steps: an example of each with its arguments.
func (o *options) complete(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	switch {
	case o.cute && len(args) == 0:
		return nil, cobra.ShellCompDirectiveNoFileComp
	case !o.cute && !o.HasShape() && len(args) == 0:
		return cli.CompleteSources(1)(cmd, args, typed)
	}
	var steps []string
	if o.cute {
		for _, u := range cute.Operations() {
			steps = append(steps, cobra.CompletionWithDesc(u.Example, u.What))
		}
		return steps, cobra.ShellCompDirectiveNoFileComp
	}
	for _, u := range trace.Steps(o.rules()) {
		steps = append(steps, cobra.CompletionWithDesc(u.Example, formOf(u)))
	}
	return steps, cobra.ShellCompDirectiveNoFileComp
}

// formOf returns a step's names with its arguments: "transpose, swapaxes(dim0, dim1)".
func formOf(u trace.Usage) string {
	names := strings.Join(append([]string{u.Name}, u.Also...), ", ")
	switch {
	case u.Name == trace.Index:
		return "indices and slices"
	case u.Args == "":
		return names + ": no arguments"
	}
	return names + "(" + u.Args + ")"
}
