package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// CompleteLayouts offers the well-known layout names with their memory orders.
func CompleteLayouts(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	return offer(typed, notation.WellKnown(), orderOf)
}

// orderOf describes a layout's memory order, outermost axis first: "N H W C: channels innermost".
func orderOf(name string) string {
	l, err := notation.Parse(name)
	if err != nil {
		return ""
	}
	if l.Own == notation.OwnFortran {
		return "the file's own axes, column-major"
	}
	if l.Own != notation.NotOwn {
		return "the file's own axes, row-major"
	}
	order := l.Format.Explicit()
	if text := order + ": " + l.Format.Words(); len(text) <= maxMeaning {
		return text
	}
	return order
}

// maxMeaning limits a description in completions, in characters: shells show it in a column.
const maxMeaning = 80

// elementTypes are the names offered; Parse and ParseTyped accept more spellings.
var elementTypes = strings.Fields("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 float128 bfloat16 " +
	"float8_e4m3fn float8_e5m2 float4_e2m1fn int4 uint4 complex64 complex128 complex256")

// CompleteDTypes offers the names of element types with their sizes.
func CompleteDTypes(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	return offer(typed, elementTypes, func(name string) string {
		d, err := dtype.Parse(name)
		if err != nil {
			return ""
		}
		if d.Packed() {
			return text.Count(d.Bits(), "bit")
		}
		return text.Count(d.ItemSize(), "byte")
	})
}

// CompleteSources offers files that can be opened, for up to max arguments, and the arrays of an archive after x.npz:. With --raw it offers all
// files.
func CompleteSources(max int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= max {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if names := completeTensors(typed); len(names) > 0 {
			return names, cobra.ShellCompDirectiveNoFileComp
		}
		if !cmd.HasParent() && beginsCommand(cmd, typed) {
			return nil, cobra.ShellCompDirectiveNoFileComp // shells accept file endings or words, not both
		}
		if raw := cmd.Flags().Lookup("raw"); raw != nil && raw.Changed {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return name.Endings(), cobra.ShellCompDirectiveFilterFileExt
	}
}

// beginsCommand reports whether a word is a prefix of the name of a command below root.
func beginsCommand(root *cobra.Command, typed string) bool {
	return slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.IsAvailableCommand() && strings.HasPrefix(c.Name(), typed) })
}

// maxDescribed limits how many tensors of a container are opened for completion, to keep it fast.
const maxDescribed = 200

// completeTensors returns the names of a container's tensors with the prefix typed, x.npz:w for x.npz:, and their descriptions; nil if typed names no
// readable container.
func completeTensors(typed string) (names []string) {
	path, _, ok := name.Parse(typed).Resolve()
	if !ok {
		return nil
	}
	set, _, err := source.Open(path, source.Options{})
	if err != nil {
		return nil
	}
	defer set.Close()
	for i, tensor := range set.Tensors {
		word, ok := set.Path.Member(tensor.Name).Completes(typed)
		if !ok {
			continue
		}
		if len(names) < maxDescribed {
			word = describeTensor(set, i, word)
		}
		names = append(names, word)
	}
	return names
}

// describeTensor appends a tensor's type and shape to its name.
func describeTensor(set *source.Set, i int, word string) string {
	t, err := set.Tensor(i, source.Options{HeaderOnly: true})
	if err != nil {
		return word
	}
	defer t.Close()
	return cobra.CompletionWithDesc(word, text.Shorten(t.DType.String())+" "+tensor.Tuple(t.Shape()))
}

// isCompletion reports whether a shell requests completions.
func isCompletion(args []string) bool {
	return len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
}

// unquoteUsages removes the quotes around value names from flag usages, which shells show verbatim.
func unquoteUsages(cmd *cobra.Command) {
	unquote := func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") }
	cmd.Flags().VisitAll(unquote)
	cmd.PersistentFlags().VisitAll(unquote)
	for _, c := range cmd.Commands() {
		unquoteUsages(c)
	}
}

// CompleteWords makes completion offer words for a flag that also accepts other values.
func CompleteWords(cmd *cobra.Command, flag string, all []string) {
	Must(cmd.Flags().SetAnnotation(flag, offeredWords, all))
}

// offeredWords is the annotation that holds them.
const offeredWords = "tlayout_words"

// printableRequest is a completion request that is safe to print: cobra's errors repeat it verbatim. Only the last argument is completed; it may have
// any characters unless it is a flag.
func printableRequest(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if i < len(args)-1 || strings.HasPrefix(arg, "-") {
			args[i] = text.Quote(arg)
		}
	}
	return args
}

// offer lists words with their meanings in cobra's format, each after the typed text up to its last comma; nothing if that text is not printable.
func offer(typed string, all []string, meaning func(string) string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	if text.Quote(before) != before {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	offers := make([]string, len(all))
	for i, word := range all {
		offers[i] = before + word
		if text := meaning(word); text != "" {
			offers[i] = cobra.CompletionWithDesc(before+word, text)
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// completeFlags makes completion offer values for all flags of a command and its subcommands. cobra keeps registered functions, and their flags,
// until the process ends, so they are registered only for a completion request.
func completeFlags(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.NoOptDefVal == "" && f.Value.Type() != "file" {
			Must(cmd.RegisterFlagCompletionFunc(f.Name, valuesOf(f)))
		}
	})
	for _, child := range cmd.Commands() {
		completeFlags(child)
	}
}

// valuesOf offers the layouts, types or words that a flag accepts, with their meanings. For other flags it shows the usage, and stops shells from
// offering files.
func valuesOf(f *pflag.Flag) cobra.CompletionFunc {
	switch f.Value.Type() {
	case "layout", "layouts":
		return CompleteLayouts
	case "dtype":
		return CompleteDTypes
	}
	words := f.Annotations[offeredWords]
	if list, ok := f.Value.(interface{ Words() []string }); ok {
		words = list.Words()
	}
	if words != nil {
		return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return offer(typed, words, func(word string) string { return meanings()[f.Name][word] })
		}
	}
	usage, _, _ := strings.Cut(f.Usage, "\n")
	return cobra.FixedCompletions(cobra.AppendActiveHelp(nil, strings.ReplaceAll(usage, "`", "")), cobra.ShellCompDirectiveNoFileComp)
}
