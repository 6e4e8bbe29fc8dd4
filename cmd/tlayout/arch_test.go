package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

const modulePath = "github.com/tlayout/tlayout"

// Each folder below commands that ends in cmd is a command; cli and fixture are what they share.
const (
	commands   = "internal/command"
	cliDir     = commands + "/cli"
	fixtureDir = commands + "/fixture" // for tests
)

// floors are the folders of the module from the ground up, each with the folders below it. A package imports those of its own floor and of lower
// ones.
var floors = [][]string{
	{"docs/schema", "python"}, // texts
	{"internal/fault", "internal/gate", "internal/ints", "internal/lazy", "internal/name", "internal/scan", "internal/sorting", "internal/text"},
	fileAccess,
	{"internal/tensor"}, {"internal/convert"}, {"internal/bench"}, {"internal/gpu"}, {"internal/framework"}, {"internal/file"}, {"internal/relate"}, {"internal/graph"}, {"internal/ask"},
	{"layout"}, {"internal/inspect"}, {"internal/render"}, {"internal/batch"},
	{commands},
	{"cmd/tlayout", "internal/manual", "internal/shrink", "web"},
}

// testsOnly are the folders that only tests import.
var testsOnly = []string{"internal/chromium", "internal/file/flatbuffer/flatbuffertest", "internal/file/onnx/onnxtest", "internal/golden", "internal/graph/graphtest", "internal/hostile", "internal/need", "internal/oracle", "internal/random", "internal/store/storetest", fixtureDir}

// fileAccess lists the folders that open, write and remove files and objects, openers those that may import them.
var (
	fileAccess = []string{"internal/input", "internal/publish", "internal/remote", "internal/scratch", "internal/store"}
	openers    = slices.Concat(fileAccess, []string{"internal/file/source", "internal/batch", commands})
)

// homes lists the only files that may import a third-party module: patterns of path.Match, separated by blanks.
var homes = map[string]string{
	"github.com/spf13/cobra":            "internal/command/*.go internal/command/*/*.go internal/manual/*.go",
	"github.com/spf13/cobra/doc":        "internal/manual/*.go",
	"github.com/spf13/viper":            "internal/command/cli/*.go",
	"github.com/spf13/pflag":            "internal/command/*/*.go internal/manual/*.go",
	"golang.org/x/term":                 "internal/command/cli/*.go",
	"github.com/olekukonko/tablewriter": "internal/render/table_other.go",
	"github.com/sbinet/npyio":           "internal/command/convertcmd/verify_npyio.go",
	"github.com/edsrzf/mmap-go":         "internal/input/*.go internal/bench/copyspeed.go",
	"github.com/rogpeppe/go-internal":   "*_test.go",
	"github.com/google/go-cmp":          "*_test.go internal/golden/*.go",
	"pgregory.net/rapid":                "*_test.go internal/random/property/*.go",
	"github.com/klauspost/cpuid/v2":     "internal/convert/*.go internal/convert/kernel/*.go internal/bench/*.go",
	"golang.org/x/sys/cpu":              "none",
	"golang.org/x/perf":                 "internal/bench/*.go",
	"github.com/aclements/go-moremath":  "internal/bench/*.go",
	"github.com/schollz/progressbar/v3": "internal/command/cli/progress.go",
	"git.sr.ht/~sbinet/gg":              "internal/render/vector/*.go",
	"golang.org/x/image":                "internal/render/vector/*.go",
	"github.com/chromedp/chromedp":      "*_test.go internal/chromium/*.go",
	"github.com/chromedp/cdproto":       "*_test.go internal/chromium/*.go",
	"github.com/google/jsonschema-go":   "*_test.go",
	"testing":                           "*_test.go internal/chromium/*.go internal/oracle/*.go internal/golden/*.go internal/file/flatbuffer/flatbuffertest/*.go internal/graph/graphtest/*.go internal/hostile/*.go internal/need/*.go internal/random/*.go internal/random/property/*.go internal/command/fixture/*.go",
	"google.golang.org/protobuf":        "*_test.go", // not of cmd/tlayout, whose tests are the program: its init opens the program
	"unsafe":                            "internal/convert/kernel/*.go",
	"github.com/nlpodyssey/gopickle":    "none",
	"encoding/gob":                      "none",
	"archive/zip":                       "internal/command/convertcmd/*.go",
	"html/template":                     "none", // with a template, the linker keeps every method: a fifth of the program
	"text/template":                     "none",
}

// calls lists the only files, besides tests, that may name a function or variable of a package.
var calls = map[string][]string{
	"os.Exit":   {"cmd/tlayout/main.go", "internal/command/signals_*.go", "internal/chromium/*.go"},
	"os.Stdin":  {"internal/command/cli/streams.go"},
	"os.Stdout": {"internal/command/cli/streams.go"},
	"os.Stderr": {"internal/command/cli/streams.go"},
	"log.Fatal": {"internal/manual/main.go", "internal/shrink/main.go"}, "log.Fatalf": {}, "log.Fatalln": {},
	"regexp.MustCompile": {"internal/lazy/*.go", "internal/manual/*.go", "internal/oracle/*.go"}, // compiling 60 patterns delays the start
	"fmt.Print":          {}, "fmt.Printf": {}, "fmt.Println": {},
	// Names of sources and outputs are cut in internal/name alone. The others cut paths that no user typed: of members of containers, of objects below
	// a prefix, of files below a folder.
	"text.Redact": {"internal/name/*.go"}, "text.Scheme": {"internal/name/*.go"}, "text.TensorIn": {"internal/name/*.go"}, "text.File": {"internal/name/*.go"},
	"filepath.Ext": {"internal/name/*.go"}, "filepath.Dir": {"internal/name/*.go", "internal/manual/*.go"},
	"filepath.Base":  {"internal/name/*.go", "internal/publish/folder.go", "internal/oracle/*.go"}, // of a folder to make; of a program
	"filepath.Split": {"internal/name/*.go", "internal/publish/target.go"},                         // resolved links
	"path.Ext":       {"internal/store/object.go", "internal/command/convertcmd/many_check.go", "internal/command/diffcmd/match.go"},
	"path.Dir":       {"internal/command/convertcmd/*.go"},
	"path.Base":      {"internal/batch/objects.go", "internal/command/convertcmd/*.go"},
	"path.Split":     {"internal/command/convertcmd/*.go", "internal/command/diffcmd/match.go"},
	"viper.Set":      {}, "viper.Get": {}, "viper.BindPFlag": {}, "viper.ReadInConfig": {},
}

// rawNames lists the only files, besides tests, that may call Name.Raw, which has the secrets of a URL: they open files and objects.
var rawNames = []string{
	"internal/name/*.go", "internal/input/*.go", "internal/remote/http.go", "internal/publish/*.go",
	"internal/batch/*.go",                 // folders and patterns are searched, and a list holds millions of names in one text
	"internal/command/cli/settings.go",    // reads settings
	"internal/command/benchcmd/output.go", // appends to the summary of a CI runner
	"internal/command/drawcmd/open.go",    // gives a picture to a viewer
}

// sourceFile is a parsed file of the module.
type sourceFile struct {
	path   string // slash-separated, from the module's root
	tree   *ast.File
	isTest bool
}

// moduleFiles parses every Go file of the module, whatever its build tags. It reads the files itself, so that Go's test cache notices
// changes, which "go list" would hide.
func moduleFiles(t *testing.T) []sourceFile {
	t.Helper()
	root := filepath.Join("..", "..")
	var files []sourceFile
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() && name != root && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || isModule(name)) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(base, ".go") {
			return nil
		}
		tree, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(filepath.ToSlash(name), "../../")
		files = append(files, sourceFile{rel, tree, strings.HasSuffix(base, "_test.go")})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 50 {
		t.Fatalf("found %d files only", len(files))
	}
	return files
}

// isModule reports whether a folder is a module of its own.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func (f sourceFile) imports() []string {
	var paths []string
	for _, spec := range f.tree.Imports {
		paths = append(paths, fixture.Must(strconv.Unquote(spec.Path.Value)))
	}
	return paths
}

// TestImports: imports go down from floor to floor, no command imports another, and only openers open files.
func TestImports(t *testing.T) {
	seen := map[int]bool{}
	for _, f := range moduleFiles(t) {
		for _, problem := range importProblems(f) {
			t.Error(problem)
		}
		seen[floorOf(path.Dir(f.path))] = true
	}
	for floor, dirs := range floors {
		if !seen[floor] {
			t.Errorf("%v have no files", dirs)
		}
	}
}

// floorOf returns the floor of a folder; -1 for one that only tests import, and for one that has none.
func floorOf(dir string) int {
	if isIn(dir, testsOnly) {
		return -1
	}
	return slices.IndexFunc(floors, func(dirs []string) bool { return isIn(dir, dirs) })
}

// isIn reports whether a folder is one of some, or below one.
func isIn(dir string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return dir == folder || strings.HasPrefix(dir, folder+"/") })
}

// TestPackageNames: no package has the name of another, so that an import block needs no alias and a reader no guess. Commands end in cmd.
func TestPackageNames(t *testing.T) {
	dirs := map[string]string{}
	for _, f := range moduleFiles(t) {
		name := f.tree.Name.Name
		dir := path.Dir(f.path)
		if name == "main" || strings.HasSuffix(name, "_test") {
			continue
		}
		other, named := dirs[name]
		if named && other != dir {
			t.Errorf("%s and %s are both package %s", other, dir, name)
		}
		dirs[name] = dir
		if isCommand(dir) && name != path.Base(dir) {
			t.Errorf("%s is package %s", dir, name)
		}
	}
}

func importProblems(f sourceFile) []string {
	var problems []string
	complain := func(format string, args ...any) {
		problems = append(problems, f.path+": "+fmt.Sprintf(format, args...))
	}
	dir := path.Dir(f.path)
	if floorOf(dir) < 0 && !isIn(dir, testsOnly) {
		complain("package %s is on no floor", dir)
	}
	for _, imported := range f.imports() {
		if strings.Contains(imported, "pickle") && imported != modulePath+"/internal/file/pickle" {
			complain("imports %s: no library reads pickles; internal/file/pickle calls nothing", imported)
		}
		if f.isTest {
			continue
		}
		if ours, isOurs := strings.CutPrefix(imported, modulePath+"/"); isOurs {
			problems = append(problems, ownProblems(f.path, dir, ours)...)
		}
		for module, home := range homes {
			if (imported == module || strings.HasPrefix(imported, module+"/")) && !matchesAny(f.path, home) {
				complain("imports %s, which belongs into %s", imported, home)
			}
		}
	}
	return problems
}

// ownProblems returns what is wrong with the import of a package of the module.
func ownProblems(file, dir, imported string) (problems []string) {
	complain := func(what string) { problems = append(problems, file+": imports "+imported+": "+what) }
	if isIn(imported, testsOnly) && !isIn(dir, testsOnly) {
		complain("only tests import it")
	}
	if floorOf(imported) > floorOf(dir) && !isIn(dir, testsOnly) {
		complain("it is on a higher floor")
	}
	if isCommand(imported) && imported != dir && dir != commands {
		complain("only the tree of commands imports a command")
	}
	if isIn(imported, fileAccess) && !isIn(dir, openers) && !isIn(dir, testsOnly) {
		complain("only openers open files")
	}
	return problems
}

// isCommand reports whether a folder is a command.
func isCommand(dir string) bool {
	return path.Dir(dir) == commands && strings.HasSuffix(dir, "cmd")
}

func matchesAny(name, patterns string) bool {
	return slices.ContainsFunc(strings.Split(patterns, " "), func(p string) bool { return matches(name, p) })
}

// matches compares a path with a pattern, or its base name if the pattern has no slash.
func matches(name, pattern string) bool {
	if !strings.Contains(pattern, "/") {
		name = path.Base(name)
	}
	ok, err := path.Match(pattern, name)
	cli.Must(err)
	return ok
}

// TestCalls: only main ends the program, and only its streams are written.
func TestCalls(t *testing.T) {
	for _, f := range moduleFiles(t) {
		for _, problem := range callProblems(f) {
			t.Error(problem)
		}
	}
}

func callProblems(f sourceFile) []string {
	var problems []string
	if f.isTest {
		return nil
	}
	ast.Inspect(f.tree, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && isRaw(call) && !matchesAny(f.path, strings.Join(rawNames, " ")) {
			problems = append(problems, fmt.Sprintf("%s: Raw is for %v", f.path, rawNames))
		}
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := selector.X.(*ast.Ident); ok {
			name := x.Name + "." + selector.Sel.Name
			if homes, restricted := calls[name]; restricted && !slices.ContainsFunc(homes, func(h string) bool { return matches(f.path, h) }) {
				problems = append(problems, fmt.Sprintf("%s: %s is for %v", f.path, name, homes))
			}
		}
		return true
	})
	return problems
}

// isRaw reports whether a call is one of a method Raw.
func isRaw(call *ast.CallExpr) bool {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "Raw" && len(call.Args) == 0
}

// TestPackageDocs: every package has a doc comment, in doc.go or above a package clause.
func TestPackageDocs(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range moduleFiles(t) {
		if !f.isTest {
			dir := path.Dir(f.path)
			documented[dir] = documented[dir] || f.tree.Doc != nil
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(documented)) {
		if !documented[dir] {
			t.Errorf("package %s has no package comment", dir)
		}
	}
}

// seeded are the names of math/rand/v2 that draw nothing, or draw from a given source.
var seeded = []string{"New", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "PCG", "ChaCha8", "Source", "Zipf"}

// unseeded names what a test file draws without TLAYOUT_TEST_RANDOM_SEED: from math/rand/v2's global generator, or by rapid.Check.
func unseeded(f sourceFile) (problems []string) {
	imports := func(path string) bool {
		return slices.ContainsFunc(f.tree.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == strconv.Quote(path) })
	}
	if !f.isTest {
		return nil
	}
	ast.Inspect(f.tree, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, _ := s.X.(*ast.Ident)
		switch {
		case x == nil:
		case x.Name == "rand" && imports("math/rand/v2") && !slices.Contains(seeded, s.Sel.Name),
			x.Name == "rapid" && strings.Contains(s.Sel.Name, "Check"):
			problems = append(problems, fmt.Sprintf("%s: %s.%s has no seed; internal/random has one", f.path, x.Name, s.Sel.Name))
		}
		return true
	})
	return problems
}

// TestRandomIsSeeded: every random test has its seed from internal/random, or a fixed one.
func TestRandomIsSeeded(t *testing.T) {
	for _, f := range moduleFiles(t) {
		if strings.HasPrefix(f.path, "internal/random/") {
			continue
		}
		for _, problem := range unseeded(f) {
			t.Error(problem)
		}
	}
}

// TestArchitectureTest: the tests above find violations.
func TestArchitectureTest(t *testing.T) {
	parse := func(name, text string) sourceFile {
		return sourceFile{name, fixture.Must(parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)), strings.HasSuffix(name, "_test.go")}
	}
	for _, c := range []struct{ name, text, want string }{
		{"internal/fault/x.go", `package fault; import _ "github.com/tlayout/tlayout/internal/render"`, "higher floor"},
		{"internal/tensor/x.go", `package tensor; import _ "github.com/tlayout/tlayout/internal/file/npy"`, "higher floor"},
		{"internal/render/x.go", `package render; import _ "github.com/tlayout/tlayout/internal/input"`, "only openers open files"},
		{"internal/file/npy/x.go", `package npy; import _ "github.com/tlayout/tlayout/internal/publish"`, "only openers open files"},
		{"internal/new/x.go", `package fresh`, "on no floor"},
		{"internal/render/x.go", `package render; import _ "github.com/spf13/cobra"`, "belongs into internal/command"},
		{"internal/command/diffcmd/x.go", `package diff; import _ "github.com/tlayout/tlayout/internal/command/inspectcmd"`, "only the tree of commands"},
		{"internal/command/cli/x.go", `package cli; import _ "github.com/tlayout/tlayout/internal/command/inspectcmd"`, "only the tree of commands"},
		{"internal/command/diffcmd/x.go", `package diff; import _ "github.com/spf13/viper"`, "belongs into internal/command/cli"},
		{"internal/command/diffcmd/x.go", `package diff; import _ "golang.org/x/term"`, "belongs into internal/command/cli"},
		{"cmd/tlayout/x.go", `package main; import _ "github.com/tlayout/tlayout/internal/oracle"`, "only tests import it"},
		{"cmd/tlayout/inspect.go", `package main; import _ "github.com/sbinet/npyio/npy"`, "belongs into internal/command/convertcmd/verify_npyio.go"},
		{"cmd/tlayout/x_test.go", `package main; import _ "github.com/nlpodyssey/gopickle/pickle"`, "no library reads pickles"},
	} {
		if got := strings.Join(importProblems(parse(c.name, c.text)), "; "); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, expected %q", c.name, got, c.want)
		}
	}
	draws := parse("internal/ints/x_test.go", `package ints; import "math/rand/v2"; func f() { rand.New(rand.NewPCG(1, 2)).IntN(3); rand.IntN(3); rapid.Check(t, g) }`)
	if got := strings.Join(unseeded(draws), "; "); strings.Count(got, "x_test.go") != 2 || !strings.Contains(got, "rand.IntN") || !strings.Contains(got, "rapid.Check") {
		t.Errorf("draws without a seed: %q", got)
	}
	exit := parse("cmd/tlayout/run.go", `package main; import "os"; func f() { os.Exit(1) }`)
	if got := callProblems(exit); len(got) != 1 {
		t.Errorf("os.Exit in run.go: %q", got)
	}
	cut := parse("internal/command/diffcmd/x.go", `package diffcmd; func f(n name.Name) string { return filepath.Base(n.Raw()) + text.Redact("x") }`)
	if got := strings.Join(callProblems(cut), "; "); !strings.Contains(got, "filepath.Base is for") || !strings.Contains(got, "Raw is for") || !strings.Contains(got, "text.Redact is for") {
		t.Errorf("cuts of a name: %q", got)
	}
}
