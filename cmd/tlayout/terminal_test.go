package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// screens are commands with output for people; X, P and B stand for files.
var screens = []string{
	"inspect X", "inspect P", "inspect B --from nchw4", "inspect S", "inspect X P",
	"inspect X -f table --offsets --limit 3", "inspect X --storage --limit 3",
	"inspect --shape 1,64,5,4 --strides 1280,1,256,64",
	"inspect --shape 2,1,4,4 --strides 16,1,4,1",
	"inspect --shape 2,3,4,3 --strides 72,1,18,6",
	"inspect --shape 2,1,1,1",
	"inspect --shape 1,1,1,1,1",
	"inspect --shape 2,3 --strides 0,1",
	"inspect --shape 2,64,3,3 --from chwn4",
	"inspect --shape 512,128,32,64 --from nhwc --dtype float64",
	"inspect --shape 8,128 --from {1,0:T(8,128)(2,1)} --dtype bfloat16",
	"convert X --to nhwc --dry-run", "convert X --to nchw4 --dry-run", "convert B --from nchw4 --to nchw --dry-run",
	"convert X --to chwn4 --dry-run", "convert X --to nchw --to-pitch W=64B --dry-run",
	"plan X --to nhwc", "plan X --to nchw4", "plan X --to nchw --to-pitch W=64B", "plan --shape 2,1,4,5 --to nhwc",
	"plan --shape 8,62,56,56 --to nchw16", "plan --shape 1,26,2,2 --from nchw4 --to nchw6",
	"inspect X --explain", "inspect --shape 1,3,4,4 --strides 3,1,12,3 --explain",
	"inspect --shape 2,62,3,3 --from nChw16c --explain", "check X --from nchw --layout nchw --packed", "check P --from nhwc --layout nhwc --finite",
	"formats", "offset X 1,0,1,2 --line-size 64", "offset --shape 1,3,2,2 --from nchw4 --at 3",
	"diff X X", "check --help", "trace --help", "offset --help", "formats --help", "diff --help", "draw --help",
	"help", "help layouts", "help exit-codes", "help environment", "help agent", "inspect --help", "convert --help", "plan --help", "version",
}

func screenArgs(t *testing.T, screen string) []string {
	files := map[string]string{"X": "x.npy", "P": "photo.npy"}
	args := strings.Fields(screen)
	for i, arg := range args {
		if name := files[arg]; name != "" {
			args[i] = writeHere(t, name, fixtures[name]())
		}
		switch arg {
		case "B":
			args[i] = writeHere(t, "b.npy", fixture.Must(fixture.Npy("<f4", []int{1, 2, 2, 2, 4}, false)))
		case "S":
			args[i] = writeHere(t, "s.npy", fixture.Must(fixture.Npy("<i4,<f8,<M8[ns]", []int{3}, false)))
		}
	}
	return args
}

// writeHere writes a file into the working folder, so that its name is short on the screen.
func writeHere(t *testing.T, name string, content []byte) string {
	t.Helper()
	cli.Must(os.WriteFile(name, content, 0o644))
	return name
}

// TestWidth: no line is wider than the terminal, except a single word that is wider than its column.
func TestWidth(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, columns := range []int{80, 120, 200} {
		for _, screen := range screens {
			o := runIn(t, []func(*cli.Streams){onTerminal(columns)}, screenArgs(t, screen)...)
			if o.code != 0 {
				t.Fatalf("tlayout %s: exit code %d\n%s", screen, o.code, o.err)
			}
			tooWide(t, screen, columns, o.out)
		}
	}
}

// TestWidthKeepsWords: a narrow terminal shows the same words as a wide one. Without --all, inspect shows less if it has less room.
func TestWidthKeepsWords(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, screen := range screens {
		args := screenArgs(t, screen)
		if args[0] == "inspect" {
			args = append(args, "--all")
		}
		wide := wordsOf(runIn(t, []func(*cli.Streams){onTerminal(200)}, args...).out)
		for _, columns := range []int{1, 60, 80} {
			narrow := wordsOf(runIn(t, []func(*cli.Streams){onTerminal(columns)}, args...).out)
			if wide != narrow {
				t.Errorf("tlayout %s at %d columns has other words:\n%s\ninstead of\n%s", screen, columns, narrow, wide)
			}
		}
	}
}

// wordsOf counts the words of a text without rules. Wrapping moves words between lines.
func wordsOf(text string) string {
	counts := map[string]int{}
	for word := range strings.FieldsSeq(settled(strings.Join(strings.Fields(plainText(text)), " "))) {
		if strings.Trim(word, "─-") != "" {
			counts[word]++
		}
	}
	return fmt.Sprint(counts)
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// plainText removes the escape sequences of bold text and colors.
func plainText(s string) string { return escapes.ReplaceAllString(s, "") }

func TestColor(t *testing.T) {
	for _, c := range []struct {
		name    string
		changes []func(*cli.Streams)
		args    []string
		bold    bool
	}{
		{"a terminal", []func(*cli.Streams){onTerminal(80)}, nil, true},
		{"no terminal", nil, nil, false},
		{"NO_COLOR", []func(*cli.Streams){onTerminal(80), withEnv("NO_COLOR", "1")}, nil, false},
		{"NO_COLOR, though empty", []func(*cli.Streams){onTerminal(80), withEnv("NO_COLOR", "")}, nil, false},
		{"TERM=dumb", []func(*cli.Streams){onTerminal(80), withEnv("TERM", "dumb")}, nil, false},
		{"TERM=xterm", []func(*cli.Streams){onTerminal(80), withEnv("TERM", "xterm")}, nil, true},
		{"never on a terminal", []func(*cli.Streams){onTerminal(80)}, []string{"--color", "never"}, false},
		{"always off a terminal", nil, []string{"--color", "always"}, true},
		{"always beats NO_COLOR", []func(*cli.Streams){withEnv("NO_COLOR", "1")}, []string{"--color", "always"}, true},
		{"the environment", []func(*cli.Streams){withEnv("TLAYOUT_INSPECT_COLOR", "always")}, nil, true},
		{"JSON on a terminal", []func(*cli.Streams){onTerminal(80)}, []string{"--json"}, false},
		{"CSV on a terminal", []func(*cli.Streams){onTerminal(80)}, []string{"-f", "csv"}, false},
	} {
		o := runIn(t, c.changes, append([]string{"inspect", "--shape", "2,3"}, c.args...)...)
		if got := strings.Contains(o.out, "\x1b"); o.code != 0 || got != c.bold {
			t.Errorf("%s: bold is %t, expected %t (exit code %d)", c.name, got, c.bold, o.code)
		}
	}
}

// inC sets the locale C, without UTF-8.
func inC(s *cli.Streams) { s.Unicode = false }

// TestASCII: in a locale without UTF-8, pages, help and errors are ASCII and fit the terminal; names in other scripts are escaped. JSON, CSV
// and Markdown are for programs and stay UTF-8.
func TestASCII(t *testing.T) {
	t.Chdir(t.TempDir())
	writeHere(t, "größe.npy", fixtures["x.npy"]())
	narrow := func(s *cli.Streams) { s.Width, s.ErrWidth, s.Unicode = 80, 80, false }
	some := append([]string{
		"inspect größe.npy --all", "inspect größe.npy X", "trace X permute(0,2,3,1) view(-1)", "bench --quick --shape 1,8,8,8 --layouts nchw,nhwc",
		"draw X", "draw X --label value --path channel", "draw --shape 1,6,2,2 --from nchw4", "diff X P", "check X P --packed --rank 3",
		"trace --cute (6,2):(8,2) composition((4,3):(3,1))", "inspect größer.npy", "convert X --to größe", "offset X 9,9,9,9 --from größe",
		"formats nhwc", "formats --shape 2,3,4,5 nChw16c", "plan größe.npy --to nhwc --all", "trace X view(7) --all",
	}, screens...)
	for _, screen := range some {
		for _, change := range []func(*cli.Streams){inC, narrow} {
			o := runIn(t, []func(*cli.Streams){change}, screenArgs(t, screen)...)
			text := plainText(o.out + o.err)
			if at := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf || r == unicode.ReplacementChar }); at >= 0 {
				t.Errorf("tlayout %s: not ASCII: %s", screen, lineAt(text, at))
			}
		}
		o := runIn(t, []func(*cli.Streams){narrow}, screenArgs(t, screen)...)
		tooWide(t, screen, 80, o.out+o.err)
	}
	for _, format := range []string{"json", "csv", "markdown"} {
		utf, ascii := runIn(t, nil, "inspect", "größe.npy", "-f", format), runIn(t, []func(*cli.Streams){inC}, "inspect", "größe.npy", "-f", format)
		if utf.out != ascii.out || !strings.Contains(utf.out, "größe") {
			t.Errorf("%s depends on the locale:\n%s\n%s", format, utf.out, ascii.out)
		}
	}
}

// lineAt returns the line of a text at a byte.
func lineAt(text string, at int) string {
	from := strings.LastIndex(text[:at], "\n") + 1
	line, _, _ := strings.Cut(text[from:], "\n")
	return line
}

// tooWide fails for lines wider than the terminal that are rules, or have a blank to break at.
func tooWide(t *testing.T, screen string, columns int, text string) {
	t.Helper()
	for line := range strings.SplitSeq(plainText(text), "\n") {
		rule := strings.Trim(line, "-─") == ""
		if w := displaywidth.String(line); w > columns && (rule || len(strings.Fields(line)) > 1) {
			t.Errorf("tlayout %s at %d columns: %d columns wide: %s", screen, columns, w, line)
		}
	}
}

// TestPiped: off a terminal a page is that of an infinitely wide one without bold. Help and pictures have a width of their own.
func TestPiped(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, screen := range screens {
		if strings.Contains(screen, "help") || strings.Contains(screen, "storage") {
			continue
		}
		args := screenArgs(t, screen)
		piped, wide := runIn(t, nil, args...), runIn(t, []func(*cli.Streams){onTerminal(1 << 20)}, args...)
		if settled(piped.out) != settled(plainText(wide.out)) {
			t.Errorf("tlayout %s:\n%s\non a wide terminal:\n%s", screen, piped.out, wide.out)
		}
	}
}

// TestErrorsFold: on a terminal, errors and hints are broken between words; a file gets each on one line.
func TestErrorsFold(t *testing.T) {
	args := []string{"offset", "--shape", "1,32,35,35", "1", "2", "3"}
	whole := runIn(t, nil, args...).err
	folded := runIn(t, []func(*cli.Streams){func(s *cli.Streams) { s.ErrWidth = 60 }}, args...).err
	if n := strings.Count(whole, "\n"); n != 2 {
		t.Errorf("%d lines off a terminal, expected an error and a hint:\n%s", n, whole)
	}
	for _, line := range strings.Split(folded, "\n") {
		if w := displaywidth.String(line); w > 60 {
			t.Errorf("%d columns wide: %s", w, line)
		}
	}
	if !strings.HasPrefix(folded, "tlayout: error: got 3 indices, ") || strings.Join(strings.Fields(folded), " ") != strings.Join(strings.Fields(whole), " ") {
		t.Errorf("other words:\n%s\ninstead of\n%s", folded, whole)
	}
}
