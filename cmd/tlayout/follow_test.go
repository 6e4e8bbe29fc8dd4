package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
)

// Each hint that a script provokes is followed as its reader would: the flags that it names are those of the command that was typed, and the
// line with them added, or without those that it removes, gives another answer than the error that the hint came with. Hints that name a
// whole line are run by TestHints.

// misleadingVariable is the environment variable with the file to which mainValidated appends hints that mislead.
const misleadingVariable = "MISLEADING_HINTS"

// failure is an error and its hint, as printed on standard error.
type failure struct{ message, hint string }

// failureOf reads the first error and its hint, which may be empty, from standard error; failed is false without an error.
func failureOf(errors string) (f failure, failed bool) {
	_, rest, failed := strings.Cut(errors, "tlayout: error: ")
	message, rest, _ := strings.Cut(rest, "tlayout: hint: ")
	hint, _, _ := strings.Cut(rest, "\n")
	return failure{strings.TrimSpace(message), hint}, failed
}

// follow tries what a hint says after a command line failed, and returns what is wrong with the hint, or "".
func follow(args []string, f failure) string {
	for _, mention := range mentions(f.hint) {
		flag := lookUp(commandsOf(args), mention.flag)
		if flag == nil {
			return mention.flag + ", which the command does not have"
		}
		next, runs := mention.apply(args, flag)
		if !runs {
			continue
		}
		if again, failed := rerun(next); failed && leadsNowhere(f, again) {
			return fmt.Sprintf("%q says %q", next, again.message)
		}
	}
	return ""
}

// leadsNowhere reports whether the error after a hint was followed is the one before, or one about the flag that the hint named.
func leadsNowhere(before, after failure) bool {
	refusal := regexp.MustCompile(`unknown flag|invalid argument|excludes --|needs --|needs a |does not apply|applies to`)
	return before.message == after.message || refusal.MatchString(after.message)
}

// commandsOf returns the command that a line runs; those that answer pasted text if its first word is none.
func commandsOf(args []string) (all []*cobra.Command) {
	root := command.NewRoot(&cli.App{Streams: &cli.Streams{}})
	found, _, err := root.Find(args)
	if err == nil && found != root {
		return []*cobra.Command{found}
	}
	for _, name := range []string{"inspect", "formats", "threads", "why"} {
		found, _, _ := root.Find([]string{name})
		all = append(all, found)
	}
	return all
}

// lookUp finds a flag of the commands by --name or -n; nil without one.
func lookUp(commands []*cobra.Command, name string) *pflag.Flag {
	for _, cmd := range commands {
		cmd.InheritedFlags()
		flag := cmd.Flag(strings.TrimPrefix(name, "--"))
		if len(name) == 2 {
			flag = cmd.Flags().ShorthandLookup(name[1:])
		}
		if flag != nil {
			return flag
		}
	}
	return nil
}

// mention is a flag that a hint names.
type mention struct {
	flag    string
	value   string // the word behind it, quotes removed
	quoted  bool
	removed bool // the hint says to leave it out
}

var (
	mentioned = regexp.MustCompile(`(^|[ (])((?:(?:remove|omit|drop|leave out) )?)(--[a-z][a-z-]*|-[a-zA-Z])(?:[ =]('[^']*'|[^\s,;]+))?`)
	// others are programs whose flags a hint may name, and a line of tlayout, which names another command.
	others = regexp.MustCompile(`\b(tlayout|python3|pip|curl|git|tail|ulimit|np|torch)\b`)
)

// mentions lists the flags that a hint names, but those of other commands.
func mentions(hint string) (all []mention) {
	for _, part := range regexp.MustCompile(`[;:] `).Split(hint, -1) {
		if others.MatchString(part) {
			continue
		}
		for _, m := range mentioned.FindAllStringSubmatch(part, -1) {
			value := strings.Trim(m[4], "'")
			all = append(all, mention{flag: m[3], value: value, quoted: value != m[4], removed: m[2] != ""})
		}
	}
	return all
}

// apply returns the command line with the mention followed; runs is false if the hint leaves the value to the reader.
func (m mention) apply(args []string, f *pflag.Flag) (next []string, runs bool) {
	if m.removed {
		return without(args, f), true
	}
	if f.NoOptDefVal != "" { // a switch: the word behind it is prose
		return append(slices.Clone(args), "--"+f.Name), true
	}
	if !m.concrete() {
		return nil, false
	}
	return append(without(args, f), "--"+f.Name+"="+m.value), true
}

// concrete reports whether a value can be typed as it is, as 2,3,4 and 'N C H W' can: words are prose, capitals stand for something.
func (m mention) concrete() bool {
	return m.quoted || regexp.MustCompile(`[0-9.(]`).MatchString(m.value)
}

// without returns the command line without a flag and its value.
func without(args []string, f *pflag.Flag) (rest []string) {
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(args[i], "=")
		switch {
		case name != "--"+f.Name && name != "-"+f.Shorthand:
			rest = append(rest, args[i])
		case !joined && f.NoOptDefVal == "":
			i++
		}
	}
	return rest
}

// copyLimit is the size of a folder above which a hint is not followed, in KiB: the line runs in a copy.
const copyLimit = 4096

// rerun runs a command line in a copy of the current folder. It returns the failure, and whether it failed.
func rerun(args []string) (failure, bool) {
	here, err := os.Getwd()
	if err != nil {
		return failure{}, false
	}
	size, err := exec.Command("du", "-sk", here).Output()
	var kib int
	if _, scanned := fmt.Sscan(string(size), &kib); err != nil || scanned != nil || kib > copyLimit {
		return failure{}, false
	}
	copied, err := os.MkdirTemp("", "followed")
	if err != nil {
		return failure{}, false
	}
	defer os.RemoveAll(copied)
	folder := filepath.Join(copied, "x")
	if exec.Command("cp", "-a", here, folder).Run() != nil || os.Chdir(folder) != nil {
		return failure{}, false
	}
	defer func() { cli.Must(os.Chdir(here)) }()
	var errs bytes.Buffer
	s := cli.System()
	s.In, s.Out, s.Err = new(bytes.Buffer), io.Discard, &errs
	code := cli.Run(args, s, command.NewRoot)
	f, _ := failureOf(errs.String())
	return f, code > 1
}

// noteMisleading appends what is wrong with the hint of a command line that failed to the test's file.
func noteMisleading(args []string, errors string) {
	f, failed := failureOf(errors)
	if os.Getenv(misleadingVariable) == "" || !failed || f.hint == "" {
		return
	}
	if problem := follow(args, f); problem != "" {
		appendNote(misleadingVariable, fmt.Sprintf("%q: %s\n  hint: %s\n  followed: %s\n", args, f.message, f.hint, problem))
	}
}

// reportMisleading fails a test if hints of its programs misled.
func reportMisleading(t *testing.T, file string) {
	t.Helper()
	if text, err := os.ReadFile(file); err == nil {
		t.Errorf("hints that lead nowhere:\n%s", text)
	}
}
