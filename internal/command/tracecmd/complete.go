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
	if o.cute {
		return o.completeCute(args)
	}
	if len(args) == 0 && !o.HasShape() {
		return cli.CompleteSources(1)(cmd, args, typed)
	}
	var steps []string
	for _, u := range trace.Steps(o.rules()) {
		steps = append(steps, cobra.CompletionWithDesc(u.Example, formOf(u)))
	}
	return steps, cobra.ShellCompDirectiveNoFileComp
}

// completeCute offers nothing for the layout, and then operations of CuTe.
func (o *options) completeCute(args []string) (steps []string, directive cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, u := range cute.Operations() {
		steps = append(steps, cobra.CompletionWithDesc(u.Example, u.What))
	}
	return steps, cobra.ShellCompDirectiveNoFileComp
}

// formOf returns a step's names with its arguments: "transpose, swapaxes(dim0, dim1)".
func formOf(u trace.Usage) string {
	if u.Name == trace.Index {
		return "indices and slices"
	}
	names := strings.Join(append([]string{u.Name}, u.Also...), ", ")
	if u.Args == "" {
		return names + ": no arguments"
	}
	return names + "(" + u.Args + ")"
}
