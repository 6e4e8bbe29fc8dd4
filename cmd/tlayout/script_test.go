package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tlayout/tlayout/internal/golden"
	"github.com/tlayout/tlayout/internal/random"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tlayout": mainValidated, "tlayout-alone": main})
}

// TestScripts runs testdata/script/*.txtar: command lines of users, one topic per file.
func TestScripts(t *testing.T) {
	t.Parallel()
	refused, misleading := filepath.Join(t.TempDir(), "refused"), filepath.Join(t.TempDir(), "misleading")
	t.Cleanup(func() { reportRefused(t, refused); reportMisleading(t, misleading) })
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *golden.Update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv(refusedVariable, refused)
			env.Setenv(misleadingVariable, misleading)
			env.Setenv("ESC", "\x1b[31m\n")
			env.Setenv("FIELDS", strings.TrimSuffix(strings.Repeat("<i4,", 500), ",")) // a record of 500 fields
			env.Setenv("GORACE", "atexit_sleep_ms=0")                                  // otherwise every program sleeps for a second at its end
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "thorough":
				return random.Thorough(), nil
			}
			return false, errors.New("unknown condition " + cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":       exitsCommand,
			"fixture":     fixtureCommand,
			"checkpoints": checkpointsCommand,
			"slices":      slicesCommand,
			"bowls":       bowlsCommand,
			"fixed":       fixedCommand,
			"npy":         npyCommand,
			"normal":      normalCommand,
			"npz":         npzCommand,
			"rawnpy":      rawnpyCommand,
			"hex":         hexCommand,
			"json":        jsonCommand,
			"append":      appendCommand,
			"truncate":    truncateCommand,
			"link":        linkCommand,
			"old":         oldCommand,
			"rename":      renameCommand,
			"settle":      settleCommand,
			"patch":       patchCommand,
			"printable":   printableCommand,
			"lines":       linesCommand,
		},
	})
}

// exits CODE PROGRAM ARG…: the program ends with this exit code.
func exitsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		code = failed.ExitCode()
	} else if err != nil {
		ts.Fatalf("cannot run %s: %v", args[1], err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, expected %s; standard error:\n%s", code, args[0], ts.ReadFile("stderr"))
	}
}

// append FILE TEXT: append text, where escapes such as \xff are bytes, to a file.
func appendCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: append FILE TEXT")
	}
	path := ts.MkAbs(args[0])
	old, err := os.ReadFile(path)
	ts.Check(err)
	ts.Check(os.WriteFile(path, append(old, unescape(ts, args[1])...), 0o644))
}

// truncate FILE N: keep the first N bytes, or, for a negative N, remove the last -N.
func truncateCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: truncate FILE N")
	}
	path := ts.MkAbs(args[0])
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	info, err := os.Stat(path)
	ts.Check(err)
	if n < 0 {
		n += info.Size()
	}
	ts.Check(os.Truncate(path, n))
}

// link OLD NEW: make a hard link.
func linkCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: link OLD NEW")
	}
	ts.Check(os.Link(ts.MkAbs(args[0]), ts.MkAbs(args[1])))
}

// old FILE: set its modification time to 2001.
func oldCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: old FILE")
	}
	when := time.Unix(1e9, 0)
	ts.Check(os.Chtimes(ts.MkAbs(args[0]), when, when))
}

// rename OLD NEW VAR: move a file to a name with escapes such as \xff, and keep the name in $VAR.
func renameCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: rename OLD NEW VAR")
	}
	name := unescape(ts, args[1])
	ts.Check(os.Rename(ts.MkAbs(args[0]), filepath.Join(ts.MkAbs("."), name)))
	ts.Setenv(args[2], name)
}

func unescape(ts *testscript.TestScript, s string) string {
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`)
	ts.Check(err)
	return text
}

// changing matches output that differs between runs.
var changing = regexp.MustCompile(`\d[\d.e+-]*\s+(ns|µs|ms|s),\s+\d[\d.e+-]*\s+GB/s`)

// predicted is the time in plan's answer.
var predicted = regexp.MustCompile(`about\s+\d[\d.e+-]*\s+(ns|µs|ms|s)\b`)

// level matches the kernels' level of this machine.
var level = regexp.MustCompile(`(?: by (?:tiles \dx\d|program|elements))? \((generic|avx2|avx512|neon)\)`)

// settled replaces times, speeds and the kernels' level.
func settled(text string) string {
	text = predicted.ReplaceAllString(text, "about TIME")
	return level.ReplaceAllString(changing.ReplaceAllString(text, "TIME, SPEED"), " (LEVEL)")
}

// settle FILE: write standard output to a file, with times, speeds and the level replaced.
func settleCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: settle FILE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(settled(ts.ReadFile("stdout"))), 0o644))
}

// unprintable matches what a terminal may interpret: controls, DEL, C1 controls, and marks that change the direction of text.
var unprintable = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f\x{80}-\x{9f}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`)

// printable FILE…: the file, or stdout or stderr, holds text that is safe for a terminal.
func printableCommand(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		text := ts.ReadFile(name)
		if at := unprintable.FindString(text); (at != "") != neg {
			ts.Fatalf("%s: found %q in %q", name, at, text)
		}
		if strings.ToValidUTF8(text, "") != text {
			ts.Fatalf("%s is not UTF-8: %q", name, text)
		}
	}
}

// lines FILE N: the file, or stdout or stderr, has N lines.
func linesCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines FILE N")
	}
	text := ts.ReadFile(args[0])
	if n := strings.Count(text, "\n"); strconv.Itoa(n) != args[1] {
		ts.Fatalf("%s has %d lines, expected %s:\n%s", args[0], n, args[1], text)
	}
}

// fixed A: the fix that the last command printed makes the tensor A.
func fixedCommand(ts *testscript.TestScript, neg bool, args []string) {
	_, fix, ok := strings.Cut(ts.ReadFile("stdout"), "\nFix\n")
	if neg || len(args) != 1 || !ok {
		ts.Fatalf("usage: fixed A, after a command that prints a fix")
	}
	fix, _, _ = strings.Cut(strings.ReplaceAll(fix, "\\\n", ""), "\n")
	ts.Check(ts.Exec("sh", "-c", fix))
	ts.Check(ts.Exec("tlayout", "diff", args[0], "fixed.npy", "--from", "c"))
	ts.Check(os.Remove(ts.MkAbs("fixed.npy")))
}
