// Package cli is shared by all commands: streams, settings, the flags that describe a source, and the output of answers and errors. Each command is a
// package beside this one and imports no other command.
//
//	app.go, usage.go       Run, App, exit codes; usage errors and their hints
//	meant.go, pasted.go    what an unknown command, flag or lone argument may have meant
//	message.go, help.go    errors, warnings and notes; help that fits the terminal
//	streams.go             standard streams, the terminal's width and colors
//	config.go, settings.go flag > environment > settings file > default; relation.go: flags that exclude or need others
//	flag.go, source.go     flag values; the flags that say what SRC is
//	report.go, page.go     a report as JSON, CSV or a page; json.go writes documents
//	complete.go            shell completion
//	progress.go            progress bars on standard error
package cli

import (
	"bufio"
	"errors"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// Run runs the program and returns its exit code. It writes only to the streams. build returns the root command.
func Run(args []string, s *Streams, build func(*App) *cobra.Command) int {
	out := bufio.NewWriterSize(s.Out, 1<<16)
	app := &App{Streams: s, Stdout: out}
	if len(args) > 0 {
		app.First = args[0]
	}
	root := build(app)
	root.SetIn(s.In)
	root.SetOut(text.InertWriter(out))
	root.SetErr(text.InertWriter(s.Err))
	refuseExtras(root)
	if isCompletion(args) {
		completeFlags(root)
		unquoteUsages(root)
		args = printableRequest(args)
	}
	args = withExpressions(root, app.withCommand(root, args))
	root.SetArgs(args)
	app.typed = args
	err := refuseVerb(root, args)
	if err == nil {
		err = root.Execute()
	}
	if err != nil {
		app.chooseErrorFormat()
	}
	if flushErr := out.Flush(); flushErr != nil && (err == nil || isReported(err)) {
		err = fault.New(fault.Resource, "cannot write to standard output: %s", fault.Cause(flushErr))
	}
	for _, line := range app.readAs {
		app.Hint(line)
	}
	app.endErrors()
	return app.Report(err)
}

// App is the state of one run of the program.
type App struct {
	Streams *Streams
	Stdout  io.Writer // for a result that is the bytes of a file; text goes through Reports
	Format  Format
	Color   colorMode

	First string                // argument; if it names a command, only that one is built
	Whole func() *cobra.Command // builds a root with all commands; nil if the current root has them

	configured bool            // set once flags and settings are read
	filled     map[string]bool // flags set by settings
	typed      []string        // arguments
	settingsOf name.Name       // the settings file that was read; empty for none
	misused    []misuse        // in the order in which they occurred first
	readAs     []string        // what a lone text was read as, if it has other meanings or something was assumed, a line each

	All     bool // pages show everything, not only highlights
	Quiet   bool // print failures only
	Verbose bool // enables Detail
}

// whole returns a root with all commands.
func (a *App) whole(root *cobra.Command) *cobra.Command {
	if a.Whole != nil {
		return a.Whole()
	}
	return root
}

// chooseErrorFormat selects JSON for the error of a command line that requests JSON and failed before its flags were read.
func (a *App) chooseErrorFormat() {
	if !a.configured && a.Format == Table && asksJSON(a.typed) {
		a.Format = JSON
	}
}

// Flush flushes standard output. The buffer keeps its first error, which Run reports.
func (a *App) Flush() {
	if out, ok := a.Stdout.(*bufio.Writer); ok {
		out.Flush() //nolint:errcheck // as above
	}
}

// Report prints an error, unless it was reported already, and returns its exit code.
func (a *App) Report(err error) int {
	if err == nil {
		return 0
	}
	if !isReported(err) {
		a.PrintError(err)
	}
	return int(fault.ClassOf(err))
}

// reported is an error that was printed already, or that the answer itself states. It only sets the exit code.
type reported struct{ error }

func (r reported) Unwrap() error { return r.error }

// Reported wraps an error that sets the exit code but is not printed; nil for nil.
func Reported(err error) error {
	if err == nil {
		return nil
	}
	return reported{err}
}

func isReported(err error) bool { return errors.As(err, new(reported)) }

// Kernels returns the kernels that move data: the best ones, or those of the level in TLAYOUT_CPU. A level that this machine lacks is a Usage error.
func (a *App) Kernels() (*kernel.Kernels, error) {
	value, _ := a.Streams.Env(kernel.Variable)
	k, err := kernel.FromEnv(value)
	if err == nil {
		a.Detail("kernels: %s, available: %s; set %s to choose", k.Name(), strings.Join(AvailableLevels(), ", "), kernel.Variable)
		return k, nil
	}
	names := AvailableLevels()
	hint := "available here: " + strings.Join(names, ", ") + "; the last one is the default"
	if near := text.Nearest(value, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return nil, fault.New(fault.Usage, "%s", err).WithHint("%s", hint)
}

// AvailableLevels returns the levels that TLAYOUT_CPU may name on this machine, lowest first.
func AvailableLevels() (names []string) {
	for _, k := range kernel.Available() {
		names = append(names, k.Name())
	}
	return names
}

// Must panics if a call fails that can only fail because of a bug in the command tree.
func Must(err error) {
	if err != nil {
		panic(err)
	}
}

// The linker sets these for a release (see .goreleaser.yaml). date is the commit date, so that builds are reproducible.
var release, commit, date string

// Version returns the release, the module's version, or "devel".
func Version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// Commit returns the hash and date (RFC 3339, UTC) of the commit the program was built from; empty if unknown.
func Commit() (hash, when string) {
	if commit != "" {
		return commit, date
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				hash = s.Value
			case "vcs.time":
				when = s.Value
			}
		}
	}
	return hash, when
}
