package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/oracle"
)

// namesInCommands are beginnings of file names that a terminal, a shell, a flag parser or a CI runner might obey.
var namesInCommands = []string{
	"a\x1b[31mred\x1b]0;title\x07", "b\u202eevil", "c\r::warning::x", "d\nforged: everything is fine", "it's $HOME", "\"q's\"", "`id` a", "-x", "--all", "\xff\xfe",
	"::error::x", "##[group]x", `back\slash*?[x]`, "a;b|c&d%s%n",
}

// namingCommands are arguments that make the program print a command line with the name of its file F, whose ending is the row's, and what
// follows the command there.
var namingCommands = []struct {
	flags, positionals, ending, printed, then string
}{
	{"guess", "F", ".bin", "tlayout inspect ", ""},
	{"guess --json", "F", ".bin", "tlayout inspect ", `"`},
	{"guess -f csv", "F", ".bin", "tlayout inspect ", `"`},
	{"guess -f markdown", "F", ".bin", "tlayout inspect ", ""},
	{"guess", "F", ".npy", "tlayout inspect ", ""},
	{"inspect", "F", ".bin", "tlayout guess ", " finds the shape"},
	{"check --layout nhwc", "F", ".nchw.npy", "tlayout convert ", ""},
	{"check --aligned 4096", "F", ".pt", "tlayout convert ", ""},
	{"diff", "a.npy F", ".perm.npy", "tlayout convert ", ""},
	{"diff", "F other.npz", ".npz", "tlayout diff ", ""},
	{"inspect", "F", ".npz", "tlayout inspect ", ""},
	{"inspect", "F:none", ".pt", "tlayout inspect ", ""},
	{"inspect", "F:none*", ".pt", "tlayout inspect ", ""},
	{"convert --to abcdefgh -o m.pt", "F", ".pt", "tlayout inspect ", " lists its tensors"},
	{"formats", "F", ".npy", "tlayout inspect ", ""},
	{"trace", "F", ".npy", "tlayout trace ", "; tlayout trace --help"},
	{"draw --layouts (2,3,4,5):(1,1,1,1)", "F", ".npy", "tlayout draw ", ""},
	{"show", "F", ".npy", "tlayout inspect ", ""},
}

// namedFiles writes the files that namingCommands read, with names that begin so, into a new folder.
func namedFiles(t *testing.T, begins string) {
	t.Chdir(t.TempDir())
	write := func(name string, content []byte) { cli.Must(os.WriteFile(name, content, 0o666)) }
	npy := fixture.Must(fixture.Npy("<f4", []int{2, 3, 4, 5}, false))
	write("a.npy", npy)
	write(begins+".npy", npy)
	write(begins+".nchw.npy", npy)
	write(begins+".pt", checkpointOf([]string{"w", "v"}))
	picture := make([]byte, 0, 64*96)
	for i := range cap(picture) {
		picture = append(picture, byte(128+60*(math.Sin(float64(i/96)/9)+math.Cos(float64(i%96)/7))))
	}
	write(begins+".bin", picture)
	tlayout(t, "convert", "a.npy", "--from", "nchw", "--to", "nhwc", "-o", "moved.npy")
	cli.Must(os.Rename("moved.npy", begins+".perm.npy"))
	changed := slices.Clone(npy)
	changed[len(npy)-1]++
	write(begins+".npz", npzOf(npy, npy))
	write("other.npz", npzOf(npy, changed))
}

// npzOf returns an archive of arrays named a, b and so on.
func npzOf(arrays ...[]byte) []byte {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for i, array := range arrays {
		member := fixture.Must(z.CreateHeader(&zip.FileHeader{Name: string(rune('a'+i)) + ".npy"}))
		fixture.Must(member.Write(array))
	}
	cli.Must(z.Close())
	return archive.Bytes()
}

// TestPrintedCommands: whatever a file's name is, no control character of it is printed, and the command that an answer prints opens that file when
// a shell reads it.
func TestPrintedCommands(t *testing.T) {
	for _, begins := range namesInCommands {
		namedFiles(t, begins)
		var script strings.Builder
		script.WriteString("tlayout() { printf '%s\\0' \"$@\"; printf '\\n\\0'; }\n")
		var typed [][]string
		for _, c := range namingCommands {
			args := strings.Fields(c.flags)
			args = append(args, "--")
			for _, arg := range strings.Fields(c.positionals) {
				args = append(args, strings.Replace(arg, "F", begins+c.ending, 1))
			}
			o := runIn(t, nil, args...)
			if at := acts(o.out + o.err); at != "" || runnerCommand.MatchString(o.out+o.err) {
				t.Errorf("tlayout %q prints %q", args, o.out+o.err)
			}
			line := printedLine(o.out+o.err, c.printed, c.then)
			if line == "" {
				t.Errorf("tlayout %q names no command:\n%s%s", args, o.out, o.err)
				continue
			}
			if strings.Contains(c.flags, "json") {
				cli.Must(json.Unmarshal([]byte(`"`+line+`"`), &line))
			} else if strings.Contains(c.flags, "csv") {
				line = strings.ReplaceAll(line, `""`, `"`)
			}
			script.WriteString(line + "\n")
			typed = append(typed, args)
		}
		out := string(fixture.Must(exec.Command("sh", "-c", script.String()).Output()))
		for i, words := range strings.SplitAfter(out, "\x00\n\x00") {
			if words == "" {
				continue
			}
			printed := strings.Split(strings.TrimSuffix(words, "\x00\n\x00"), "\x00")
			if o := runIn(t, nil, printed...); o.code > 1 {
				t.Errorf("tlayout %q prints tlayout %q, which fails: %s", typed[i], printed, o.err)
			}
		}
	}
}

// printedLine returns the command in an answer that begins so, with the lines that a backslash continues it on; empty if there is none.
func printedLine(answer, begins, then string) string {
	at := strings.Index(answer, begins)
	if at < 0 {
		return ""
	}
	line := strings.ReplaceAll(answer[at:], "\\\n", "")
	line, _, _ = strings.Cut(line, "\n")
	if then != "" {
		line = line[:max(0, strings.LastIndex(line, then))]
	}
	return line
}

// TestPrintedPython: whatever a file's name is, the Python that an answer prints opens that file: a program for the shell, and np.memmap of an array.
func TestPrintedPython(t *testing.T) {
	python := oracle.NumPy(t, "numpy_programs.py")
	runs := func(folder, program string) {
		cli.Must(python.Ask(map[string]string{"folder": folder, "program": program}))
		if answer := fixture.Must(python.Line()); answer != "ok" {
			t.Errorf("%s: %s", program, answer)
		}
	}
	for _, begins := range namesInCommands {
		folder := t.TempDir()
		t.Chdir(folder)
		cli.Must(os.WriteFile(begins+".csv", []byte("1,2\n3,4\n"), 0o666))
		o := runIn(t, nil, "inspect", "--", begins+".csv")
		line := printedLine(o.err, "python3 -c ", "")
		if at := acts(o.out + o.err); at != "" || runnerCommand.MatchString(o.err) {
			t.Errorf("%q: prints %q", begins, o.err)
		}
		runs(folder, string(fixture.Must(exec.Command("sh", "-c", "python3() { printf %s \"$2\"; }\n"+line).Output())))
		var said struct{ Container struct{ Mmap string } }
		cli.Must(os.WriteFile(begins+".npz", npzOf(fixture.Must(fixture.Npy("<f4", []int{2, 3}, false))), 0o666))
		cli.Must(json.Unmarshal([]byte(tlayout(t, "inspect", "--json", "--", begins+".npz:a")), &said))
		runs(folder, "assert "+said.Container.Mmap+".shape == (2, 3)")
	}
	python.Close()
}

// TestQuotedOnce: no name is escaped before it is quoted for a shell, which then reads another one.
func TestQuotedOnce(t *testing.T) {
	cli.Must(filepath.WalkDir("../../internal", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") && bytes.Contains(fixture.Must(os.ReadFile(path)), []byte("text.Shell(text.Quote")) {
			t.Errorf("%s: use text.File or text.Shell alone", path)
		}
		return err
	}))
}
