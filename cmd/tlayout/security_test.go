package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/golden"
)

// reaching are the imports by which a program runs others or talks to a network, and the only files that have them, tests aside.
// SECURITY.md promises it. unsafe is in homes.
var reaching = map[string]string{
	"os/exec":  "internal/command/draw/output.go internal/bench/marks/*.go internal/oracle/*.go", // --open; measuring; tests
	"net":      "none",
	"net/http": "none",
	"net/rpc":  "none",
	"plugin":   "none",
	"C":        "none",
}

// TestReaching: nothing but the files named runs a program or opens a connection, and none links to what Go hides.
func TestReaching(t *testing.T) {
	for _, f := range moduleFiles(t) {
		for _, problem := range reachProblems(f) {
			t.Error(problem)
		}
	}
	const text = "package x\n\nimport (\n\"os/exec\"\n_ \"net/http\"\n\"C\"\n)\n\n//go:linkname f runtime.f\nfunc f()\n\nvar _ reflect.SliceHeader\n"
	tree := fixture.Must(parser.ParseFile(token.NewFileSet(), "x.go", text, parser.ParseComments))
	if got := reachProblems(sourceFile{"internal/x/x.go", tree, false}); len(got) != 5 {
		t.Errorf("of five problems it finds %q", got)
	}
}

func reachProblems(f sourceFile) (problems []string) {
	if f.isTest {
		return nil
	}
	for _, imported := range f.imports() {
		if home, restricted := reaching[imported]; restricted && !matchesAny(f.path, home) {
			problems = append(problems, fmt.Sprintf("%s imports %s, which is for %s", f.path, imported, home))
		}
	}
	for _, group := range f.tree.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:linkname") {
				problems = append(problems, f.path+": "+c.Text)
			}
		}
	}
	ast.Inspect(f.tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Name == "SliceHeader" || s.Sel.Name == "StringHeader") {
			problems = append(problems, f.path+": reflect."+s.Sel.Name)
		}
		return true
	})
	return problems
}

// TestWhoSetsFlags: for every flag, who may set it: a settings file that was found, the environment, or the command line alone.
// testdata/settings.golden has the list, so that a new flag is placed on purpose: what names a file to write, replaces one, or opens
// one must never be set by a file that may have come with somebody else's data. -update writes it.
func TestWhoSetsFlags(t *testing.T) {
	var lines []string
	root := command.NewRoot(&cli.App{Streams: &cli.Streams{}})
	for _, c := range root.Commands() {
		if c.Annotations["rivals"] == "" {
			continue // help topics, version: no setting is read
		}
		add := func(f *pflag.Flag) {
			who := "settings file, environment, command line"
			switch _, typed := f.Annotations["typed_only"]; {
			case f.Name == "help":
				who = "command line"
			case f.Name == "config", typed:
				who = "environment, command line"
			}
			lines = append(lines, fmt.Sprintf("%s --%s: %s\n", c.Name(), f.Name, who))
		}
		c.LocalFlags().VisitAll(add)
		root.PersistentFlags().VisitAll(add)
	}
	slices.SortFunc(lines, cmp.Compare[string])
	golden.Compare(t, "testdata/settings.golden", []byte(strings.Join(slices.Compact(lines), "")))
}
