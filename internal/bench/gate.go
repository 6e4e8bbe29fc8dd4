package bench

import (
	"go/token"
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
