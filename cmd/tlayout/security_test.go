package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// system are the files that call the system directly.
const system = "internal/publish/*.go internal/scratch/*.go internal/input/local_linux.go internal/input/small_unix.go internal/batch/*_unix.go internal/bench/address_linux.go"

// reaching are imports that can run programs or use a network, with the only files, besides tests, that may have them, as SECURITY.md promises.
// unsafe is in homes.
var reaching = map[string]string{
	"os/exec":          "internal/bench/process.go internal/chromium/*.go internal/command/drawcmd/open.go internal/oracle/*.go internal/need/*.go", // --with torch, --open; tests
	"net":              "internal/remote/*.go",                                                                                                      // sources that are URLs
	"net/http":         "internal/remote/*.go",
	"net/rpc":          "none",
	"net/smtp":         "none",
	"crypto/tls":       "none",
	"golang.org/x/net": "none",
	"plugin":           "none",
	"C":                "none",
	"syscall":          system + " internal/command/signals_unix.go internal/command/cli/settings_unix.go internal/input/wait_other.go internal/chromium/*.go internal/fault/fault.go",
	"golang.org/x/sys": system,
}

// starting are functions of these packages, and of os, that run a program or open a connection, and are never called.
var starting = regexp.MustCompile(`^(os\.StartProcess|(syscall|unix|windows)\.(Exec|Execve|ForkExec|StartProcess|CreateProcess|` +
	`Socket|Connect|Listen|LoadLibrary|LoadDLL|NewLazyDLL|RawSyscall6?|Syscall6?))$`)

// TestReaching: only the listed files run programs or open connections, and none uses go:linkname.
func TestReaching(t *testing.T) {
	for _, f := range moduleFiles(t) {
		for _, problem := range reachProblems(f) {
			t.Error(problem)
		}
	}
	const text = "package x\n\nimport (\n\"os/exec\"\n_ \"net/http\"\n\"C\"\n\"golang.org/x/net/proxy\"\n)\n\n" +
		"//go:linkname f runtime.f\nfunc f()\n\nvar _ reflect.SliceHeader\nvar _ = os.StartProcess\nvar _ = unix.Socket\n"
	tree := fixture.Must(parser.ParseFile(token.NewFileSet(), "x.go", text, parser.ParseComments))
	if got := reachProblems(sourceFile{"internal/x/x.go", tree, false}); len(got) != 8 {
		t.Errorf("of eight problems it finds %q", got)
	}
}

// TestForeignCode: the only assembly is that of the kernels and of bench's reader; there is no C and no prebuilt code.
func TestForeignCode(t *testing.T) {
	found := 0
	cli.Must(filepath.WalkDir("../..", func(name string, entry fs.DirEntry, err error) error {
		base := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "../.." && (base[0] == '.' || base[0] == '_' || base == "testdata"):
			return filepath.SkipDir
		case slices.Contains(strings.Fields(".s .S .c .cc .cpp .cxx .m .h .hpp .syso .swig .a .o .so"), filepath.Ext(base)):
			found++
			at := strings.TrimPrefix(filepath.ToSlash(name), "../../")
			if !matchesAny(at, "internal/convert/kernel/*.s internal/bench/reader/*.s") {
				t.Errorf("%s is neither a kernel's nor the reader's", at)
			}
		}
		return nil
	}))
	if found < 2 {
		t.Errorf("%d files with assembly found", found)
	}
}

func reachProblems(f sourceFile) (problems []string) {
	if f.isTest {
		return nil
	}
	for _, imported := range f.imports() {
		for pkg, home := range reaching {
			inside := strings.HasPrefix(pkg, "golang.org/") && strings.HasPrefix(imported, pkg+"/")
			if (imported == pkg || inside) && !matchesAny(f.path, home) {
				problems = append(problems, fmt.Sprintf("%s imports %s, which is for %s", f.path, imported, home))
			}
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
		} else if x, is := selectorOf(s); ok && is && starting.MatchString(x) {
			problems = append(problems, f.path+": "+x)
		}
		return true
	})
	return problems
}

// selectorOf returns package and name of a selector such as os.Exit.
func selectorOf(s *ast.SelectorExpr) (name string, ok bool) {
	if s == nil {
		return "", false
	}
	x, ok := s.X.(*ast.Ident)
	if !ok {
		return "", false
	}
	return x.Name + "." + s.Sel.Name, true
}
