package threads

import (
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/text"
)

// maxNested is how deep the brackets of an expression nest.
const maxNested = 32

// expression is one of integers and names as Python prints it, with + - * // % and brackets.
type expression struct {
	scan.Scanner
	names map[string]int
	depth int
	err   error
}

// evaluate returns the value of an expression for these names.
func evaluate(s string, names map[string]int) (int, error) {
	e := &expression{Scanner: scan.Scanner{Text: s}, names: names}
	n := e.sum()
	if e.err == nil && !e.End() {
		e.fail()
	}
	return n, e.err
}

func (e *expression) fail() {
	if e.err == nil {
		e.err = fault.New(fault.Unsupported, "%s: expected integers, names, + - * // %% and brackets, found %s", text.Quoted(text.Cut(e.Text, 60)),
			text.Quoted(text.Cut(e.Rest(), 20)))
	}
}

func (e *expression) sum() int {
	n := e.product()
	for e.err == nil {
		switch e.Next() {
		case '+':
			e.At++
			n += e.product()
		case '-':
			e.At++
			n -= e.product()
		default:
			return n
		}
	}
	return 0
}

func (e *expression) product() int {
	n := e.operand()
	for e.err == nil {
		switch e.Next() {
		case '*':
			e.At++
			n *= e.operand()
		case '%':
			e.At++
			by := e.divisor()
			n = ((n % by) + by) % by
		case '/':
			e.At++
			if !e.Take('/') {
				e.fail()
				return 0
			}
			by := e.divisor()
			n = (n - ((n%by)+by)%by) / by // rounded down, as Python's
		default:
			return n
		}
	}
	return 0
}

// divisor reads an operand that is positive; 1 if it is not.
func (e *expression) divisor() int {
	n := e.operand()
	if n < 1 {
		e.fail()
		return 1
	}
	return n
}

func (e *expression) operand() int {
	if e.Take('(') {
		e.depth++
		if e.depth > maxNested {
			e.fail()
			return 0
		}
		n := e.sum()
		e.depth--
		if !e.Take(')') {
			e.fail()
		}
		return n
	}
	if name := e.Name(); name != "" {
		n, ok := e.names[name]
		if !ok {
			e.fail()
		}
		return n
	}
	n, err := strconv.ParseInt(e.Integer(), 10, 32)
	if err != nil {
		e.fail()
	}
	return int(n)
}
