// Package gate is conditions on the figures of a report, which decide the exit code: bench --require and graph --require.
package gate

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/text"
)

// Gate is a condition, with its result.
type Gate struct {
	Expr  string `json:"expr"` // the condition
	Holds bool   `json:"ok"`
	Why   string `json:"why" jsonschema:"the condition with a value after each name"`
}

// Condition is a parsed gate: FIGURE OP NUMBER, or FIGURE OP [NUMBER *] FIGURE. A number may have a unit of bytes, as in 64MiB.
type Condition struct {
	text, left, op, number, right string  // figures are named as in rows; number or right is "" if there is none
	factor                        float64 // the number, or 1
}

// gateForm matches the longest valid prefix of a gate. Its groups are the left figure, the operator, a number, the * and figure that follow
// it, and the figure of a gate without a number.
var gateForm = lazy.Regexp(`^\s*(?:(` + figure + `)\s*(?:([<>=!]=|[<>])\s*(?:(` + number + `)\s*(\*\s*(` + figure + `)?\s*)?|(` + figure + `)\s*)?)?)?`)

const (
	figure = `[\pL_][\pL\pN_.]*`
	number = `(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,2})?(?:[KMGT]iB)?`
)

// Parse parses a gate; names returns the name of a layout in rows for any spelling. It fails with Usage, the column and an example of a gate if
// the text is not one.
func Parse(expr string, names func(layout string) string, example string) (*Condition, error) {
	part := gateForm.Get().FindStringSubmatch(expr)
	left := part[1]
	op := part[2]
	number := part[3]
	product := part[4]
	right := part[5] + part[6]
	compared := right != "" || number != "" && product == "" // with a figure, or with a number that multiplies none
	if rest := expr[len(part[0]):]; rest != "" || !compared {
		err := fault.New(fault.Usage, "unexpected %s", text.Quoted(rest))
		if rest == "" {
			err.Text = "unexpected end"
		}
		column := strconv.Itoa(utf8.RuneCountInString(part[0]) + 1)
		return nil, fault.In(`gate "`+text.Quote(expr)+`", column `+column, err.WithHint("a gate is FIGURE OP NUMBER or FIGURE OP [NUMBER *] FIGURE, "+
			"as in %s; --require may be repeated", example))
	}
	factor, _ := text.ParseBytes(cmp.Or(number, "1")) // infinite if it has too many digits
	return &Condition{expr, canonical(left, names), op, number, canonical(right, names), factor}, nil
}

// canonical returns a figure's name with its layouts as named in rows.
func canonical(figure string, names func(layout string) string) string {
	path := strings.Split(figure, ".")
	path[0] = names(path[0])
	if len(path) > 2 && path[1] == "to" {
		path[2] = names(path[2])
	}
	return strings.Join(path, ".")
}

// Check fails with Usage and a hint if the condition names a figure that the report to come will lack. It runs before the measurement.
func (c *Condition) Check(figures []string, hint string) error {
	known := slices.Sorted(slices.Values(figures)) // of equally near ones, take the first
	for _, name := range []string{c.left, c.right} {
		if name == "" || slices.Contains(known, name) {
			continue
		}
		err := fault.New(fault.Usage, "no figure %s", text.Quote(name)).
			WithHint("%s", hint)
		if near := text.Nearest(name, known); near != "" {
			err = err.WithHint("did you mean %s?", text.Quote(near))
		}
		return fault.In(`gate "`+text.Quote(c.text)+`"`, err)
	}
	return nil
}

// Eval evaluates the condition over a report's figures. A condition is false if one of its figures is missing.
func (c *Condition) Eval(values map[string]float64) Gate {
	valueOf := func(name string) float64 {
		if v, ok := values[name]; ok {
			return v
		}
		return math.NaN()
	}
	x, y := valueOf(c.left), c.factor
	if c.right != "" {
		y *= valueOf(c.right)
	}
	holds := map[string]bool{">=": x >= y, "<=": x <= y, ">": x > y, "<": x < y, "==": x == y, "!=": x < y || x > y}[c.op]
	return Gate{Expr: c.text, Holds: holds, Why: c.format(func(name string) string { return name + " " + digits(valueOf(name)) })}
}

// format writes the condition in the syntax of Parse, with figures renamed by figure.
func (c *Condition) format(figure func(name string) string) string {
	right := c.number
	if c.right != "" {
		right = strings.TrimPrefix(c.number+" * "+figure(c.right), " * ")
	}
	return figure(c.left) + " " + c.op + " " + right
}

// digits prints integers exactly, other numbers with four digits.
func digits(v float64) string {
	if v == math.Trunc(v) || math.Abs(v) >= 10000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
