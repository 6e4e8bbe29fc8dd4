package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// flagTable has the names of the flags of each command.
type flagTable map[string][]string

// otherPrograms are programs whose command lines the documents quote, and otherFlags the flags of other programs that their prose names.
var (
	otherPrograms = []string{"docker", "kubectl", "sbatch"}
	otherFlags    = []string{"async", "endpoint", "flag", "outcomes", "runner", "tries", "user", "wait", "worker_binary"}
)

// unchecked are documents that name flags of other versions.
var unchecked = []string{"CHANGELOG.md"}

// TestDocsFlags: a flag that the prose of a document names is one of the command that it is about. That is the command that precedes it, as in
// convert --verify; else one that its sentence names in code; else one that its section, or the beginning of the document, names in code or in an
// example; else any. The beginning, before the first section, is about every command that the document names.
func TestDocsFlags(t *testing.T) {
	flags := newFlagTable()
	for _, name := range otherFlags {
		if flags.anyHas(nil, name) {
			t.Errorf("--%s of another program is a flag of tlayout too", name)
		}
	}
	checked := 0
	for _, document := range documents() {
		if slices.Contains(unchecked, filepath.Base(document)) {
			continue
		}
		text := string(fixture.Must(os.ReadFile(document)))
		beginning := flags.namedIn(text)
		for i, section := range sectionStart.Split(text, -1) {
			named := append(flags.namedIn(section), beginning...)
			if i == 0 {
				beginning = flags.namedIn(section)
			}
			for _, sentence := range sentences(section) {
				checked += len(anyFlag.FindAllString(sentence, -1))
				for _, wrong := range flags.misattributed(sentence, named) {
					t.Errorf("%s: %s: %s", filepath.Base(document), wrong, strings.TrimSpace(sentence))
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("%d flags found", checked)
	}
}

// TestHelpFlags: a flag that the help of a command names is one of the command that precedes it, or else of its own; one that a topic names is of
// the command that precedes it, or else of any.
func TestHelpFlags(t *testing.T) {
	flags := newFlagTable()
	eachCommand(command.NewRoot(&cli.App{Streams: &cli.Streams{}}), func(c *cobra.Command) {
		own := []string{c.Name()}
		isTopic := c.IsAdditionalHelpTopicCommand() || c.HasParent() && c.Parent().Name() == "help"
		if !c.HasParent() || isTopic {
			own = nil
		}
		texts := []string{c.Short, cli.WholeLong(c)}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { texts = append(texts, f.Usage) })
		for _, text := range texts {
			for _, wrong := range flags.misattributed(text, own) {
				t.Errorf("help of %s: %s", c.Name(), wrong)
			}
		}
	})
}

// TestMisattributed: misattributed finds flags of other commands, and of none.
func TestMisattributed(t *testing.T) {
	flags := newFlagTable()
	for _, c := range []struct {
		sentence string
		section  []string
		want     []string
	}{
		{"Use `convert --verify`, `tlayout convert x.npy --durable` or plan --shared.", nil, nil},
		{"Use `inspect --verify`.", []string{"convert"}, []string{"inspect has no --verify"}},
		{"As plan --verify does.", []string{"convert"}, []string{"plan has no --verify"}},
		{"`inspect` shows more with `--explain`.", []string{"convert"}, nil},
		{"`inspect` proves nothing with `--verify`.", []string{"convert"}, []string{"inspect has no --verify"}},
		{"Nothing changes with `--verify`.", []string{"inspect", "convert"}, nil},
		{"Nothing changes with `--verify`.", []string{"inspect", "draw"}, []string{"inspect, draw have no --verify"}},
		{"Nothing changes with `--verify`.", nil, nil},
		{"Nothing changes with `--verified`.", nil, []string{"no command has --verified"}},
		{"`docker run --user 1`, `X=1 sbatch --array=3`, --runner=x and a--verified---mark.", nil, nil},
	} {
		if diff := cmp.Diff(c.want, flags.misattributed(c.sentence, c.section)); diff != "" {
			t.Errorf("%s: %s", c.sentence, diff)
		}
	}
}

func newFlagTable() flagTable {
	flags := flagTable{}
	eachCommand(command.NewRoot(&cli.App{Streams: &cli.Streams{}}), func(c *cobra.Command) {
		if c.IsAdditionalHelpTopicCommand() {
			return
		}
		c.InitDefaultHelpFlag()
		add := func(f *pflag.Flag) { flags[c.Name()] = append(flags[c.Name()], f.Name) }
		c.LocalFlags().VisitAll(add)
		c.InheritedFlags().VisitAll(add)
	})
	return flags
}

// anyHas reports whether one of the commands, or of all if there are none, has a flag.
func (k flagTable) anyHas(commands []string, flag string) bool {
	for name, flags := range k {
		asked := len(commands) == 0 || slices.Contains(commands, name)
		if asked && slices.Contains(flags, flag) {
			return true
		}
	}
	return false
}

var (
	inCode       = regexp.MustCompile("`[^`]+`")
	anyFlag      = regexp.MustCompile(`(?:^|[^\w-])--([a-z][a-z0-9_-]*)`)
	precededBy   = regexp.MustCompile(`\b([a-z]+) --([a-z][a-z0-9_-]*)`)
	sentenceEnd  = regexp.MustCompile(`[.?!:]\s|\n\s*(?:[-*|]|\d+\.|\n)`)
	sectionStart = regexp.MustCompile(`(?m)^##`)
	tableRow     = regexp.MustCompile(`(?m)^.* \| .*$`)
	fencedBlock  = regexp.MustCompile("(?ms)^```.*?^```$")
	shownLine    = regexp.MustCompile(`\btlayout [^|\n]*`)
)

// sentences cuts Markdown without fenced blocks at the ends of sentences, items, rows and paragraphs.
func sentences(text string) []string {
	rows := tableRow.ReplaceAllString(fencedBlock.ReplaceAllString(text, "\n\n"), "$0\n")
	return sentenceEnd.Split(rows, -1)
}

// namedIn returns the commands of a text's code spans and examples.
func (k flagTable) namedIn(text string) (names []string) {
	for _, block := range fencedBlock.FindAllString(text, -1) {
		for _, line := range shownLine.FindAllString(block, -1) {
			names = k.appendCommand(names, line)
		}
	}
	for _, span := range inCode.FindAllString(fencedBlock.ReplaceAllString(text, ""), -1) {
		names = k.appendCommand(names, strings.Trim(span, "`"))
	}
	return names
}

// appendCommand appends the command of a command line.
func (k flagTable) appendCommand(names []string, line string) []string {
	name, ok := k.commandOf(line)
	if !ok || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// commandOf returns the command of a line: convert x.npy, tlayout convert x.npy; inspect for tlayout x.npy. Lines of help, completion and version
// are about other commands.
func (k flagTable) commandOf(line string) (name string, ok bool) {
	words := strings.Fields(line)
	program := len(words) > 1 && words[0] == "tlayout"
	if program {
		words = words[1:]
	}
	if len(words) == 0 || slices.Contains([]string{"help", "completion", "version", "tlayout"}, words[0]) {
		return "", false
	}
	if _, is := k[words[0]]; is {
		return words[0], true
	}
	return "inspect", program
}

// misattributed returns what is wrong with the flags of a sentence in a section that names commands.
func (k flagTable) misattributed(sentence string, section []string) (wrong []string) {
	subject := k.namedIn(sentence)
	rest := inCode.ReplaceAllStringFunc(sentence, func(span string) string {
		line := strings.Trim(span, "`")
		if isOthers(line) {
			return ""
		}
		name, ok := k.commandOf(line)
		if !ok {
			return " " + line + " "
		}
		wrong = append(wrong, k.missing([]string{name}, line)...)
		return ""
	})
	rest = precededBy.ReplaceAllStringFunc(rest, func(s string) string {
		name, flag, _ := strings.Cut(s, " ")
		if _, ok := k[name]; !ok {
			return s
		}
		wrong = append(wrong, k.missing([]string{name}, flag)...)
		return ""
	})
	if len(subject) == 0 {
		subject = section
	}
	return append(wrong, k.missing(subject, rest)...)
}

// isOthers reports whether a line runs another program.
func isOthers(line string) bool {
	words := strings.Fields(line)
	for len(words) > 1 && strings.Contains(words[0], "=") {
		words = words[1:]
	}
	return len(words) > 0 && slices.Contains(otherPrograms, words[0])
}

// missing returns the flags in a text that none of the commands has.
func (k flagTable) missing(commands []string, text string) (wrong []string) {
	for _, m := range anyFlag.FindAllStringSubmatch(text, -1) {
		flag := m[1]
		switch {
		case slices.Contains(otherFlags, flag) || k.anyHas(commands, flag):
		case len(commands) == 0:
			wrong = append(wrong, "no command has --"+flag)
		case len(commands) == 1:
			wrong = append(wrong, fmt.Sprintf("%s has no --%s", commands[0], flag))
		default:
			wrong = append(wrong, fmt.Sprintf("%s have no --%s", strings.Join(commands, ", "), flag))
		}
	}
	return wrong
}
