package text

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostileNames are names that a shell, a terminal, a CI runner or a flag parser might take for something else.
var hostileNames = []string{
	"x.npy", "a b", " ", "a$HOME", "a`id`b", `it's`, `"it's"`, `it's $x`, `a"b\c`, `\033`, "%s%%n", "*", "{1,2}", "(2,3):(3,1)", "~", "#x", "é", "=ls", "!x",
	"-n", "--all", "-", "a\nb", "end\n", "end\n\n", "\n", "a\x1b[31m\n", "a\x1b]0;title\x07", "a\rb", "\u202eevil", "\u2028", "\ufeffbom", "\xff\xfe", "a\x7f",
	"%\x1b%d", "'\x1b'", "-\x1b", "\\\x1b0", "::error::x", " ::add-mask::y", "##[error]x", "a ##vso[task.setvariable variable=a]b", "'##[a", "$(id)\x1b",
}

// isSafe fails the test unless a printed text has neither what a terminal obeys nor, on a line of a page, a command to a CI runner.
func isSafe(t *testing.T, printed string) {
	t.Helper()
	var inert strings.Builder
	if _, err := InertWriter(&inert).Write([]byte("  " + printed)); err != nil {
		t.Fatal(err)
	}
	if Quote(printed) != printed || inert.String() != "  "+printed {
		t.Errorf("unsafe: %q", printed)
	}
}

// TestShell: a shell reads every word unchanged, and what is printed acts on nothing.
func TestShell(t *testing.T) {
	for _, word := range hostileNames {
		isSafe(t, Shell(word))
		if strings.HasSuffix(word, "\n") {
			continue // patterns, which match files: TestFile
		}
		out, err := exec.Command("sh", "-c", "printf %s_ x"+Shell(word)).Output()
		if err != nil || string(out) != "x"+word+"_" {
			t.Errorf("%q as %s is read as %q, %v", word, Shell(word), out, err)
		}
	}
	for word, want := range map[string]string{
		"weights.npz:fc.weight": "weights.npz:fc.weight", "a b": "'a b'", "it's": `"it's"`, "a\x1b": `"$(printf 'a\033')"`, "": "''",
		"s3://key:secret@bucket/x.npy?sig=abc": "'s3://…@bucket/x.npy?…'",
	} {
		if got := Shell(word); got != want {
			t.Errorf("Shell(%q) = %s, want %s", word, got, want)
		}
	}
}

// TestFile: a program that a shell runs opens the file of that name, also as an argument that could be a flag.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range hostileNames {
		if name == "-" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range hostileNames {
		isSafe(t, File(name))
		if name == "-" {
			continue
		}
		cmd := exec.Command("sh", "-c", "cat "+File(name))
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != name {
			t.Errorf("%q: cat %s: %q, %v", name, File(name), out, err)
		}
	}
	if File("-") != "-" || File("-x") != "./-x" {
		t.Errorf("File: %s, %s", File("-"), File("-x"))
	}
}

// TestTypable: names that no command can have: with a NUL, or without their secrets.
func TestTypable(t *testing.T) {
	for name, want := range map[string]bool{
		"a\x1b\n": true, "-x": true, "https://host/x.npy": true, "a…": true, "a\x00": false, "https://host/x.npy?sig=1": false,
		"https://host/x.npy?…": false, "s3://…@bucket/x": false,
	} {
		if Typable(name) != want {
			t.Errorf("Typable(%q) is not %t", name, want)
		}
	}
}

// TestPython: literals are printable, end where they should, and have the escapes of Python (repr and os.fsdecode of CPython 3.11 say the same).
func TestPython(t *testing.T) {
	for s, want := range map[string]string{
		"x.npy": `'x.npy'`, "it's": `"it's"`, `"it's"`: `'"it\'s"'`, `a\b`: `'a\\b'`, "a\x1b\n": `'a\x1b\x0a'`, "\u202e": `'\u202e'`, "\xff": `'\udcff'`,
		"é": `'é'`, "##[x": `'##\x5bx'`, "::x": `':\x3ax'`, "\U000e0041": `'\U000e0041'`, "": "''", "a%s": "'a%s'",
	} {
		if got := Python(s); got != want {
			t.Errorf("Python(%q) = %s, want %s", s, got, want)
		}
	}
	for _, name := range hostileNames {
		isSafe(t, Python(name))
		if !utf8.ValidString(Python(name)) {
			t.Errorf("%q", Python(name))
		}
	}
}

// TestContinued: lines are at most so wide, break before flags and pipes, never in a word, and a shell reads them as the line.
func TestContinued(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"tlayout inspect x.npy", "tlayout inspect x.npy"},
		{"tlayout inspect dump.bin --raw --dtype uint8 --shape H=48", "tlayout inspect dump.bin --raw \\\n  --dtype uint8 --shape H=48"},
		{"tlayout inspect 'a b c d e f g h i j k l m n o p q' --raw", "tlayout inspect \\\n  'a b c d e f g h i j k l m n o p q' \\\n  --raw"},
		{"tlayout convert x.npy --to c -o - | tlayout inspect -", "tlayout convert x.npy --to c -o - \\\n  | tlayout inspect -"},
	} {
		if got := Continued(c.line, 40); got != c.want {
			t.Errorf("%s", got)
		}
	}
	for _, name := range hostileNames {
		if strings.HasSuffix(name, "\n") {
			continue
		}
		line := "printf %s_ --shape N=1,C=2 --from 'a b' " + Shell("x"+name) + " --raw --dtype uint8 --flag"
		want, err := exec.Command("sh", "-c", line).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := exec.Command("sh", "-c", Continued(line, 30)).Output(); err != nil || string(got) != string(want) {
			t.Errorf("%s: %q, %v; expected %q", Continued(line, 30), got, err, want)
		}
	}
}
