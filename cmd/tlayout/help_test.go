package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"

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

// TestHelpGroups: help lists each flag once, in groups: the command's own first, then those that describe SRC, then the global ones.
func TestHelpGroups(t *testing.T) {
	help := tlayout(t, "check", "--help")
	var titles []string
	for line := range strings.Lines(help) {
		if title, ok := strings.CutSuffix(strings.TrimSpace(line), ":"); ok && !strings.HasPrefix(line, " ") {
			titles = append(titles, title)
		}
	}
	want := []string{"Usage", "Examples", "Assert the memory order", "Assert elements and shape", "Assert the storage", "Assert a checkpoint as a whole", "What SRC is", "Every command"}
	if !slices.Equal(titles, want) {
		t.Errorf("titles are %q, expected %q", titles, want)
	}
	for _, flag := range []string{"--layout layout", "--finite ", "--packed ", "--shape sizes", "-h, --help", "--json "} {
		if n := strings.Count(strings.ReplaceAll(help, "\n      ", "\n  "), "\n  "+flag); n != 1 {
			t.Errorf("%s is listed %d times", flag, n)
		}
	}
}
