package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/golden"
)

// dialectFile has the figures that no change may exceed.
const dialectFile = "testdata/dialect.txt"

// A dialectFigure counts what makes Go slow to read: so many in each hundred or thousand of something.
type dialectFigure struct {
	name   string
	places []string // file:line of each
	per    int
	unit   string
}

// dialect is what a reading of all files counts.
type dialect struct {
	switches, functions, lines int
	lengths                    []int // of functions, in lines

	untagged, ladders, conditions, parallel, hidden dialectFigure
}

func newDialect() *dialect {
	return &dialect{
		untagged:   dialectFigure{name: "switches without a tag", per: 100, unit: "switches"},
		ladders:    dialectFigure{name: "switches without a tag, of 4 cases and more, two with && or ||", per: 1000, unit: "functions"},
		conditions: dialectFigure{name: "conditions of 4 operands and more", per: 1000, unit: "lines"},
		parallel:   dialectFigure{name: "parallel assignments", per: 1000, unit: "lines"},
		hidden:     dialectFigure{name: "assignments in an if whose condition does not use them", per: 1000, unit: "lines"},
	}
}

func (d *dialect) figures() []*dialectFigure {
	return []*dialectFigure{&d.untagged, &d.ladders, &d.conditions, &d.parallel, &d.hidden}
}

// total returns how many there are of what a figure is a share of.
func (d *dialect) total(f *dialectFigure) int {
	switch f.unit {
	case "switches":
		return d.switches
	case "functions":
		return d.functions
	default:
		return d.lines
	}
}

// value is rounded to what dialectFile shows.
func (d *dialect) value(f *dialectFigure) float64 {
	share := float64(f.per*len(f.places)) / float64(max(d.total(f), 1))
	return fixture.Must(strconv.ParseFloat(fmt.Sprintf("%.1f", share), 64))
}

// longest returns the length that 99 % of all functions do not exceed.
func (d *dialect) longest() int {
	slices.Sort(d.lengths)
	return d.lengths[(len(d.lengths)-1)*99/100]
}

// read counts one file.
func (d *dialect) read(set *token.FileSet, tree *ast.File) {
	d.lines += set.Position(tree.FileEnd).Line
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			d.readFunction(set, n)
		case *ast.SwitchStmt:
			d.readSwitch(set, n)
		case *ast.IfStmt:
			d.readCondition(set, n.Cond, defined(n.Init))
			if assignsUnused(n) {
				d.hidden.add(set, n)
			}
		case *ast.AssignStmt:
			if len(n.Lhs) > 1 && len(n.Lhs) == len(n.Rhs) {
				d.parallel.add(set, n)
			}
		}
		return true
	})
}

func (d *dialect) readFunction(set *token.FileSet, f *ast.FuncDecl) {
	if f.Body == nil {
		return
	}
	d.functions++
	d.lengths = append(d.lengths, set.Position(f.Body.End()).Line-set.Position(f.Body.Pos()).Line-1)
}

func (d *dialect) readSwitch(set *token.FileSet, s *ast.SwitchStmt) {
	d.switches++
	if s.Tag != nil {
		return
	}
	d.untagged.add(set, s)
	compound := 0
	for _, clause := range s.Body.List {
		for _, condition := range clause.(*ast.CaseClause).List {
			d.readCondition(set, condition, 0)
			if operands(condition) > 1 {
				compound++
			}
		}
	}
	if len(s.Body.List) >= 4 && compound >= 2 {
		d.ladders.add(set, s)
	}
}

// readCondition counts a condition; more is how many operands names in it stand for.
func (d *dialect) readCondition(set *token.FileSet, condition ast.Expr, more int) {
	if operands(condition)+more >= 4 {
		d.conditions.add(set, condition)
	}
}

func (f *dialectFigure) add(set *token.FileSet, n ast.Node) {
	f.places = append(f.places, set.Position(n.Pos()).String())
}

// defined counts what && and || join in the definitions of an if, beyond the names that its condition reads: `if x := a && b; x && c` has 3 operands.
func defined(init ast.Stmt) int {
	more := 0
	if assign, ok := init.(*ast.AssignStmt); ok {
		for _, value := range assign.Rhs {
			more += operands(value) - 1
		}
	}
	return more
}

// operands counts what && and || of a condition join; those of function literals inside it are not its own.
func operands(condition ast.Expr) int {
	count := 1
	ast.Inspect(condition, func(n ast.Node) bool {
		b, binary := n.(*ast.BinaryExpr)
		if binary && (b.Op == token.LAND || b.Op == token.LOR) {
			count++
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
	return count
}

// assignsUnused reports whether the init of an if assigns a variable from outside that its condition does not read.
func assignsUnused(s *ast.IfStmt) bool {
	assign, ok := s.Init.(*ast.AssignStmt)
	if !ok || assign.Tok != token.ASSIGN {
		return false
	}
	read := map[string]bool{}
	ast.Inspect(s.Cond, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			read[name.Name] = true
		}
		return true
	})
	return slices.ContainsFunc(assign.Lhs, func(e ast.Expr) bool {
		name, ok := e.(*ast.Ident)
		return !ok || !read[name.Name]
	})
}

// writtenFiles parses the Go that people wrote, of all modules: no tests and nothing generated.
func writtenFiles(t *testing.T) (*token.FileSet, []*ast.File) {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		tree, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if !ast.IsGenerated(tree) {
			files = append(files, tree)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return set, files
}

// TestDialect: no figure of how densely the Go is written grows past the last one written down in dialectFile, which -update lowers.
func TestDialect(t *testing.T) {
	set, files := writtenFiles(t)
	d := newDialect()
	for _, f := range files {
		d.read(set, f)
	}
	const longest = 90
	if n := d.longest(); n > longest {
		t.Errorf("99 %% of functions have up to %d lines, at most %d are allowed", n, longest)
	}
	allowed := readDialect(t)
	for _, f := range d.figures() {
		now := d.value(f)
		most, known := allowed[f.name]
		t.Logf("%s: %.1f per %d %s (%d of %d), at most %.1f", f.name, now, f.per, f.unit, len(f.places), d.total(f), most)
		switch {
		case !known && !*golden.Update:
			t.Errorf("%s has no figure of %q", dialectFile, f.name)
		case now > most && known:
			t.Errorf("%s: %.1f per %d %s, at most %.1f:\n%s", f.name, now, f.per, f.unit, most, strings.Join(f.places, "\n"))
		}
	}
	if *golden.Update && !t.Failed() {
		d.write(t)
	}
}

// readDialect returns the allowed figure of each name.
func readDialect(t *testing.T) map[string]float64 {
	t.Helper()
	file, err := os.Open(dialectFile)
	if err != nil && !*golden.Update {
		t.Fatal(err)
	}
	defer file.Close()
	allowed := map[string]float64{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		name, rest, _ := strings.Cut(lines.Text(), ": ")
		number, _, _ := strings.Cut(rest, " ")
		allowed[name] = fixture.Must(strconv.ParseFloat(number, 64))
	}
	return allowed
}

func (d *dialect) write(t *testing.T) {
	t.Helper()
	var out strings.Builder
	out.WriteString("# How densely the Go of all modules is written, without tests and what is generated. TestDialect fails where a figure grows.\n")
	for _, f := range d.figures() {
		fmt.Fprintf(&out, "%s: %.1f per %d %s\n", f.name, d.value(f), f.per, f.unit)
	}
	err := os.WriteFile(dialectFile, []byte(out.String()), 0o666)
	if err != nil {
		t.Fatal(err)
	}
}

// TestDialectCounts: each figure counts what its name says, and nothing beside it.
func TestDialectCounts(t *testing.T) {
	for body, want := range map[string][5]int{
		`switch { case a: }`:                                   {1, 0, 0, 0, 0},
		`switch x { case 1: case 2: }`:                         {0, 0, 0, 0, 0},
		`switch y := x.(type) { case T: }`:                     {0, 0, 0, 0, 0},
		`switch { case a && b: case c: case d || e: case f: }`: {1, 1, 0, 0, 0},
		`switch { case a && b: case c: case d || e: }`:         {1, 0, 0, 0, 0},
		`switch { case a && b: case c: case d: case f: }`:      {1, 0, 0, 0, 0},
		`if a && b || c && d {}`:                               {0, 0, 1, 0, 0},
		`if a && b || c {}`:                                    {0, 0, 0, 0, 0},
		`if a && f(func() bool { return b && c && d }) {}`:     {0, 0, 0, 0, 0},
		`if x := a && b; x && (c || d) {}`:                     {0, 0, 1, 0, 0},
		`if x := a && b; x && c {}`:                            {0, 0, 0, 0, 0},
		`switch { case a && b && c && d: }`:                    {1, 0, 1, 0, 0},
		`a, b = b, a`:                                          {0, 0, 0, 1, 0},
		`a, b := f()`:                                          {0, 0, 0, 0, 0},
		`if a = f(); b {}`:                                     {0, 0, 0, 0, 1},
		`if err = f(); err != nil {}`:                          {0, 0, 0, 0, 0},
		`if a, err = f(); err != nil {}`:                       {0, 0, 0, 0, 1},
		`if a := f(); b {}`:                                    {0, 0, 0, 0, 0},
	} {
		set := token.NewFileSet()
		tree := fixture.Must(parser.ParseFile(set, "x.go", "package x\nfunc g() {\n"+body+"\n}\n", parser.SkipObjectResolution))
		d := newDialect()
		d.read(set, tree)
		var got [5]int
		for i, f := range d.figures() {
			got[i] = len(f.places)
		}
		if got != want {
			t.Errorf("%s: counted %v, want %v", body, got, want)
		}
		if d.functions != 1 || d.lines != 4 {
			t.Errorf("%s: %d functions, %d lines", body, d.functions, d.lines)
		}
	}
}
