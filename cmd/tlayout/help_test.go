package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
)

// TestHelpFits: no help of a command or topic has a line over 80 columns, on a terminal of that width and off one.
func TestHelpFits(t *testing.T) {
	seen := 0
	eachCommand(command.NewRoot(&cli.App{Streams: &cli.Streams{}}), func(cmd *cobra.Command) {
		seen++
		args := append([]string{"help"}, strings.Fields(cmd.CommandPath())[1:]...)
		for _, columns := range []int{0, 80} {
			for line := range strings.Lines(plainText(runIn(t, []func(*cli.Streams){onTerminal(columns)}, args...).out)) {
				if w := displaywidth.String(strings.TrimSuffix(line, "\n")); w > 80 {
					t.Errorf("%s: %d columns wide: %s", cmd.CommandPath(), w, line)
				}
			}
		}
	})
	if seen < 15 {
		t.Errorf("%d commands", seen)
	}
}

// TestHelpShort: help has at most 90 lines and 14 flags of a command's own, and says how to list the others; with --all it lists every flag.
func TestHelpShort(t *testing.T) {
	eachCommand(command.NewRoot(&cli.App{Streams: &cli.Streams{}}), func(cmd *cobra.Command) {
		if !cmd.Runnable() || !cmd.HasParent() {
			return
		}
		words := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		short, whole := tlayout(t, words...), tlayout(t, append(words, "--all")...)
		if n := strings.Count(short, "\n"); n > 90 {
			t.Errorf("%s: %d lines", cmd.CommandPath(), n)
		}
		own, omitted := 0, 0
		listed := func(f *pflag.Flag) {
			entry := regexp.MustCompile(`(?m)^  (?:-., |    )--` + f.Name + ` `)
			if len(entry.FindAllString(whole, -1)) != 1 {
				t.Errorf("%s: --help --all does not list --%s once", cmd.CommandPath(), f.Name)
			}
			switch {
			case !entry.MatchString(short):
				omitted++
			case cmd.LocalFlags().Lookup(f.Name) != nil:
				own++
			}
		}
		cmd.InitDefaultHelpFlag()
		cmd.LocalFlags().VisitAll(listed)
		cmd.InheritedFlags().VisitAll(listed)
		if own > 14 {
			t.Errorf("%s: %d frequent flags", cmd.CommandPath(), own)
		}
		if says := strings.Contains(short, ": "+cmd.CommandPath()+" --help --all\n"); says != (omitted > 0) {
			t.Errorf("%s: %d flags omitted, and says so: %t", cmd.CommandPath(), omitted, says)
		}
	})
}

// TestHelpGroups: help --all lists each flag once, in groups: the command's own first, then those that describe SRC, then the global ones.
func TestHelpGroups(t *testing.T) {
	help := tlayout(t, "check", "--help", "--all")
	var titles []string
	for line := range strings.Lines(help) {
		if title, ok := strings.CutSuffix(strings.TrimSpace(line), ":"); ok && !strings.HasPrefix(line, " ") {
			titles = append(titles, title)
		}
	}
	want := []string{"Usage", "Examples", "Assert the memory order", "Assert elements and shape", "Assert the storage", "Assert a checkpoint as a whole", "What SRC is", "Names of many sources", "Limits", "Every command"}
	if !slices.Equal(titles, want) {
		t.Errorf("titles are %q, expected %q", titles, want)
	}
	for _, flag := range []string{"--layout layout", "--finite ", "--packed ", "--shape sizes", "-h, --help", "--json "} {
		if n := strings.Count(strings.ReplaceAll(help, "\n      ", "\n  "), "\n  "+flag); n != 1 {
			t.Errorf("%s is listed %d times", flag, n)
		}
	}
}
