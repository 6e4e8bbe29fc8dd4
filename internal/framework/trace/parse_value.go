package trace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/text"
)

// parser reads a text from start to end.
type parser struct{ scan.Scanner }

// wrong returns an error about the text; format continues the sentence after it.
func (p *parser) wrong(format string, args ...any) *fault.Error {
	return fault.New(fault.Usage, `step "%s"%s`, clip(tidy(p.Text)), fmt.Sprintf(format, args...))
}

// expected returns the error that something else should be next.
func (p *parser) expected(what string) *fault.Error {
	if p.End() {
		return p.unclosed()
	}
	found := p.Char()
	e := p.wrong(`: expected %s, found "%s" after "%s"`, what, text.Quote(found), tail(tidy(p.Text[:p.At])))
	if strings.Contains("*/%+-<>=", found) {
		return e.WithHint("expressions are not evaluated: write the number")
	}
	if found == ":" {
		return e.WithHint("write slices in an index: [1:3]")
	}
	return e
}

func (p *parser) unlisted(closing byte) error { return p.expected(`"," or "` + string(closing) + `"`) }

// unclosed returns the error that brackets are missing at the end.
func (p *parser) unclosed() *fault.Error {
	whole := tidy(p.Text) + p.Closing()
	return p.wrong(` lacks the closing "%s"`, p.Closing()).WithHint("%s, quoted for the shell", text.Shell(clip(whole)))
}

// stray refuses text between two steps.
func (p *parser) stray() *fault.Error {
	if c := p.Next(); c == ')' || c == ']' {
		return p.wrong(` has an extra "%c"`, c)
	}
	return p.expected(`"." or "["`)
}

// noStep returns the error for text that cannot start a step.
func (p *parser) noStep() *fault.Error {
	rest := clip(tidy(p.Rest()))
	c := p.Next()
	if strings.TrimSpace(p.Text) == "" {
		return fault.New(fault.Usage, "empty step").WithHint("steps look like view(12), T or [0]")
	}
	if p.End() {
		return p.wrong(" ends after a dot")
	}
	if strings.ContainsRune(rest, ':') && !strings.ContainsAny(rest, "[(])") {
		return p.wrong(" is not a step").WithHint("write an index in brackets: %s", text.Shell("["+rest+"]"))
	}
	if c == '(' || c == '-' || scan.IsDigit(c) {
		inner := strings.Trim(rest, "()")
		return p.wrong(" does not start with a name").
			WithHint("write %s, or %s for an index",
				text.Shell("view("+inner+")"), text.Shell("["+inner+"]"))
	}
	return p.wrong(" does not start with a name or [").WithHint("steps look like view(12), T or [0]")
}

// clip cuts the end of a long text.
func clip(s string) string { return text.Cut(s, 60) }

// tail cuts the start of a long text.
func tail(s string) string {
	if r := []rune(s); len(r) > 30 {
		return "…" + string(r[len(r)-29:])
	}
	return s
}

// prefixes are the modules that a name may start with; F is torch.nn.functional.
var prefixes = map[string]Rules{"torch": PyTorch, "F": PyTorch, "np": NumPy, "numpy": NumPy}

func (p *parser) value() (Arg, error) {
	c := p.Next()
	if strings.HasPrefix(p.Rest(), "...") {
		p.At += len("...")
		return Arg{Kind: Ellipsis}, nil
	}
	switch c {
	case '(':
		return p.list(')')
	case '[':
		return p.list(']')
	case '"', '\'':
		return p.quoted(c)
	case '-', '+', '.':
		return p.number()
	}
	if scan.IsDigit(c) {
		return p.number()
	}
	if scan.IsLetter(c) {
		return p.name()
	}
	return Arg{}, p.expected("an integer")
}

// operand reads the value of an argument: a value, or a tensor as its shape and strides, (2,3):(3,1), or memory format.
func (p *parser) operand() (Arg, error) {
	opening := p.Next()
	shape, err := p.value()
	colon := p.At
	if err != nil || opening != '(' || !p.Take(':') {
		return shape, err
	}
	if next := p.Next(); next != '(' && !scan.IsLetter(next) {
		p.At = colon
		return shape, nil
	}
	layout, err := p.value()
	isTensor := shape.isIntList() && (layout.Kind == Word || layout.isIntList())
	if err == nil && !isTensor {
		err = p.wrong(": %s:%s is not a tensor", shape, layout).WithHint("write a shape and strides: (2,3):(3,1), (64,):(1,)")
	}
	return Arg{Kind: Tensor, List: []Arg{shape, layout}}, err
}

// list reads a tuple or a list. Brackets around a single value without a comma only group: (2) is 2, (2,) a tuple.
func (p *parser) list(closing byte) (Arg, error) {
	p.At++ // the opening bracket
	list := Arg{Kind: List}
	comma, err := p.List(closing, func() error {
		v, err := p.operand()
		list.List = append(list.List, v)
		return err
	}, p.unlisted)
	if err != nil {
		return Arg{}, err
	}
	if closing == ')' && len(list.List) == 1 && !comma {
		return list.List[0], nil
	}
	return list, nil
}

func (p *parser) number() (Arg, error) {
	start := p.At
	if p.Take('-') || p.Take('+') {
		p.Skip()
	}
	body := p.While(func(c byte) bool { return scan.IsDigit(c) || scan.IsLetter(c) || c == '.' })
	if strings.HasSuffix(body, "e") && strings.HasPrefix(p.Rest(), "-") { // 1e-3
		p.At++
		p.While(scan.IsDigit)
	}
	digits := strings.Join(strings.Fields(p.Text[start:p.At]), "")
	n, err := strconv.Atoi(digits)
	if _, real := strconv.ParseFloat(digits, 64); errors.Is(err, strconv.ErrSyntax) && real == nil {
		return Arg{Kind: Number, Word: digits}, nil
	}
	if errors.Is(err, strconv.ErrRange) {
		return Arg{}, p.wrong(": %s is out of range", digits)
	}
	if err != nil {
		return Arg{}, p.wrong(": %s is not an integer", text.Quoted(digits)).
			WithHint("sizes, dims and offsets are integers: view(3, 4)")
	}
	return Arg{Kind: Int, Int: n}, nil
}

// name reads a word: channels_last, torch.channels_last, True, None, np.newaxis.
func (p *parser) name() (Arg, error) {
	start := p.At
	word := p.Name()
	if prefixes[word] != "" && p.Take('.') {
		word = p.Name()
	}
	next := p.Next()
	isExpression := next == '.' || next == '(' || next == '['
	if word == "" || isExpression {
		return Arg{}, p.wrong(": the value of %s is unknown", clip(tidy(p.expression(start)))).
			WithHint("write the number: view(2, -1) for view(x.size(0), -1)")
	}
	switch word {
	case "None", "newaxis":
		return Arg{Kind: None}, nil
	case "Ellipsis":
		return Arg{Kind: Ellipsis}, nil
	}
	return Arg{Kind: Word, Word: word}, nil
}

// expression returns the text of the argument at start: up to a comma or bracket at its own level.
func (p *parser) expression(start int) string {
	depth := 0
	for i, c := range p.Text[start:] {
		if depth == 0 && strings.ContainsRune(",)]", c) {
			return p.Text[start : start+i]
		}
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		}
	}
	return p.Text[start:]
}

// quoted reads a string, as order='C' has it.
func (p *parser) quoted(quote byte) (Arg, error) {
	word, _, closed := strings.Cut(p.Text[p.At+1:], string(quote))
	if !closed {
		return Arg{}, p.wrong(` lacks the closing %c of a string`, quote)
	}
	if strings.Contains(word, `\`) || text.Quote(word) != word {
		return Arg{}, p.wrong(" has an unsupported string with escapes, %s", text.Quoted(word)).WithHint("write a plain word: order='C'")
	}
	p.At += len(word) + 2
	return Arg{Kind: Word, Word: word}, nil
}
