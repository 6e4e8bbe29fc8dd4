package cli

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/scan"
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
	e.Hint = cmp.Or(e.Hint, cmd.CommandPath()+" --help --all lists the flags")
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
	if errors.As(err, &inner) {
		return &fault.Error{Class: inner.Class, Text: name + ": " + inner.Text, Hint: inner.Hint}
	}
	return fault.New(fault.Usage, "%s: %s%s", name, text.Quoted(value), problemOf(err))
}

// problemOf returns the end of a sentence about a value that a parser of package strconv, or a flag's own, refused.
func problemOf(err error) string {
	var number *strconv.NumError
	if !errors.As(err, &number) {
		return ": " + text.Quote(err.Error())
	}
	if errors.Is(err, strconv.ErrRange) {
		return " is out of range"
	}
	switch number.Func {
	case "ParseBool":
		return " is not true or false"
	case "ParseFloat":
		return " is not a number"
	}
	return " is not a whole number"
}

// refuseVerb returns an error if the first argument is not a command, regardless of later flags. Alone, it may be a text.
func refuseVerb(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || isCommand(root, args[0]) {
		return nil
	}
	isAlone := len(args) == 1 || strings.HasPrefix(args[1], "-")
	if isAlone && nearCommands(root, args[0]) == nil {
		return notUnderstood(args[0])
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
func (a *App) withCommand(root *cobra.Command, args []string) []string {
	if asksVersion(args) {
		return []string{"--version"}
	}
	inspect, _, err := root.Find([]string{"inspect"})
	if err != nil {
		return args
	}
	inspected := append([]string{"inspect"}, args...)
	at, described, known := firstOperand(inspect, root, args)
	if !known {
		return args
	}
	if at == len(args) {
		if described {
			return inspected
		}
		return args
	}
	arg := args[at]
	if isCommand(root, arg) {
		return args
	}
	alone := at+1 == len(args) || strings.HasPrefix(args[at+1], "-")
	if alone && !described {
		if all := readingsOf(root, arg); all != nil {
			given := slices.Concat(args[:at], args[at+1:])
			a.noteReading(all)
			return slices.Concat(withoutFlags(all[0].Args, given), given)
		}
	}
	if !isSource(arg) {
		return args
	}
	return inspected
}

// withoutFlags returns arguments without the flags, and their values, that are given too.
func withoutFlags(args, given []string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		isGiven := slices.ContainsFunc(given, func(g string) bool { return g == args[i] || strings.HasPrefix(g, args[i]+"=") })
		if strings.HasPrefix(args[i], "--") && isGiven {
			i++
			continue
		}
		kept = append(kept, args[i])
	}
	return kept
}

// TakesExpressions makes a command read arguments such as -x.T as expressions, not as flags.
func TakesExpressions(cmd *cobra.Command) {
	cmd.Annotations = map[string]string{expressions: "true"}
}

const expressions = "expressions"

// withExpressions puts a blank before the minus sign of expressions, for commands that take them: flags begin with one.
func withExpressions(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || cmd.Annotations[expressions] == "" {
		return args
	}
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if isExpression(cmd, arg) {
			args[i] = " " + arg
		}
	}
	return args
}

// isExpression reports whether an argument is a minus sign before a name, and not a flag of one letter.
func isExpression(cmd *cobra.Command, arg string) bool {
	of, ok := strings.CutPrefix(arg, "-")
	if !ok || of == "" || !scan.IsLetter(of[0]) {
		return false
	}
	if strings.ContainsAny(of, ".([*/+-@ ") {
		return true
	}
	return len(of) > 1 || !slices.Contains([]string{"h", "q", "V"}, of) && cmd.Flags().ShorthandLookup(of) == nil
}

// asksVersion reports whether -V is among the flags.
func asksVersion(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--":
			return false
		case "-V", "--version":
			return true
		}
	}
	return false
}

// firstOperand returns the index of the first argument that is neither a flag of inspect, or of every command, nor its value; len(args) if there is
// none. The arguments are known unless another flag comes before it, and described if a flag before it is one of inspect alone.
func firstOperand(inspect, root *cobra.Command, args []string) (at int, described, known bool) {
	for at < len(args) && args[at] != "-" && strings.HasPrefix(args[at], "-") {
		name, _, hasValue := strings.Cut(strings.TrimLeft(args[at], "-"), "=")
		f := flagOf(inspect, root, args[at], name)
		if f == nil {
			return at, described, false
		}
		if root.PersistentFlags().Lookup(f.Name) == nil && f.Name != "help" {
			described = true
		}
		if !hasValue && f.NoOptDefVal == "" {
			at++
		}
		at++
	}
	return min(at, len(args)), described, true
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
func UnknownEnding(output name.Name, want string, args ...any) error {
	problem := "has no extension"
	if ending := output.Ending(); ending != "" {
		problem = "has the unsupported extension " + text.Quote(ending)
	}
	return fault.New(fault.Usage, "output %s %s", output, problem).WithHint("want "+want, args...)
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
