package tensor

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryExportIsTested proves that no exported function or method goes unnamed in the package's tests.
func TestEveryExportIsTested(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	exported, used := map[string]token.Position{}, map[string]bool{}
	set := token.NewFileSet()
	for _, name := range files {
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			collectCalls(file, used)
			continue
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Name.IsExported() {
				exported[callName(f)] = set.Position(f.Pos())
			}
		}
	}
	for name, at := range exported {
		if !used[name] {
			t.Errorf("%s: no test names %s", at, name)
		}
	}
	t.Logf("%d exported functions and methods", len(exported))
}

// callName is how a call of the function looks in a test of the package: F for a function, .M for a method.
func callName(f *ast.FuncDecl) string {
	if f.Recv != nil {
		return "." + f.Name.Name
	}
	return f.Name.Name
}

// collectCalls notes every identifier and every selector of a file.
func collectCalls(file *ast.File, used map[string]bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			used["."+n.Sel.Name] = true
			used[n.Sel.Name] = true // a function of the package, called from package tensor_test
		case *ast.Ident:
			used[n.Name] = true
		}
		return true
	})
}
