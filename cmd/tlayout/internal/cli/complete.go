package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// CompleteLayouts offers the well-known names of layouts.
func CompleteLayouts(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return notation.WellKnown(), cobra.ShellCompDirectiveNoFileComp
}

// CompleteDTypes offers the names of element types.
func CompleteDTypes(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return strings.Fields("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 float128 bfloat16 " +
		"float8_e4m3fn float8_e5m2 complex64 complex128 complex256"), cobra.ShellCompDirectiveNoFileComp
}

// CompleteSources offers files that can be opened, for up to max arguments, and the arrays of an archive after x.npz:.
func CompleteSources(max int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= max {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if names := source.Complete(typed); len(names) > 0 {
			return names, cobra.ShellCompDirectiveNoFileComp
		}
		return []string{"npy", "npz"}, cobra.ShellCompDirectiveFilterFileExt
	}
}

// CompleteEnums offers the words of a command's Enum flags.
func CompleteEnums(cmd *cobra.Command, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if e, ok := f.Value.(interface{ Words() []string }); ok {
			Must(cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(e.Words(), cobra.ShellCompDirectiveNoFileComp)))
		}
	})
}
