package bench

import (
	"go/token"
	"math"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// Gate is a condition on a report, and whether it holds.
type Gate struct {
	Expr  string `json:"expr"`
	Holds bool   `json:"ok"`
	Why   string `json:"why"` // the condition with a value after each name
}

// Condition is a parsed gate. Its syntax is Go's: comparisons of arithmetic expressions over numbers and figures, joined
// by &&, || and !.
type Condition struct {
	text string
	root *term
}

// term is a figure, a number, or an operator over one or two terms.
type term struct {
	op     token.Token // IDENT: figure; FLOAT: number; LPAREN: x in parentheses; or the operator
	x, y   *term       // y is nil if op is LPAREN, NOT or a sign
	figure figure
	number string // as written
	value  float64
}

// format writes the term, with a suffix after each figure.
func (t *term) format(suffix func(figure) string) string {
	switch {
	case t.op == token.IDENT:
		return t.figure.String() + suffix(t.figure)
	case t.op == token.FLOAT:
		return t.number
	case t.op == token.LPAREN:
		return "(" + t.x.format(suffix) + ")"
	case t.y == nil:
		operand := t.x.format(suffix)
		if strings.HasPrefix(operand, "-") {
			operand = " " + operand // -- is a different token
		}
		return t.op.String() + operand
	}
	return t.x.format(suffix) + " " + t.op.String() + " " + t.y.format(suffix)
}

// Check fails with Usage if the condition names a row that will not be measured, a cache level that the model lacks, or
// something that the baseline lacks. It runs before the measurement: keys are those of the rows to come, and before is nil
// without a baseline.
func (c *Condition) Check(keys []string, caches cachesim.Geometry, before *Report) error {
	for _, f := range c.root.figures() {
		if err := f.check(keys, caches, before); err != nil {
			return fault.In(`gate "`+words.Quote(c.text)+`"`, err)
		}
	}
	return nil
}

// Patterns are the patterns of the rows that the condition names.
func (c *Condition) Patterns() []Pattern {
	var all []Pattern
	for _, f := range c.root.figures() {
		for _, p := range Patterns {
			if strings.HasSuffix(f.key, "."+string(p)) {
				all = append(all, p)
			}
		}
	}
	return all
}

// figures are all figures in the term.
func (t *term) figures() []figure {
	switch {
	case t == nil:
		return nil
	case t.op == token.IDENT:
		return []figure{t.figure}
	}
	return append(t.x.figures(), t.y.figures()...)
}

// Eval evaluates the condition over a report; before is the baseline, or nil. A condition with a value that is not finite
// does not hold.
func (c *Condition) Eval(r, before *Report) Gate {
	e := evaluation{now: r, before: before}
	holds := e.holds(c.root)
	g := Gate{Expr: c.text, Holds: holds && e.bad == "", Why: c.root.format(e.suffix)}
	if e.bad != "" {
		g.Why += ": " + e.bad + " is not a number"
	}
	return g
}

// evaluation evaluates a condition over two reports.
type evaluation struct {
	now, before *Report
	bad         string // the first term that is not a finite number
}

func (e *evaluation) holds(t *term) bool {
	switch t.op {
	case token.LPAREN:
		return e.holds(t.x)
	case token.NOT:
		return !e.holds(t.x)
	case token.LAND:
		return e.holds(t.x) && e.holds(t.y)
	case token.LOR:
		return e.holds(t.x) || e.holds(t.y)
	}
	return relates(t.op, e.number(t.x), e.number(t.y))
}

func relates(op token.Token, x, y float64) bool {
	switch op {
	case token.GEQ:
		return x >= y
	case token.LEQ:
		return x <= y
	case token.GTR:
		return x > y
	case token.LSS:
		return x < y
	case token.EQL:
		return x == y
	}
	return x != y
}

func (e *evaluation) number(t *term) float64 {
	v := e.compute(t)
	if e.bad == "" && (math.IsNaN(v) || math.IsInf(v, 0)) {
		e.bad = t.format(func(figure) string { return "" })
	}
	return v
}

func (e *evaluation) compute(t *term) float64 {
	switch {
	case t.op == token.FLOAT:
		return t.value
	case t.op == token.IDENT:
		return e.figure(t.figure)
	case t.op == token.LPAREN:
		return e.number(t.x)
	case t.y == nil:
		return -e.number(t.x)
	}
	x, y := e.number(t.x), e.number(t.y)
	switch t.op {
	case token.ADD:
		return x + y
	case token.SUB:
		return x - y
	case token.MUL:
		return x * y
	}
	return x / y
}

func (e *evaluation) figure(f figure) float64 {
	if f.baseline {
		return f.in(e.before)
	}
	return f.in(e.now)
}

// suffix formats a figure's value: integers exactly, others with four digits.
func (e *evaluation) suffix(f figure) string {
	v := e.figure(f)
	if v == math.Trunc(v) || math.Abs(v) >= 10000 {
		return " " + strconv.FormatFloat(v, 'f', 0, 64)
	}
	return " " + strconv.FormatFloat(v, 'g', 4, 64)
}
