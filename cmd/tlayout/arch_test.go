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

// arrows lists the packages of this module that each package may import. The program, internal/command, may import all, and a command, a
// package below it, all except another command. Only cmd/tlayout and the writer of its manual may import the program. A new package needs a row.
var arrows = map[string][]string{
	"cmd/tlayout": {commands, cliDir},
	"docs/schema": {},
	"web":         {commands, cliDir}, // its tests
	cliDir: {
		"internal/batch", "internal/convert/kernel", "internal/fault", "internal/ints", "internal/name", "internal/publish", "internal/render", "internal/render/scene", "internal/tensor",
		"internal/file/checkpoint", "internal/framework/diagnose", "internal/tensor/dtype", "internal/tensor/notation", "internal/framework/printed",
		"internal/file/source", "internal/text",
	},
	fixtureDir: {cliDir, "internal/tensor", "internal/tensor/dtype", "internal/file/npy"},
	"layout": {
		"internal/convert", "internal/convert/kernel", "internal/tensor", "internal/tensor/dtype", "internal/framework", "internal/tensor/notation",
		"internal/framework/printed", "internal/relate",
	},
	"internal/batch": {"internal/fault", "internal/name", "internal/store", "internal/file/document", "internal/file/foreign", "internal/file/source", "internal/text"},
	"internal/bench": {
		"internal/bench/cachesim", "internal/bench/reader", "internal/convert", "internal/convert/kernel",
		"internal/fault", "internal/ints", "internal/lazy", "internal/tensor", "internal/tensor/dtype", "internal/tensor/notation",
		"internal/text", "python",
	},
	"python":                  {},
	"internal/bench/cachesim": {"internal/fault", "internal/text"},
	"internal/bench/reader":   {"internal/convert/kernel"},
	"internal/gpu/shared":     {"internal/fault", "internal/ints", "internal/lazy", "internal/tensor", "internal/gpu/descriptor", "internal/tensor/notation", "internal/gpu/threads", "internal/text"},
	"internal/convert": {
		"internal/convert/kernel", "internal/fault", "internal/ints", "internal/tensor", "internal/tensor/notation",
		"internal/text",
	},
	"internal/relate/diff": {
		"internal/convert", "internal/fault", "internal/ints", "internal/tensor", "internal/tensor/dtype", "internal/relate",
		"internal/text",
	},
	"internal/relate/pairing": {
		"internal/convert", "internal/relate/diff", "internal/fault", "internal/ints", "internal/tensor", "internal/relate",
		"internal/file/source", "internal/text",
	},
	"internal/convert/kernel": {},
	"internal/chromium":       {},
	"internal/fault":          {},
	"internal/golden":         {},
	"internal/inspect": {
		"internal/fault", "internal/ints", "internal/name", "internal/tensor", "internal/file/checkpoint", "internal/file/document", "internal/tensor/dtype", "internal/framework/explain",
		"internal/framework", "internal/file/ggml", "internal/tensor/notation", "internal/file/npy", "internal/file/npz", "internal/relate",
		"internal/file/source", "internal/framework/trace", "internal/file/zip", "internal/text",
	},
	"internal/hostile":         {"internal/fault"},
	"internal/input":           {"internal/fault", "internal/ints", "internal/name", "internal/remote", "internal/scratch", "internal/store", "internal/text"},
	"internal/ints":            {},
	"internal/lazy":            {},
	"internal/name":            {"internal/fault", "internal/text"},
	"internal/manual":          {commands, cliDir},
	"internal/need":            {},
	"internal/oracle":          {"internal/need", "internal/random"},
	"internal/random":          {},
	"internal/random/property": {"internal/random"},
	"internal/publish":         {"internal/fault", "internal/name", "internal/scratch", "internal/store", "internal/text"},
	"internal/remote":          {"internal/fault", "internal/name", "internal/text"},
	"internal/render":          {"internal/lazy", "internal/render/vector", "internal/text"},
	"internal/render/page":     {"internal/render/vector", "internal/text"},
	"internal/render/picture": {
		"internal/gpu/shared", "internal/fault", "internal/ints", "internal/render/scene", "internal/render/vector", "internal/tensor",
		"internal/framework/explain", "internal/tensor/notation", "internal/gpu/threads", "internal/text",
	},
	"internal/render/scene":    {"internal/ints", "internal/lazy", "internal/render/vector", "internal/text"},
	"internal/render/vector":   {"internal/fault", "internal/text"},
	"internal/scan":            {},
	"internal/scratch":         {},
	"internal/store":           {"internal/fault", "internal/name", "internal/remote", "internal/text"},
	"internal/store/storetest": {"internal/store"},
	"internal/tensor":          {"internal/fault", "internal/ints", "internal/text"},
	"internal/file/checkpoint": {
		"internal/fault", "internal/ints", "internal/tensor", "internal/tensor/dtype", "internal/file/ggml", "internal/text",
	},
	"internal/gpu/cute":       {"internal/fault", "internal/ints", "internal/scan", "internal/tensor", "internal/text"},
	"internal/gpu/descriptor": {"internal/fault", "internal/tensor", "internal/text"},
	"internal/framework/diagnose": {
		"internal/ints", "internal/lazy", "internal/tensor", "internal/tensor/dtype", "internal/tensor/notation", "internal/framework/printed",
		"internal/framework/trace", "internal/text",
	},
	"internal/file/document": {
		"internal/fault", "internal/name", "internal/tensor", "internal/file/checkpoint", "internal/tensor/dtype", "internal/tensor/notation", "internal/file/npz",
		"internal/file/zip", "internal/text",
	},
	"internal/tensor/dtype":      {"internal/fault", "internal/ints", "internal/lazy", "internal/text"},
	"internal/framework/explain": {"internal/ints", "internal/tensor", "internal/tensor/notation", "internal/text"},
	"internal/file/filename":     {"internal/tensor/notation", "internal/text"},
	"internal/file/foreign":      {"internal/fault", "internal/name", "internal/text"},
	"internal/framework": {
		"internal/ints", "internal/lazy", "internal/tensor", "internal/gpu/descriptor", "internal/tensor/dtype", "internal/tensor/notation",
		"internal/text",
	},
	"internal/file/ggml": {"internal/tensor/dtype", "internal/text"},
	"internal/file/gguf": {
		"internal/fault", "internal/tensor", "internal/file/checkpoint", "internal/tensor/dtype", "internal/file/ggml", "internal/text",
	},
	"internal/tensor/notation":   {"internal/fault", "internal/ints", "internal/lazy", "internal/scan", "internal/tensor", "internal/text"},
	"internal/relate/dump":       {},
	"internal/file/npy":          {"internal/fault", "internal/scan", "internal/tensor", "internal/tensor/dtype", "internal/text"},
	"internal/framework/printed": {"internal/fault", "internal/ints", "internal/lazy", "internal/tensor", "internal/tensor/dtype", "internal/tensor/notation", "internal/gpu/triton", "internal/text"},
	"internal/file/npz":          {"internal/fault", "internal/file/npy", "internal/file/zip", "internal/text"},
	"internal/file/pickle":       {"internal/fault", "internal/text"},
	"internal/gpu/threads": {
		"internal/fault", "internal/ints", "internal/lazy", "internal/scan", "internal/tensor", "internal/gpu/cute", "internal/gpu/triton",
		"internal/tensor/dtype", "internal/text",
	},
	"internal/relate": {"internal/ints", "internal/lazy", "internal/tensor", "internal/tensor/dtype", "internal/framework/explain", "internal/text"},
	"internal/file/safetensors": {
		"internal/fault", "internal/tensor", "internal/file/checkpoint", "internal/tensor/dtype", "internal/text",
	},
	"internal/file/source": {
		"internal/fault", "internal/input", "internal/ints", "internal/name", "internal/tensor", "internal/file/checkpoint", "internal/file/document",
		"internal/tensor/dtype", "internal/file/filename", "internal/file/foreign", "internal/file/ggml", "internal/file/gguf",
		"internal/tensor/notation", "internal/file/npy",
		"internal/file/npz", "internal/framework/printed", "internal/file/safetensors", "internal/file/torch", "internal/gpu/triton",
		"internal/file/zip", "internal/text",
	},
	"internal/file/torch": {
		"internal/fault", "internal/lazy", "internal/tensor", "internal/file/checkpoint", "internal/tensor/dtype", "internal/file/pickle",
		"internal/file/zip", "internal/text",
	},
	"internal/gpu/triton": {"internal/fault", "internal/scan", "internal/tensor", "internal/text"},
	"internal/framework/trace": {
		"internal/fault", "internal/ints", "internal/scan", "internal/tensor", "internal/tensor/dtype", "internal/text",
	},
	"internal/file/zip": {"internal/fault", "internal/ints", "internal/text"},
	"internal/text":     {"internal/lazy"},
}

// homes lists the only files that may import a third-party module: patterns of path.Match, separated by blanks.
var homes = map[string]string{
	"github.com/spf13/cobra":                 "internal/command/*.go internal/command/*/*.go internal/manual/*.go",
	"github.com/spf13/cobra/doc":             "internal/manual/*.go",
	"github.com/spf13/viper":                 "internal/command/cli/*.go",
	"github.com/spf13/pflag":                 "internal/command/*/*.go internal/manual/*.go",
	"golang.org/x/term":                      "internal/command/cli/*.go",
	"github.com/olekukonko/tablewriter":      "internal/render/table.go",
	"github.com/sbinet/npyio":                "internal/command/convertcmd/verify.go",
	"github.com/edsrzf/mmap-go":              "internal/input/*.go internal/convert/probe.go",
	"github.com/rogpeppe/go-internal":        "*_test.go",
	"github.com/google/go-cmp":               "*_test.go internal/golden/*.go",
	"pgregory.net/rapid":                     "*_test.go internal/random/property/*.go",
	"github.com/klauspost/cpuid/v2":          "internal/convert/*.go internal/convert/kernel/*.go internal/bench/*.go",
	"golang.org/x/sys/cpu":                   "none",
	"golang.org/x/perf":                      "internal/bench/*.go",
	"github.com/aclements/go-moremath":       "internal/bench/*.go",
	"github.com/schollz/progressbar/v3":      "internal/command/cli/progress.go",
	"git.sr.ht/~sbinet/gg":                   "internal/render/vector/*.go",
	"golang.org/x/image":                     "internal/render/vector/*.go",
	"github.com/chromedp/chromedp":           "*_test.go internal/chromium/*.go",
	"github.com/chromedp/cdproto":            "*_test.go internal/chromium/*.go",
	modulePath + "/internal/chromium":        "*_test.go",
	modulePath + "/internal/oracle":          "*_test.go",
	modulePath + "/internal/golden":          "*_test.go",
	modulePath + "/internal/hostile":         "*_test.go",
	modulePath + "/internal/need":            "*_test.go internal/oracle/*.go",
	modulePath + "/internal/random":          "*_test.go internal/oracle/*.go internal/random/property/*.go",
	modulePath + "/internal/random/property": "*_test.go",
	modulePath + "/internal/store/storetest": "*_test.go",
	modulePath + "/" + fixtureDir:            "*_test.go",
	"github.com/google/jsonschema-go":        "*_test.go",
	"testing":                                "*_test.go internal/chromium/*.go internal/oracle/*.go internal/golden/*.go internal/hostile/*.go internal/need/*.go internal/random/*.go internal/random/property/*.go internal/command/fixture/*.go",
	"unsafe":                                 "internal/convert/kernel/*.go",
	"github.com/nlpodyssey/gopickle":         "none",
	"encoding/gob":                           "none",
	"archive/zip":                            "internal/command/convertcmd/*.go",
	"html/template":                          "none", // with a template, the linker keeps every method: a fifth of the program
	"text/template":                          "none",
}

// calls lists the only files, besides tests, that may name a function or variable of a package.
var calls = map[string][]string{
	"os.Exit":   {"cmd/tlayout/main.go", "internal/command/signals_*.go", "internal/chromium/*.go"},
	"os.Stdin":  {"internal/command/cli/streams.go"},
	"os.Stdout": {"internal/command/cli/streams.go"},
	"os.Stderr": {"internal/command/cli/streams.go"},
	"log.Fatal": {"internal/manual/main.go"}, "log.Fatalf": {}, "log.Fatalln": {},
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
	"internal/command/drawcmd/output.go",  // gives a picture to a viewer
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

// TestImports is the import diagram of ARCHITECTURE.md as a test.
func TestImports(t *testing.T) {
	for _, f := range moduleFiles(t) {
		for _, problem := range importProblems(f) {
			t.Error(problem)
		}
	}
}

// wings are the folders of the domain from the ground up: none imports one above it.
var wings = []string{
	"internal/tensor", "internal/convert", "internal/bench", "internal/gpu", "internal/framework", "internal/file", "internal/relate", "internal/inspect",
	"internal/render", commands,
}

// wingOf returns the floor of a folder; ok is false for utensils and for what stands outside.
func wingOf(dir string) (floor int, ok bool) {
	floor = slices.IndexFunc(wings, func(wing string) bool { return dir == wing || strings.HasPrefix(dir, wing+"/") })
	return floor, floor >= 0
}

// TestWings: imports go down from wing to wing.
func TestWings(t *testing.T) {
	seen := map[int]bool{}
	for _, f := range moduleFiles(t) {
		from, ok := wingOf(path.Dir(f.path))
		if !ok || f.isTest {
			continue
		}
		seen[from] = true
		for _, imported := range f.imports() {
			to, ours := wingOf(strings.TrimPrefix(imported, modulePath+"/"))
			if ours && to > from {
				t.Errorf("%s imports %s, which stands above %s", f.path, imported, wings[from])
			}
		}
	}
	if len(seen) != len(wings) {
		t.Errorf("found files of %d wings, want %d", len(seen), len(wings))
	}
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
	allowed, known := arrows[dir]
	command := isCommand(dir)
	if !known && !command && dir != commands {
		complain("package %s has no row in the table of arrows", dir)
	}
	for _, imported := range f.imports() {
		if strings.Contains(imported, "pickle") && imported != modulePath+"/internal/file/pickle" {
			complain("imports %s: no library reads pickles; internal/file/pickle calls nothing", imported)
		}
		ours, isOurs := strings.CutPrefix(imported, modulePath+"/")
		switch {
		case !isOurs || dir == commands:
		case command && isCommand(ours) && ours != dir:
			complain("imports %s: a command imports no other", ours)
		case !f.isTest && !command && !slices.Contains(allowed, ours):
			complain("imports %s, which its row in the table of arrows does not allow", ours)
		}
		for module, home := range homes {
			if (imported == module || strings.HasPrefix(imported, module+"/")) && !f.isTest && !matchesAny(f.path, home) {
				complain("imports %s, which belongs into %s", imported, home)
			}
		}
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
	for dir := range arrows {
		if _, ok := documented[dir]; !ok {
			t.Errorf("package %s is in the table of arrows, but not in the module", dir)
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
		{"internal/fault/x.go", `package fault; import _ "github.com/tlayout/tlayout/internal/render"`, "table of arrows does not allow"},
		{"internal/tensor/x.go", `package tensor; import _ "github.com/tlayout/tlayout/internal/file/npy"`, "table of arrows does not allow"},
		{"internal/new/x.go", `package fresh`, "has no row"},
		{"internal/render/x.go", `package render; import _ "github.com/spf13/cobra"`, "belongs into internal/command"},
		{"internal/command/diffcmd/x.go", `package diff; import _ "github.com/tlayout/tlayout/internal/command/inspectcmd"`, "a command imports no other"},
		{"internal/command/cli/x.go", `package cli; import _ "github.com/tlayout/tlayout/internal/command/inspectcmd"`, "table of arrows does not allow"},
		{"internal/command/diffcmd/x.go", `package diff; import _ "github.com/spf13/viper"`, "belongs into internal/command/cli"},
		{"internal/command/diffcmd/x.go", `package diff; import _ "golang.org/x/term"`, "belongs into internal/command/cli"},
		{"cmd/tlayout/x.go", `package main; import _ "github.com/tlayout/tlayout/internal/oracle"`, "belongs into *_test.go"},
		{"cmd/tlayout/inspect.go", `package main; import _ "github.com/sbinet/npyio/npy"`, "belongs into internal/command/convertcmd/verify.go"},
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
