package main

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/fault"
)

// run is the program: arguments in, exit code out. It writes to the streams and nowhere else. build makes the commands.
func run(args []string, s *streams, build func(*app) *cobra.Command) int {
	out := bufio.NewWriterSize(s.out, 1<<16)
	app := &app{streams: s, stdout: out}
	root := build(app)
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(out)
	root.SetErr(s.err)
	refuseExtras(root)
	err := root.Execute()
	if flushErr := out.Flush(); err == nil && flushErr != nil {
		err = fault.New(fault.Resource, "cannot write to standard output: %s", rootCause(flushErr))
	}
	return app.report(err)
}

// app is what the commands share.
type app struct {
	streams *streams
	stdout  io.Writer
	format  format
	color   colorMode
	failed  error // the first of several sources that could not be read
}

// flush writes what waits in standard output's buffer. An error comes again at the end of the program.
func (a *app) flush() {
	if out, ok := a.stdout.(*bufio.Writer); ok {
		out.Flush() //nolint:errcheck // as above
	}
}

// report prints an error the way every error is printed and returns its exit code.
func (a *app) report(err error) int {
	if err == nil {
		err = a.failed
	} else {
		a.printError(err)
	}
	if err == nil {
		return 0
	}
	return int(fault.ClassOf(err))
}

func (a *app) printError(err error) {
	a.streams.complain("tlayout: error: " + err.Error())
	var e *fault.Error
	if errors.As(err, &e) && e.Hint != "" {
		a.streams.complain("tlayout: hint: " + e.Hint)
	}
}

// warn prints what a person should know who does not read JSON.
func (a *app) warn(texts []string) {
	for _, t := range texts {
		a.streams.complain("tlayout: warning: " + t)
	}
}

func rootCause(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

// usageError turns cobra's complaints about flags into ours; an error of a flag's own parser keeps its class and hint.
func usageError(cmd *cobra.Command, err error) error {
	e := fault.New(fault.Usage, "%s", fault.Quote(err.Error()))
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
	if near := fault.Nearest(name, names); near != "" && len(name) > 1 {
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
		return fault.New(fault.Usage, `%s: "%s" is out of range`, name, fault.Quote(value))
	case errors.As(err, &number) && number.Func == "ParseBool":
		return fault.New(fault.Usage, `%s: "%s" is not true or false`, name, fault.Quote(value))
	case errors.As(err, &number) && number.Func == "ParseFloat":
		return fault.New(fault.Usage, `%s: "%s" is not a number`, name, fault.Quote(value))
	case errors.As(err, &number):
		return fault.New(fault.Usage, `%s: "%s" is not a whole number`, name, fault.Quote(value))
	}
	return fault.New(fault.Usage, `%s: "%s": %s`, name, fault.Quote(value), fault.Quote(err.Error()))
}
