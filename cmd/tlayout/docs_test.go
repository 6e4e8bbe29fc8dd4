package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"

	"github.com/tlayout/tlayout/internal/golden"
	"github.com/tlayout/tlayout/internal/random"
)

// example is a command in a document and the output that is printed below it.
type example struct {
	where      string // README.md:12
	command    string
	want       string
	begin, end int // lines of the output without empty ones at its end, from 0
}

// executed lists the programs whose lines are run; lines of others, such as "go install", are not.
var executed = map[string]bool{"tlayout": true, "cmp": true, "cat": true, "ls": true, "cp": true, "rm": true, "mkdir": true, "cd": true, "tail": true}

// TestDocs runs every "$ tlayout …" line in fenced blocks of README.md, CHANGELOG.md and docs/*.md, which are the pages of the site, one
// after the other in a folder with the files of testdata, and compares standard output and error. A line "…" or "..." in the document stands
// for any lines; times, speeds and versions may differ. The output of a command that draws a figure may be omitted: the figure is compared.
// -update writes the output into the document.
func TestDocs(t *testing.T) {
	t.Parallel()
	if strconv.IntSize == 32 {
		t.Skip("some sizes in documents need 64 bits")
	}
	for _, document := range documents() {
		t.Run(filepath.Base(document), func(t *testing.T) {
			t.Parallel()
			text := string(fixture.Must(os.ReadFile(document)))
			found := examples(filepath.Base(document), text)
			if len(found) == 0 && strings.Contains(text, "$ tlayout") {
				t.Error("its commands are not in fenced blocks")
			}
			dir, got := runExamples(t, found)
			if *golden.Update {
				if now := updated(text, found, got); now != text {
					cli.Must(os.WriteFile(document, []byte(now), 0o644))
					found = examples(filepath.Base(document), now)
				}
			}
			for i, e := range found {
				if !outputMatches(e.want, got[i]) {
					t.Errorf("%s: $ %s (-document +program; -update writes it):\n%s", e.where, e.command, cmp.Diff(strings.Split(normal(e.want), "\n"), strings.Split(normal(got[i]), "\n")))
				}
			}
			if filepath.Base(document) == "figures.md" {
				compareFigures(t, dir, text)
			}
		})
	}
}

// documents lists the files whose commands are run.
func documents() []string {
	return append(fixture.Must(filepath.Glob("../../docs/*.md")), "../../README.md", "../../CHANGELOG.md")
}

// compareFigures checks that the figures that a document's commands drew are XML and equal those of docs/figures, byte for byte, and that
// the document shows all of these. -update writes them.
//
// To add a figure: its command and its picture in docs/figures.md; go test ./cmd/tlayout -run TestDocs/figures -update draws it.
func compareFigures(t *testing.T, dir, text string) {
	t.Helper()
	drawn := fixture.Must(filepath.Glob(filepath.Join(dir, figures, "*")))
	if len(drawn) < 10 {
		t.Errorf("only %d figures are drawn", len(drawn))
	}
	kept := map[string]bool{}
	for _, path := range fixture.Must(filepath.Glob(filepath.Join("../../docs", figures, "*"))) {
		kept[filepath.Base(path)] = true
	}
	for _, path := range drawn {
		name, got := filepath.Base(path), fixture.Must(os.ReadFile(path))
		readXML(t, string(got))
		there := filepath.Join("../../docs", figures, name)
		if *golden.Update {
			cli.Must(os.WriteFile(there, got, 0o644))
		}
		if want, err := os.ReadFile(there); err != nil || string(want) != string(got) {
			t.Errorf("docs/%s/%s is not what its command draws; -update writes it", figures, name)
		}
		if !strings.Contains(text, "]("+figures+"/"+name+")") {
			t.Errorf("%s is drawn, but not shown", name)
		}
		delete(kept, name)
	}
	for name := range kept {
		t.Errorf("no command draws docs/%s/%s", figures, name)
	}
}

// figures returns the folder of a document's pictures.
const figures = "figures"

// runExamples runs each command in a shell, all in one folder, and returns the folder and the outputs; empty for a figure's command without
// output in the document. Without jq, pipes into it are not run; bench with PyTorch only
// where it is required.
func runExamples(t *testing.T, found []example) (dir string, got []string) {
	dir = t.TempDir()
	writeFixtures(t, dir)
	cli.Must(os.Mkdir(filepath.Join(dir, figures), 0o755))
	_, noJQ := exec.LookPath("jq")
	for _, e := range found {
		if noJQ != nil && strings.Contains(e.command, "| jq ") {
			t.Logf("%s: not run: there is no jq", e.where)
			got = append(got, e.want)
			continue
		}
		if !runsTorch(e.command) {
			t.Logf("%s: not run: PyTorch is not required", e.where)
			got = append(got, e.want)
			continue
		}
		out := shell(t, dir, e.command)
		if e.want == "" && strings.Contains(e.command, " -o "+figures+"/") && !strings.Contains(out, "error:") {
			out = ""
		}
		got = append(got, out)
	}
	return dir, got
}

// debian is the folder of the Python that has Debian's PyTorch.
const debian = "/usr/bin:"

// runsTorch reports whether a command needs no PyTorch, which starts for seconds, or TLAYOUT_TEST_REQUIRE_TORCH=1 requires it.
func runsTorch(command string) bool {
	return !strings.Contains(command, "--with torch") || os.Getenv("TLAYOUT_TEST_REQUIRE_TORCH") == "1"
}

// programFiles are what engines wrote about testdata/net.py.
const programFiles = "net.pt2 net.onnx trace.json.gz onednn.log hlo.txt layers.json layers.profile.json"

// writeFixtures writes the files of testdata that documents and help texts use into a folder.
func writeFixtures(t *testing.T, dir string) {
	t.Helper()
	files := fixture.Must(filepath.Glob("../../testdata/*.np[yz]"))
	for name := range strings.FieldsSeq("model.pt tensors.json dump.bin " + programFiles) {
		files = append(files, filepath.Join("../../testdata", name))
	}
	for _, path := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), fixture.Must(os.ReadFile(path)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(dir, os.DirFS("../../testdata/slices")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "grid.zarr"), os.DirFS("../../testdata/containers/grid.zarr")); err != nil {
		t.Fatal(err)
	}
}

// shell runs a command line with this test's program in the path, without the user's settings.
func shell(t *testing.T, dir, command string) string {
	t.Helper()
	refused := filepath.Join(t.TempDir(), "refused")
	defer reportRefused(t, refused)
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + debian + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LC_ALL=C.UTF-8", "GORACE=atexit_sleep_ms=0", refusedVariable + "=" + refused}
	out, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Fatalf("%s: %v", command, err)
	}
	return string(out)
}

// examples returns the commands in the fenced blocks of a Markdown text that have a "$ tlayout" line.
func examples(name, text string) []example {
	var found []example
	fence, current := "", -1
	for n, line := range strings.Split(text, "\n") {
		switch {
		case fence == "" && (strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")):
			fence, current = line[:3], -1
		case fence != "" && strings.HasPrefix(line, fence):
			fence = ""
		case fence != "" && strings.HasPrefix(line, "$ "):
			program, _, _ := strings.Cut(line[2:], " ")
			if current = -1; executed[program] {
				found = append(found, example{where: fmt.Sprintf("%s:%d", name, n+1), command: line[2:], begin: n + 1, end: n + 1})
				current = len(found) - 1
			}
		case fence != "" && current >= 0:
			e := &found[current]
			if strings.HasSuffix(e.command, `\`) {
				e.command = strings.TrimSuffix(e.command, `\`) + strings.TrimPrefix(strings.TrimSpace(line), "> ")
				e.begin, e.end = n+1, n+1
				continue
			}
			e.want += line + "\n"
			if strings.TrimSpace(line) != "" {
				e.end = n + 1
			}
		}
	}
	return found
}

var versions = regexp.MustCompile(`tlayout \S+ \(go[^)]*\)|tlayout devel`)

// fastest matches verdicts that may differ on a busy machine.
var fastest = regexp.MustCompile(`access (?:is fastest )?in [^,\n]+`)

// normal removes what may differ: times, speeds, verdicts, versions, and blanks at the ends of lines and of the text.
func normal(text string) string {
	text = fastest.ReplaceAllString(versions.ReplaceAllString(settled(text), "tlayout VERSION"), "access in SOME")
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// outputMatches compares lines; "…" in the document stands for any number of lines.
func outputMatches(want, got string) bool {
	return linesMatch(strings.Split(normal(want), "\n"), strings.Split(normal(got), "\n"))
}

func linesMatch(want, got []string) bool {
	for len(want) > 0 {
		if isEllipsis(want[0]) {
			for i := range len(got) + 1 {
				if linesMatch(want[1:], got[i:]) {
					return true
				}
			}
			return false
		}
		if len(got) == 0 || got[0] != want[0] {
			return false
		}
		want, got = want[1:], got[1:]
	}
	return len(got) == 0
}

// TestHelpExamples runs every command of the help texts, and of the topics, in their order.
func TestHelpExamples(t *testing.T) {
	t.Parallel()
	root := command.NewRoot(&cli.App{Streams: &cli.Streams{}})
	count := 0
	eachCommand(root, func(c *cobra.Command) {
		dir := t.TempDir()
		writeFixtures(t, dir)
		shell(t, dir, "tlayout convert x.npy --to nchw4 && cp x.npy right.npy && cp x.npy wrong.npy")
		shell(t, dir, "mkdir images && cp x.npy images/a.npy")
		shell(t, dir, "find images -name '*.npy' >list.txt")
		examples := cli.WholeExamples(c)
		if !c.Runnable() {
			examples += cli.WholeLong(c)
		}
		for line := range strings.Lines(examples) {
			if !strings.HasPrefix(line, "  tlayout ") {
				continue
			}
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "tlayout bench") && (!c.Runnable() || !random.Thorough()) {
				continue // it measures for seconds, and a gate of a topic may fail
			}
			if !runsTorch(line) {
				continue
			}
			count++
			cmd := exec.Command("sh", "-c", line)
			cmd.Dir = dir
			cmd.Env = []string{"PATH=" + debian + os.Getenv("PATH"), "HOME=" + dir}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s --help: %s: %v\n%s", c.CommandPath(), line, err, out)
			}
		}
	})
	if count < 5 {
		t.Errorf("found %d examples only", count)
	}
}

func eachCommand(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		eachCommand(sub, visit)
	}
}

// TestFixtures: the fixtures written here equal the files in testdata, which NumPy wrote.
func TestFixtures(t *testing.T) {
	for name, content := range fixtures {
		want, err := os.ReadFile(filepath.Join("../../testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if got := content(); string(got) != string(want) {
			t.Errorf("%s differs from testdata/%s", name, name)
		}
	}
}

var webAddress = regexp.MustCompile(`https?://[^\s)>]+`)

var namedPath = regexp.MustCompile(`\b(?:cmd|internal|docs|testdata|_asm)/[\w./*{},-]*[\w*}/]`)

// TestArchitecturePaths: paths in the documents for contributors exist.
func TestArchitecturePaths(t *testing.T) {
	for _, document := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"} {
		text := fixture.Must(os.ReadFile(filepath.Join("../..", document)))
		named := namedPath.FindAllString(webAddress.ReplaceAllString(string(text), ""), -1)
		if len(named) == 0 {
			t.Errorf("%s names no paths", document)
		}
		for _, path := range named {
			for _, one := range expandBraces(path) {
				if found := fixture.Must(filepath.Glob(filepath.Join("../..", one))); len(found) == 0 {
					t.Errorf("%s: %s does not exist", document, one)
				}
			}
		}
	}
}

// expandBraces expands a/{b,c}.go to a/b.go and a/c.go.
func expandBraces(path string) []string {
	before, rest, ok := strings.Cut(path, "{")
	inside, after, closed := strings.Cut(rest, "}")
	if !ok || !closed {
		return []string{path}
	}
	var all []string
	for one := range strings.SplitSeq(inside, ",") {
		all = append(all, expandBraces(before+one+after)...)
	}
	return all
}

// TestExamples: examples finds commands and outputs, and outputMatches finds differences.
func TestExamples(t *testing.T) {
	text := "$ tlayout not in a block\n```console\n$ go install x\nignored\n$ tlayout version\ntlayout v1.0 (go1.26 linux/amd64)\n$ tlayout a \\\n> b\nout\n```\n"
	want := []example{{"x.md:5", "tlayout version", "tlayout v1.0 (go1.26 linux/amd64)\n", 5, 6}, {"x.md:7", "tlayout a b", "out\n", 8, 9}}
	if diff := cmp.Diff(want, examples("x.md", text), cmp.AllowUnexported(example{})); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		want, got string
		equal     bool
	}{
		{"a\nb\n", "a  \nb\n\n", true},
		{"a\n…\nz\n", "a\nb\nc\nz\n", true},
		{"a\n...\n", "a\n", true},
		{"a\n…\nz\n", "a\nb\n", false},
		{"a\n", "a\nb\n", false},
		{"", "a\n", false},
		{"960 bytes moved in 19.7 µs, 0.0487 GB/s\n", "960 bytes moved in 1.2e+03 ms, 3 GB/s\n", true},
		{"960 bytes moved in 1 s, 1 GB/s\n", "961 bytes moved in 1 s, 1 GB/s\n", false},
		{"x: spatial access is fastest in nchw\n", "x: spatial access is fastest in nhwc or nchw\n", true},
		{"x: spatial access in nchw\n", "x: spatial access in nhwc or nchw\n", true},
		{"x: spatial access is fastest in nchw\n", "y: spatial access is fastest in nchw\n", false},
	} {
		if got := outputMatches(c.want, c.got); got != c.equal {
			t.Errorf("outputMatches(%q, %q) = %t", c.want, c.got, got)
		}
	}
}
