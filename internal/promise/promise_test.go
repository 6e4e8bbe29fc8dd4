package promise

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/golden"
)

// TestList: every row has a unique ID below its promise's, and names a test that exists and counts it; docs/reliability.md makes the
// promise.
func TestList(t *testing.T) {
	seen := map[string]bool{}
	page, err := os.ReadFile("../../docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range List {
		if !strings.Contains(string(page), "**"+p.ID+": ") {
			t.Errorf("docs/reliability.md does not promise %s: %s", p.ID, p.Text)
		}
	}
	for _, p := range slices.Concat(List, Witnesses) {
		if !regexp.MustCompile(`^[BW]\d+$`).MatchString(p.ID) || p.Text == "" || len(p.Trials) == 0 {
			t.Errorf("invalid promise %+v", p)
		}
		for _, trial := range p.Trials {
			if !strings.HasPrefix(trial.ID, p.ID+"/") || seen[trial.ID] || trial.How == "" || strings.Contains(trial.How, "|") {
				t.Errorf("%+v: want a unique ID that starts with %s/, and a description", trial, p.ID)
			}
			seen[trial.ID] = true
			dir, test, _ := strings.Cut(trial.Test, ".")
			var text strings.Builder
			files, _ := filepath.Glob(filepath.Join("..", "..", dir, "*_test.go"))
			for _, name := range files {
				content, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				text.Write(content)
			}
			for _, want := range []string{"func " + test + "(t *testing.T)", `"` + trial.ID + `"`} {
				if !strings.Contains(text.String(), want) {
					t.Errorf("%s: %s has no %s", trial.ID, dir, want)
				}
			}
		}
	}
}

// TestRecords: concurrent records add up, failures fail the test, and reports list failed and missing trials.
func TestRecords(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(foldersVariable, dir)
	list := []Promise{{"B0", "It holds.", []Trial{{"B0/a", "one", "x.TestA"}, {"B0/b", "two", "x.TestB"}, {"B0/c", "three", "x.TestC"}, {"B0/d", "four", "x.TestD"}}}}
	defer func(old []Promise) { List = old }(List)
	List = list
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for range 50 {
				Tried(t, "B0/a", 2, 0)
			}
		})
	}
	all.Wait()
	bad := &silent{TB: t}
	c := Count(bad, "B0/b")
	c.Try(bad, "first", "well")
	c.Try(bad, "second", "badly", "torn", "left over")
	bad.end()
	skipped := &silent{TB: t, name: "TestC/sub"}
	Needs(skipped, Need{"luck", func() error { return fmt.Errorf("none") }, func() bool { return true }})
	unknown := &silent{TB: t}
	Tried(unknown, "B0/z", 1, 0)
	if bad.errors != 3 || !skipped.skipped || unknown.errors != 1 {
		t.Errorf("%d errors, skipped: %t; unknown: %d errors", bad.errors, skipped.skipped, unknown.errors)
	}
	counts, err := read(dir)
	if err != nil {
		t.Fatal(err)
	}
	table, problems := report(list, counts)
	want := "| trial | what is tried | tried | failed |\n|---|---|---:|---:|\n" +
		"| B0/a | one | 2,000 | 0 |\n| B0/b | two | 2 | 1 |\n| B0/c | three | not run: needs luck: none |  |\n| B0/d | four | 0 | 0 |\n"
	if table != want || len(problems) != 2 || !strings.HasPrefix(problems[0], "B0/b: 1 of 2") || !strings.HasPrefix(problems[1], "B0/d: x.TestD made no trial") {
		t.Errorf("%s\n%q", table, problems)
	}
}

// TestCompared: comparisons add up, differences by their reason; a mismatch and a missing comparison are problems.
func TestCompared(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(foldersVariable, dir)
	defer func(old []Promise) { Witnesses = old }(Witnesses)
	Witnesses = []Promise{{"W0", "It agrees.", []Trial{
		{"W0/a", "one", "x.TestA"}, {"W0/b", "two", "x.TestB"}, {"W0/c", "three", "x.TestC"},
	}}}
	began := time.Now().Add(-10 * time.Second)
	Compared(t, "W0/a", "Lib 1.2", 1000, 0, began)
	Compared(t, "W0/a", "Lib 1.2", 500, 0, began)
	Compared(t, "W0/a", "Lib 2.0", 3, 0, began)
	Differ(t, "W0/a", "Lib 2.0", "a key twice", 1)
	for range 2 {
		Differ(t, "W0/a", "Lib 1.2", "z: refused here", 3)
		Differ(t, "W0/a", "Lib 1.2", "a key twice", 1)
	}
	bad := &silent{TB: t}
	Compared(bad, "W0/b", "", 7, 2, began)
	Differ(bad, "W0/y", "Lib 1.2", "a reason", 1)
	if bad.errors != 2 {
		t.Errorf("%d errors", bad.errors)
	}
	counts, err := read(dir)
	if err != nil {
		t.Fatal(err)
	}
	table, problems := compared(Witnesses, counts)
	day := began.UTC().Format(time.DateOnly)
	for _, want := range []string{"| W0/a | one | Lib 1.2 | 1,500 | 8 | 0 | " + day + " |\n|  |  | Lib 2.0 | 3 | 1 | 0 | " + day + " |\n",
		"| W0/b | two |  | 7 | 0 | 2 | " + day + " |\n",
		"| a key twice | 3 |\n| z: refused here | 6 |\n"} {
		if !strings.Contains(table, want) {
			t.Errorf("%s lacks %s", table, want)
		}
	}
	if got := strings.Join(problems, "\n"); !regexp.MustCompile(`^.*2 of 7.*\n.*no comparison was made\nW0/c: .*$`).MatchString(got) {
		t.Error(got)
	}
}

// TestRequired: if faults are required, an unmet need fails the test, unless the machine cannot meet it.
func TestRequired(t *testing.T) {
	t.Setenv("TLAYOUT_TEST_REQUIRE_FAULTS", "1")
	t.Setenv(foldersVariable, "")
	for _, optional := range []bool{false, true} {
		s := &silent{TB: t, name: "TestX"}
		func() {
			defer func() { recover() }() //nolint:errcheck // Fatal
			Needs(s, Need{"luck", func() error { return fmt.Errorf("none") }, func() bool { return optional }})
		}()
		if s.skipped != optional || (s.errors == 1) == optional {
			t.Errorf("optional: %t; skipped: %t, errors: %d", optional, s.skipped, s.errors)
		}
	}
}

// TestMade: on Linux a file that cannot be made is a failure, required or not.
func TestMade(t *testing.T) {
	t.Setenv("TLAYOUT_TEST_REQUIRE_FAULTS", "")
	for _, err := range []error{nil, fmt.Errorf("no room")} {
		s := &silent{TB: t}
		func() {
			defer func() { recover() }() //nolint:errcheck // Fatal
			Made(s, err)
		}()
		if failed := err != nil && !notLinux(); s.errors > 0 != failed || s.skipped != (err != nil && notLinux()) {
			t.Errorf("%v: skipped: %t, errors: %d", err, s.skipped, s.errors)
		}
	}
}

// silent is a test that records its outcome.
type silent struct {
	testing.TB
	name     string
	errors   int
	skipped  bool
	cleanups []func()
}

func (s *silent) Name() string          { return s.name }
func (s *silent) Helper()               {}
func (s *silent) Errorf(string, ...any) { s.errors++ }
func (s *silent) Logf(string, ...any)   {}
func (s *silent) Fatal(...any)          { s.errors++; panic(s) }
func (s *silent) Skip(...any)           { s.skipped = true }
func (s *silent) Skipped() bool         { return s.skipped }
func (s *silent) Failed() bool          { return s.errors > 0 }
func (s *silent) Cleanup(f func())      { s.cleanups = append(s.cleanups, f) }
func (s *silent) end() {
	for _, f := range s.cleanups {
		f()
	}
}

// pages have the tables.
var pages = map[string]struct {
	list   []Promise
	report func([]Promise, map[key]count) (string, []string)
}{"reliability": {List, report}, "conformance": {Witnesses, compared}}

// TestReport makes the table from the records in the folder TLAYOUT_TEST_PROMISES_OF, for the page TLAYOUT_TEST_PROMISES_PAGE: reliability,
// or conformance. With -update it writes the table into that page of docs.
func TestReport(t *testing.T) {
	dir := os.Getenv(foldersVariable + "_OF")
	if dir == "" {
		t.Skip(foldersVariable + "_OF is not a folder with records")
	}
	counts, err := read(dir)
	if err != nil {
		t.Fatal(err)
	}
	name := cmp.Or(os.Getenv(foldersVariable+"_PAGE"), "reliability")
	page, ok := pages[name]
	if !ok {
		t.Fatalf("no page %q has a table", name)
	}
	table, problems := page.report(page.list, counts)
	text := machine() + "\n\n" + table
	t.Log("\n" + text)
	for _, p := range problems {
		t.Error(p)
	}
	if !*golden.Update || t.Failed() {
		return
	}
	path := "../../docs/" + name + ".md"
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	updated, err := replaceTable(string(old), text)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(updated), 0o644); err != nil {
		t.Fatal(err)
	}
}

// machine describes when and where the trials were made.
func machine() string {
	field := func(path, name string) string {
		text, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(text), name)
		rest, _, _ = strings.Cut(rest, "\n")
		return strings.Trim(rest, " \t:")
	}
	linux, _, _ := strings.Cut(field("/proc/sys/kernel/osrelease", ""), "-")
	return fmt.Sprintf("%s, %d cores of %s, Linux %s, %s %s/%s.", time.Now().UTC().Format("2006-01-02"), runtime.NumCPU(),
		field("/proc/cpuinfo", "model name"), linux, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// TestReplaceTable: the text between the marks is replaced, and nothing else.
func TestReplaceTable(t *testing.T) {
	got, err := replaceTable("a\n"+begin+"old\n"+end+"z\n", "new\n")
	if want := "a\n" + begin + "new\n" + end + "z\n"; got != want || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := replaceTable("a\n", "new\n"); err == nil {
		t.Error("a page without marks")
	}
}
