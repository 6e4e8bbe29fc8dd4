// Package cli is what the commands share: streams, settings, flags that say what a source is, and how answers and
// errors are written. A command is a package of its own beside this one, and imports no other command.
package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// Run is the program: arguments in, exit code out. It writes to the streams and nowhere else. build makes the commands.
func Run(args []string, s *Streams, build func(*App) *cobra.Command) int {
	out := bufio.NewWriterSize(s.Out, 1<<16)
	app := &App{Streams: s, Stdout: out}
	root := build(app)
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(out)
	root.SetErr(s.Err)
	refuseExtras(root)
	err := root.Execute()
	if flushErr := out.Flush(); flushErr != nil && (err == nil || isSaid(err)) {
		err = fault.New(fault.Resource, "cannot write to standard output: %s", fault.Cause(flushErr))
	}
	return app.Report(err)
}

// App is what the commands share.
type App struct {
	Streams *Streams
	Stdout  io.Writer
	Format  Format
	Color   colorMode
}

// Flush writes what waits in standard output's buffer. An error comes again at the end of the program.
func (a *App) Flush() {
	if out, ok := a.Stdout.(*bufio.Writer); ok {
		out.Flush() //nolint:errcheck // as above
	}
}

// Report prints an error, unless it was said already, and returns its exit code.
func (a *App) Report(err error) int {
	if err == nil {
		return 0
	}
	if !isSaid(err) {
		a.PrintError(err)
	}
	return int(fault.ClassOf(err))
}

// said is an error whose text was printed already, or that the answer itself states. It decides the exit code alone.
type said struct{ error }

func (s said) Unwrap() error { return s.error }

// Said returns an error that decides the exit code and is not printed; nil for nil.
func Said(err error) error {
	if err == nil {
		return nil
	}
	return said{err}
}

func isSaid(err error) bool { return errors.As(err, new(said)) }

// PrintError prints an error and its hint the way all are printed.
func (a *App) PrintError(err error) {
	a.Streams.complain("tlayout: error: " + err.Error())
	var e *fault.Error
	if errors.As(err, &e) && e.Hint != "" {
		a.Streams.complain("tlayout: hint: " + e.Hint)
	}
}

// Warn prints what a person should know who does not read JSON.
func (a *App) Warn(texts []string) {
	for _, t := range texts {
		a.Streams.complain("tlayout: warning: " + t)
	}
}

// UsageError turns cobra's complaints about flags into ours; an error of a flag's own parser keeps its class and hint.
func UsageError(cmd *cobra.Command, err error) error {
	e := fault.New(fault.Usage, "%s", words.Quote(err.Error()))
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		e = valueError("--"+value.GetFlag().Name, value.GetValue(), value.Unwrap())
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		e.Hint = nearestFlag(cmd, unknown.GetSpecifiedName())
	}
	e.Hint = cmp.Or(e.Hint, cmd.CommandPath()+" --help shows the flags")
	return e
}

// nearestFlag names the flag that was meant, if one is near.
func nearestFlag(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	for _, pair := range [][2]string{{"from", "layout"}, {"layout", "from"}} {
		if name == pair[0] && slices.Contains(names, pair[1]) {
			return "here it is --" + pair[1]
		}
	}
	if near := words.Nearest(name, names); near != "" && len(name) > 1 {
		return "did you mean --" + near + "?"
	}
	return ""
}

// valueError says what is wrong with the value of a flag or a setting.
func valueError(name, value string, err error) *fault.Error {
	var inner *fault.Error
	var number *strconv.NumError
	switch {
	case errors.As(err, &inner):
		return &fault.Error{Class: inner.Class, Text: name + ": " + inner.Text, Hint: inner.Hint}
	case errors.As(err, &number) && errors.Is(err, strconv.ErrRange):
		return fault.New(fault.Usage, "%s: %s is out of range", name, words.Quoted(value))
	case errors.As(err, &number) && number.Func == "ParseBool":
		return fault.New(fault.Usage, "%s: %s is not true or false", name, words.Quoted(value))
	case errors.As(err, &number) && number.Func == "ParseFloat":
		return fault.New(fault.Usage, "%s: %s is not a number", name, words.Quoted(value))
	case errors.As(err, &number):
		return fault.New(fault.Usage, "%s: %s is not a whole number", name, words.Quoted(value))
	}
	return fault.New(fault.Usage, "%s: %s: %s", name, words.Quoted(value), words.Quote(err.Error()))
}

// Kernels are those that move the data. A value of TLAYOUT_CPU that names none of this machine's is an error.
func (a *App) Kernels() (*kernel.Kernels, error) {
	value, _ := a.Streams.Env(kernel.Variable)
	k, err := kernel.FromEnv(value)
	if err == nil {
		return k, nil
	}
	names := AvailableLevels()
	hint := "valid here: " + strings.Join(names, ", ") + "; without it the last one is taken"
	if near := words.Nearest(value, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return nil, fault.New(fault.Usage, "%s", err).WithHint("%s", hint)
}

// AvailableLevels names what TLAYOUT_CPU may ask for here, the lowest first.
func AvailableLevels() (names []string) {
	for _, k := range kernel.Available() {
		names = append(names, k.Name())
	}
	return names
}

// UnknownCommand refuses arguments of the bare program and names the command that was meant.
func UnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	e := fault.New(fault.Usage, "unknown command %s", words.Quoted(args[0]))
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return e.WithHint("did you mean %s?", strings.Join(near, " or "))
	}
	if strings.Contains(args[0], ".") {
		return e.WithHint("to look at a file: tlayout inspect %s", words.Quote(args[0]))
	}
	return e.WithHint("%s --help lists the commands", cmd.CommandPath())
}

// refuseExtras gives cobra's own commands our errors for arguments that they do not know. The root's output must be
// set, for they remember it.
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

// Args refuses fewer than least or more than most arguments, which are sources unless their noun says otherwise. The hint
// shows a command line that works.
func Args(least, most int, noun, hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		counts := []string{"no", "one", "two"}
		return fault.New(fault.Usage, "%s takes %s %s, found %d", cmd.Name(), counts[most], words.Plural(most, noun, noun+"s"), len(args)).
			WithHint("%s", hint)
	}
}

// NoArgs refuses arguments.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fault.New(fault.Usage, `%s takes no arguments, found "%s"`, cmd.CommandPath(), fmt.Sprint(words.Quote(args[0])))
}

// Must is for calls that fail only if the command tree contradicts itself.
func Must(err error) {
	if err != nil {
		panic(err)
	}
}

// release is set by the linker for a release: -X github.com/tlayout/tlayout/cmd/tlayout/internal/cli.release=v1.2.3.
var release string

// Version is the release, the module's version, or "devel".
func Version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
