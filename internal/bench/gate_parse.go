package bench

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// maxGate is the maximum length of a gate in bytes, which bounds its depth too.
const maxGate = 4096

const gateExample = "write, for instance, nhwc.channel.gbps >= 2 * nchw.channel.gbps"

// gateText is a gate during parsing.
type gateText struct {
	text  string
	names Names
	file  *token.FileSet
}

// ParseGate parses a gate. It fails with Usage, and the column, if the text is not a comparison of figures.
func ParseGate(expr string, names Names) (*Condition, error) {
	if len(expr) > maxGate {
		return nil, fault.New(fault.Usage, "a gate has %d bytes, more than the maximum of %d", len(expr), maxGate)
	}
	g := &gateText{expr, names, token.NewFileSet()}
	e, err := parser.ParseExprFrom(g.file, "", expr, parser.SkipObjectResolution)
	if list := (scanner.ErrorList)(nil); errors.As(err, &list) {
		first := fault.New(fault.Usage, "%s", words.Quote(list[0].Msg)).WithHint(gateExample)
		return nil, g.at(list[0].Pos.Offset, first)
	}
	root, err := g.term(e)
	switch {
	case err != nil:
		return nil, err
	case !root.compares():
		return nil, g.refuse(e.Pos(), "a gate is a comparison, but this is only a number")
	case len(root.figures()) == 0:
		return nil, g.refuse(e.Pos(), "a gate must name a figure of the report")
	}
	return &Condition{expr, root}, nil
}

// at adds the column to an error. Columns count characters from 1.
func (g *gateText) at(offset int, err error) error {
	column := utf8.RuneCountInString(g.text[:offset]) + 1
	return fault.In(`gate "`+words.Quote(g.text)+`", column `+strconv.Itoa(column), err)
}

func (g *gateText) in(pos token.Pos, err error) error {
	return g.at(g.file.PositionFor(pos, false).Offset, err)
}

func (g *gateText) refuse(pos token.Pos, format string, args ...any) error {
	return g.in(pos, fault.New(fault.Usage, format, args...).WithHint(gateExample))
}

func (g *gateText) term(e ast.Expr) (*term, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return g.number(e)
	case *ast.ParenExpr:
		x, err := g.term(e.X)
		return &term{op: token.LPAREN, x: x}, err
	case *ast.UnaryExpr:
		return g.unary(e)
	case *ast.BinaryExpr:
		return g.binary(e)
	}
	path, ok := dotted(e)
	if !ok {
		return nil, g.refuse(e.Pos(), "a gate consists only of figures, numbers, + - * /, comparisons, && || ! and parentheses")
	}
	f, err := newFigure(path, g.names)
	if err != nil {
		return nil, g.in(e.Pos(), err)
	}
	return &term{op: token.IDENT, figure: f}, nil
}

// number parses a decimal number, which may have underscores.
func (g *gateText) number(e *ast.BasicLit) (*term, error) {
	v, err := strconv.ParseFloat(strings.ReplaceAll(e.Value, "_", ""), 64)
	if err != nil || strings.ContainsAny(e.Value, "xX") {
		return nil, g.refuse(e.Pos(), "%s is not a decimal number", words.Quote(e.Value))
	}
	return &term{op: token.FLOAT, number: e.Value, value: v}, nil
}

func (g *gateText) unary(e *ast.UnaryExpr) (*term, error) {
	x, err := g.term(e.X)
	switch {
	case err != nil:
		return nil, err
	case e.Op != token.SUB && e.Op != token.NOT:
		return nil, g.refuse(e.Pos(), "unary %s is not supported in a gate", e.Op)
	case e.Op == token.SUB && x.compares():
		return nil, g.refuse(e.Pos(), "- takes a number, but a comparison follows")
	case e.Op == token.NOT && !x.compares():
		return nil, g.refuse(e.Pos(), "! takes a comparison, but a number follows")
	}
	return &term{op: e.Op, x: x}, nil
}

var (
	arithmetic  = []token.Token{token.ADD, token.SUB, token.MUL, token.QUO}
	comparisons = []token.Token{token.GEQ, token.LEQ, token.GTR, token.LSS, token.EQL, token.NEQ}
	connectives = []token.Token{token.LAND, token.LOR}
)

func (g *gateText) binary(e *ast.BinaryExpr) (*term, error) {
	x, err := g.term(e.X)
	if err != nil {
		return nil, err
	}
	y, err := g.term(e.Y)
	if err != nil {
		return nil, err
	}
	connective := slices.Contains(connectives, e.Op)
	switch {
	case !connective && !slices.Contains(arithmetic, e.Op) && !slices.Contains(comparisons, e.Op):
		return nil, g.refuse(e.OpPos, "operator %s is not supported in a gate", e.Op)
	case connective && !(x.compares() && y.compares()):
		return nil, g.refuse(e.OpPos, "%s takes comparisons on both sides", e.Op)
	case !connective && (x.compares() || y.compares()):
		return nil, g.refuse(e.OpPos, "%s takes numbers on both sides; comparisons are joined by && and ||", e.Op)
	case e.Op == token.QUO && y.zero():
		return nil, g.refuse(e.Y.Pos(), "division by zero")
	}
	return &term{op: e.Op, x: x, y: y}, nil
}

// compares reports whether the term is a boolean, not a number.
func (t *term) compares() bool {
	if t.op == token.LPAREN {
		return t.x.compares()
	}
	return t.op == token.NOT || slices.Contains(comparisons, t.op) || slices.Contains(connectives, t.op)
}

// zero reports whether the term is a literal 0, with any signs and parentheses.
func (t *term) zero() bool {
	for t.y == nil && t.x != nil {
		t = t.x
	}
	return t.op == token.FLOAT && t.value == 0
}

// dotted splits a.b.c; false for anything else.
func dotted(e ast.Expr) ([]string, bool) {
	switch e := e.(type) {
	case *ast.Ident:
		return []string{e.Name}, true
	case *ast.SelectorExpr:
		if path, ok := dotted(e.X); ok {
			return append(path, e.Sel.Name), true
		}
	}
	return nil, false
}
