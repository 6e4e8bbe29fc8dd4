package promise

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/golden"
)

// target is a fuzz target.
type target struct {
	pkg, name string
	proves    string // its comment, without its name
}

// targets returns the module's fuzz targets.
func targets(t *testing.T) (all []target) {
	t.Helper()
	const root = "../.."
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(entry.Name(), ".") || strings.HasPrefix(entry.Name(), "_") || entry.Name() == "testdata"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") {
				pkg := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), root+string(filepath.Separator)))
				all = append(all, target{pkg, f.Name.Name, strings.TrimSpace(strings.TrimPrefix(f.Doc.Text(), f.Name.Name))})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b target) int { return strings.Compare(a.pkg+"."+a.name, b.pkg+"."+b.name) })
	return all
}

var executed = regexp.MustCompile(`execs: (\d+)`)

// fuzzed adds up the executions in the logs of a target, <package>-<name>.*log with _ for /, and counts its failed runs. An interrupted run
// counts up to its last log line.
func fuzzed(t *testing.T, dir string, x target) (executions, failures int, last string) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(dir, strings.ReplaceAll(x.pkg, "/", "_")+"-"+x.name+".*log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range logs {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if found := executed.FindAllSubmatch(text, -1); found != nil {
			n, _ := strconv.Atoi(string(found[len(found)-1][1]))
			executions += n
		}
		if strings.Contains(string(text), "--- FAIL") {
			failures++
		}
		if info, err := os.Stat(path); err == nil {
			last = max(last, info.ModTime().UTC().Format("2006-01-02"))
		}
	}
	return executions, failures, last
}

// TestFuzzed adds up the logs of `make fuzz-long`, in the folder TLAYOUT_TEST_FUZZ_LOGS. With -update it writes the table of
// docs/fuzzing.md.
func TestFuzzed(t *testing.T) {
	const variable = "TLAYOUT_TEST_FUZZ_LOGS"
	dir := os.Getenv(variable)
	if dir == "" {
		t.Skip(variable + " is not a folder with logs")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n| target | executions | last run | failed runs |\n|---|---:|---|---:|\n", machine())
	sum := 0
	for _, x := range targets(t) {
		n, failures, last := fuzzed(t, dir, x)
		sum += n
		if n == 0 {
			last = "not run"
		}
		fmt.Fprintf(&b, "| `%s` of %s | %s | %s | %d |\n", x.name, x.pkg, grouped(n), last, failures)
	}
	fmt.Fprintf(&b, "| all | %s | | |\n", grouped(sum))
	t.Log("\n" + b.String())
	if !*golden.Update {
		return
	}
	const path = "../../docs/fuzzing.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	updated, err := replaceTable(string(page), b.String())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(updated), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTargets: every fuzz target has a comment that says what it proves, is run by the Makefile, and is a row of docs/fuzzing.md.
func TestTargets(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	makefile, page := read("../../Makefile"), read("../../docs/fuzzing.md")
	all := targets(t)
	for _, x := range all {
		if x.proves == "" {
			t.Errorf("%s of %s has no comment", x.name, x.pkg)
		}
		if !regexp.MustCompile(`\s` + x.pkg + ":" + x.name + `\s`).MatchString(makefile) {
			t.Errorf("the Makefile does not run %s:%s", x.pkg, x.name)
		}
		if !strings.Contains(page, fmt.Sprintf("| `%s` of %s |", x.name, x.pkg)) {
			t.Errorf("docs/fuzzing.md does not have %s of %s; make fuzz-table writes it", x.name, x.pkg)
		}
	}
	if len(all) < 20 {
		t.Errorf("%d targets found", len(all))
	}
}

// TestFuzzLogs: executions of several runs add up, an interrupted one counts, and a failed one is reported.
func TestFuzzLogs(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a_b-FuzzX.1.log": "fuzz: elapsed: 3s, execs: 10 (3/sec)\nfuzz: elapsed: 6s, execs: 25 (3/sec)\nPASS\n",
		"a_b-FuzzX.2.log": "fuzz: elapsed: 3s, execs: 7 (3/sec)\n", "a_b-FuzzX.3.log": "fuzz: elapsed: 3s, execs: 1 (3/sec)\n--- FAIL: FuzzX\n",
		"a_b-FuzzXY.1.log": "fuzz: elapsed: 3s, execs: 1000 (3/sec)\n", "a_b-FuzzX.log": "fuzz: elapsed: 3s, execs: 100 (3/sec)\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	n, failures, last := fuzzed(t, dir, target{pkg: "a/b", name: "FuzzX"})
	if n != 133 || failures != 1 || last == "" {
		t.Errorf("%d executions, %d failures, %q", n, failures, last)
	}
}
