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

// Gate is a condition that a report must meet, and whether it did.
type Gate struct {
	Expr  string `json:"expr"`
	Holds bool   `json:"holds"`
	Why   string `json:"why"` // the condition with the values beside the names
}

// Condition is a gate that was read. Its expression is one of Go: comparisons of sums, products and so on of numbers
// and figures, joined by &&, || and !.
type Condition struct {
	text string
	root *term
}

// term is a figure, a number, or an operator over one or two terms.
type term struct {
	op     token.Token // IDENT: figure; FLOAT: number; LPAREN: x in parentheses; or the operator
	x, y   *term       // y is nil where op is LPAREN, NOT or a sign
	figure figure
	number string // as it was written
	value  float64
}

// format writes the term, with something behind each figure.
func (t *term) format(behind func(figure) string) string {
	switch {
	case t.op == token.IDENT:
		return t.figure.String() + behind(t.figure)
	case t.op == token.FLOAT:
		return t.number
	case t.op == token.LPAREN:
		return "(" + t.x.format(behind) + ")"
	case t.y == nil:
		operand := t.x.format(behind)
		if strings.HasPrefix(operand, "-") {
			operand = " " + operand // -- is another operator
		}
		return t.op.String() + operand
	}
	return t.x.format(behind) + " " + t.op.String() + " " + t.y.format(behind)
}

// Check fails with Usage where the condition names a row that will not be measured, a cache that the model does not have,
// or what the baseline does not have. It is asked before measuring: keys are those of the rows to come, and before is nil
// where there is no baseline.
func (c *Condition) Check(keys []string, caches cachesim.Geometry, before *Report) error {
	for _, f := range c.root.figures() {
		if err := f.check(keys, caches, before); err != nil {
			return fault.In(`gate "`+words.Quote(c.text)+`"`, err)
		}
	}
	return nil
}

// Patterns are those of the rows that the condition names.
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

// figures are all that the term is made of.
func (t *term) figures() []figure {
	switch {
	case t == nil:
		return nil
	case t.op == token.IDENT:
		return []figure{t.figure}
	}
	return append(t.x.figures(), t.y.figures()...)
}

// Eval says whether a report meets the condition; before is the baseline, or nil. What is not a finite number never
// holds.
func (c *Condition) Eval(r, before *Report) Gate {
	e := evaluation{now: r, before: before}
	holds := e.holds(c.root)
	g := Gate{Expr: c.text, Holds: holds && e.bad == "", Why: c.root.format(e.behind)}
	if e.bad != "" {
		g.Why += ": " + e.bad + " is not a number"
	}
	return g
}

// evaluation is that of a condition over two reports.
type evaluation struct {
	now, before *Report
	bad         string // the first term that was not a finite number
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

// behind writes a figure's value: whole numbers as they are, others with four digits.
func (e *evaluation) behind(f figure) string {
	v := e.figure(f)
	if v == math.Trunc(v) || math.Abs(v) >= 10000 {
		return " " + strconv.FormatFloat(v, 'f', 0, 64)
	}
	return " " + strconv.FormatFloat(v, 'g', 4, 64)
}
