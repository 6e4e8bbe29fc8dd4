package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
)

// TestCompletionsSayWhat: completions of flags and arguments have descriptions, for every command: the words of flags that take one of a
// few, layouts and types.
func TestCompletionsSayWhat(t *testing.T) {
	t.Parallel() // last: cobra keeps every command that completes, and each round of a bench collects them
	offered := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.AddFlagSet(cmd.LocalFlags())
		flags.AddFlagSet(cmd.InheritedFlags())
		flags.VisitAll(func(f *pflag.Flag) {
			if f.NoOptDefVal != "" {
				return // takes no value
			}
			path := strings.Fields(cmd.CommandPath())[1:]
			lines := completions(t, slices.Concat(path, []string{"--" + f.Name, ""})...)
			list, few := f.Value.(interface{ Words() []string })
			switch {
			case few && len(lines) != len(list.Words()):
				t.Errorf("%s --%s offers %d of %d words", cmd.CommandPath(), f.Name, len(lines), len(list.Words()))
			case (f.Value.Type() == "layout" || f.Value.Type() == "layouts" || f.Value.Type() == "dtype") && len(lines) == 0:
				t.Errorf("%s --%s offers nothing", cmd.CommandPath(), f.Name)
			}
			for _, line := range lines {
				offered++
				if word, meaning, _ := strings.Cut(line, "\t"); !strings.HasPrefix(word, "_activeHelp_") && (meaning == "" || len(meaning) > 80) {
					t.Errorf("%s --%s offers %q", cmd.CommandPath(), f.Name, line)
				}
			}
		})
		for _, child := range cmd.Commands() {
			walk(child)
		}
	}
	walk(command.NewRoot(&cli.App{Streams: &cli.Streams{}}))
	if offered < 500 {
		t.Errorf("%d completions", offered)
	}
	for _, args := range [][]string{{"formats", ""}, {"trace", "--shape", "2,3", ""}, {"trace", "--shape", "2,3", "--numpy", ""}, {"trace", "--cute", "4:1", ""}} {
		for _, line := range completions(t, args...) {
			if _, meaning, _ := strings.Cut(line, "\t"); meaning == "" {
				t.Errorf("%v offers %q", args, line)
			}
		}
	}
}

// completions returns what the program offers a shell, without the directive.
func completions(t *testing.T, args ...string) []string {
	t.Helper()
	o := runIn(t, nil, append([]string{cobra.ShellCompRequestCmd}, args...)...)
	if o.code != 0 {
		t.Fatalf("%v: exit code %d: %s", args, o.code, o.err)
	}
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	return lines[:len(lines)-1]
}
