package bench

import (
	"go/token"
	"math"
	"strconv"
)

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
