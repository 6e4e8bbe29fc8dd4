package cli

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/framework/diagnose"
	"github.com/tlayout/tlayout/internal/framework/printed"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// UsageError converts cobra's flag errors to ours. An error of a flag's own parser keeps its class and hint.
func UsageError(cmd *cobra.Command, err error) error {
	e := fault.New(fault.Usage, "%s", text.Quote(err.Error()))
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		e = valueError("--"+value.GetFlag().Name, value.GetValue(), value.Unwrap())
	}
	var missing *pflag.ValueRequiredError
	if errors.As(err, &missing) {
		e = missingValue(missing.GetFlag())
	}
	e.Hint = cmp.Or(e.Hint, cmd.CommandPath()+" --help lists the flags")
	return e
}

// missingValue is the error for a last flag without its value.
func missingValue(f *pflag.Flag) *fault.Error {
	e := fault.New(fault.Usage, "--%s needs a value", f.Name)
	if list, ok := f.Value.(interface{ Words() []string }); ok {
		return e.WithHint("valid values are %s", strings.Join(list.Words(), ", "))
	}
	return e
}

// valueError is the error for an invalid value of a flag or setting.
func valueError(name, value string, err error) *fault.Error {
	var inner *fault.Error
	var number *strconv.NumError
	switch {
	case errors.As(err, &inner):
		return &fault.Error{Class: inner.Class, Text: name + ": " + inner.Text, Hint: inner.Hint}
	case errors.As(err, &number) && errors.Is(err, strconv.ErrRange):
		return fault.New(fault.Usage, "%s: %s is out of range", name, text.Quoted(value))
	case errors.As(err, &number) && number.Func == "ParseBool":
		return fault.New(fault.Usage, "%s: %s is not true or false", name, text.Quoted(value))
	case errors.As(err, &number) && number.Func == "ParseFloat":
		return fault.New(fault.Usage, "%s: %s is not a number", name, text.Quoted(value))
	case errors.As(err, &number):
		return fault.New(fault.Usage, "%s: %s is not a whole number", name, text.Quoted(value))
	}
	return fault.New(fault.Usage, "%s: %s: %s", name, text.Quoted(value), text.Quote(err.Error()))
}

// refuseVerb returns an error if the first argument is not a command, regardless of later flags.
func refuseVerb(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || isCommand(root, args[0]) {
		return nil
	}
	return UnknownCommand(root, args)
}

// UnknownCommand is the error for arguments of the bare program; it suggests the command probably meant.
func UnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	e := fault.New(fault.Usage, "unknown command %s", text.Quoted(args[0]))
	if line := meantLine(cmd, args[0], args[1:]); line != "" {
		return e.WithHint("%s", line)
	}
	var names []string
	for _, c := range nearCommands(cmd, args[0]) {
		names = append(names, c.Name())
	}
	if names != nil {
		return e.WithHint("did you mean %s?", strings.Join(names, " or "))
	}
	return e.WithHint("%s --help lists the commands", cmd.CommandPath())
}

// withCommand makes every command accept -V, and inserts inspect into a command line with a source, or flags that describe one, but no command:
// tlayout x.npy is tlayout inspect x.npy. What else is alone may have been pasted.
func withCommand(root *cobra.Command, args []string) []string {
	for _, arg := range args {
		if arg == "--" {
			break
		}
		if arg == "-V" || arg == "--version" {
			return []string{"--version"}
		}
	}
	inspect, _, err := root.Find([]string{"inspect"})
	if err != nil {
		return args
	}
	described := false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			if isCommand(root, arg) {
				return args
			}
			if alone := i+1 == len(args) || strings.HasPrefix(args[i+1], "-"); alone && !described {
				if line := pasted(root, arg); line != nil {
					return slices.Concat(line, args[:i], args[i+1:])
				}
			}
			if !isSource(arg) {
				return args
			}
			return append([]string{"inspect"}, args...)
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		f := flagOf(inspect, root, arg, name)
		switch {
		case f == nil:
			return args
		case root.PersistentFlags().Lookup(f.Name) == nil && f.Name != "help":
			described = true
		}
		if !hasValue && f.NoOptDefVal == "" {
			i++
		}
	}
	if described {
		return append([]string{"inspect"}, args...)
	}
	return args
}

// pasted returns the command line for an argument that is no command: a message, and other text that why can read, is for why, a layout of
// Triton for threads, a shape for inspect, and a layout's name for formats; nil for a source, and for a misspelt command.
func pasted(root *cobra.Command, arg string) []string {
	arg = strings.TrimSpace(arg)
	message := IsText(arg)
	if _, err := os.Stat(arg); err == nil || source.IsTyped(arg) || !message && isSource(arg) {
		return nil
	}
	tuple := strings.HasPrefix(arg, "torch.Size(") || strings.HasPrefix(arg, "(")
	if sizes, err := notation.ParseInts(arg); err == nil && (len(sizes) > 1 || tuple) && !strings.HasPrefix(arg, "{") {
		return []string{"inspect", "--shape", text.Ints(sizes, ",")}
	}
	switch _, explained := diagnose.Read(arg); {
	case strings.HasPrefix(arg, "#"):
		return []string{"threads", arg}
	case explained, message && (diagnose.Found(arg).What != "" || strings.Contains(arg, ": ") || !isSource(arg)):
		return []string{"why", arg}
	case message || nearCommands(root, arg) != nil:
		return nil
	}
	if _, err := printed.ParseName(arg); err != nil || strings.Trim(arg, imageDims) != "" && strings.ToLower(arg) == arg && !strings.ContainsAny(arg, "_{0123456789") {
		return nil // run, quit and stride would be orders of dims
	}
	return []string{"formats", arg}
}

// imageDims are the letters of the dims of images and their weights.
const imageDims = "ncdhwoig"

// IsText reports whether an argument has blanks, as a pasted message has, or begins as what is pasted does.
func IsText(arg string) bool {
	return strings.ContainsAny(strings.TrimSpace(arg), " \t\n") || strings.HasPrefix(arg, "torch.Size(") || strings.HasPrefix(arg, "#")
}

// flagOf returns the flag of inspect, or of every command, that an argument sets.
func flagOf(inspect, root *cobra.Command, arg, name string) *pflag.Flag {
	for _, set := range []*pflag.FlagSet{inspect.Flags(), root.PersistentFlags()} {
		f := set.Lookup(name)
		if !strings.HasPrefix(arg, "--") {
			f = set.ShorthandLookup(name[:min(1, len(name))])
		}
		if f != nil {
			return f
		}
	}
	return nil
}

func isCommand(root *cobra.Command, name string) bool {
	return strings.HasPrefix(name, cobra.ShellCompRequestCmd) ||
		slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name })
}

// refuseExtras gives cobra's own commands, help and completion, our errors for unknown arguments. It must run after the root's output is set, which
// they keep.
func refuseExtras(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				_, unknown, err := root.Find(args)
				if err != nil {
					return err
				}
				return UnknownCommand(root, unknown)
			}
		case "completion":
			c.Args, c.RunE = UnknownCommand, func(c *cobra.Command, _ []string) error { return c.Help() }
			for _, shell := range c.Commands() {
				shell.Args = NoArgs
			}
		}
	}
}

// UnknownEnding is the error for an output whose name selects no format; want lists the valid ones.
func UnknownEnding(path, want string, args ...any) error {
	problem := "has no extension"
	if ext := filepath.Ext(text.URLPath(path)); ext != "" {
		problem = "has the unsupported extension " + text.Quote(strings.ToLower(ext))
	}
	return fault.New(fault.Usage, "output %s %s", text.Quoted(path), problem).WithHint("want "+want, args...)
}

// Args requires min to max arguments, at most two, called noun in the singular. The hint is a valid command line.
func Args(min, max int, noun, hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= min && len(args) <= max {
			return nil
		}
		counts := []string{"no", "one", "two"}
		return fault.New(fault.Usage, "%s takes %s %s, found %d", cmd.Name(), counts[max], text.Plural(max, noun, noun+"s"), len(args)).
			WithHint("%s", hint)
	}
}

// NoArgs rejects arguments.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fault.New(fault.Usage, "%s takes no arguments, found %s", cmd.CommandPath(), text.Quoted(args[0]))
}
