package trace

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/text"
)

// atom reads a value; nothing before a dot or an index at the start of a statement, which stands for the tensor.
func (p *parser) atom() (node, error) {
	c := p.Next()
	start := p.At
	atStart := p.Depth() == 0 && p.atStatement()
	if atStart && p.isStep(c) {
		return node{kind: current}, nil
	}
	if strings.HasPrefix(p.Rest(), "...") {
		p.At += len("...")
		return node{kind: literal, value: Arg{Kind: Ellipsis}, text: "..."}, nil
	}
	if c == '(' || c == '[' {
		closing := map[byte]byte{'(': ')', '[': ']'}[c]
		return p.list(closing)
	}
	isFormatted := c == 'f' && strings.ContainsRune(`"'`, rune(p.second()))
	if isFormatted {
		p.At++
		c = p.Next()
	}
	if c == '"' || c == '\'' {
		v, err := p.quoted(c)
		return node{kind: literal, value: v, text: tidy(p.Text[start:p.At])}, err
	}
	if c == '.' || scan.IsDigit(c) {
		v, err := p.number()
		return node{kind: literal, value: v, text: tidy(p.Text[start:p.At])}, err
	}
	if scan.IsLetter(c) {
		name := p.Name()
		if slices.Contains(reserved, name) {
			return node{}, p.wrong(`: "%s" is not followed`, name).WithHint("write the expression that is computed, without %s", name)
		}
		return node{kind: named, name: name, text: name}, nil
	}
	if atStart {
		return node{}, p.noStep()
	}
	return node{}, p.expected("a value")
}

// isStep reports whether a dot or an index of the tensor comes next, and not 0.5, an ellipsis, or a list that is assigned: y = [x, x.t()].
func (p *parser) isStep(next byte) bool {
	switch next {
	case '[':
		return !strings.HasSuffix(strings.TrimRight(p.Text[:p.At], " \t"), "=")
	case '.':
		return !strings.HasPrefix(p.Rest(), "...") && !scan.IsDigit(p.second())
	}
	return false
}

// reserved are Python's words that no expression of steps has.
var reserved = []string{"if", "else", "for", "in", "is", "not", "and", "or", "lambda", "def", "class", "with", "while", "import", "from", "assert",
	"del", "raise", "try", "yield", "await", "async"}

// second returns the byte after the next one.
func (p *parser) second() byte { return (p.Rest() + "  ")[1] }

// atStatement reports whether a statement begins here.
func (p *parser) atStatement() bool {
	before := strings.TrimRight(p.Text[:p.At], " \t")
	return before == "" || before[len(before)-1] == ';' || strings.HasSuffix(before, "=") && !strings.HasSuffix(before, "==") ||
		before == "return"
}

// list reads a tuple or a list. Brackets around a single value without a comma only group: (2) is 2, (2,) a tuple.
func (p *parser) list(closing byte) (node, error) {
	start := p.At
	p.At++
	n := node{kind: listed}
	slicing := p.slicing
	p.slicing = false
	comma, err := p.List(closing, func() error {
		item, err := p.item()
		n.of = append(n.of, item)
		return err
	}, p.unlisted)
	if err != nil {
		return n, err
	}
	p.slicing = slicing
	n.text = tidy(p.Text[start:p.At])
	if closing == ')' && len(n.of) == 1 && !comma {
		n = n.of[0]
	}
	if closing == ']' {
		return n, nil
	}
	return p.tensorLiteral(n, start)
}

// item reads an expression, or *expression.
func (p *parser) item() (node, error) {
	p.Skip()
	start := p.At
	if p.Next() == '*' && p.second() != '*' {
		p.At++
		of, err := p.expression()
		return node{kind: starred, of: []node{of}, text: tidy(p.Text[start:p.At])}, err
	}
	n, err := p.expression()
	n.whole = tidy(p.Text[start:p.At])
	return n, err
}

// tensorLiteral reads the strides or the memory format behind a shape in brackets: (2,3):(3,1).
func (p *parser) tensorLiteral(shape node, start int) (node, error) {
	colon := p.At
	if p.slicing || !p.Take(':') {
		return shape, nil
	}
	next := p.Next()
	if next != '(' && !scan.IsLetter(next) {
		p.At = colon
		return shape, nil
	}
	p.slicing = true // no tensor behind the strides
	layout, err := p.postfix()
	p.slicing = false
	if err != nil {
		return shape, err
	}
	isTensor := shape.constant().isIntList() && (layout.constant().Kind == Word || layout.constant().isIntList())
	if !isTensor {
		return shape, p.wrong(": %s:%s is not a tensor", shape.text, layout.text).WithHint("write a shape and strides: (2,3):(3,1), (64,):(1,)")
	}
	return node{kind: literal, value: Arg{Kind: Tensor, List: []Arg{shape.constant(), layout.constant()}}, text: tidy(p.Text[start:p.At])}, nil
}

// isConstant reports whether a value has no names.
func (n node) isConstant() bool {
	if n.kind == listed {
		return !slices.ContainsFunc(n.of, func(item node) bool { return !item.isConstant() })
	}
	return n.kind == literal
}

// constant returns the value of literals, of lists of those, and of a name as a word: torch.channels_last.
func (n node) constant() Arg {
	switch n.kind {
	case literal:
		return n.value
	case named, attribute:
		return Arg{Kind: Word, Word: n.name}
	case listed:
		v := Arg{Kind: List}
		for _, item := range n.of {
			v.List = append(v.List, item.constant())
		}
		return v
	}
	return Arg{Kind: None}
}

// tidy makes a text one line, safe to print.
func tidy(s string) string { return text.Quote(strings.Join(strings.Fields(s), " ")) }

// number reads a number without a sign.
func (p *parser) number() (Arg, error) {
	start := p.At
	body := p.While(func(c byte) bool { return scan.IsDigit(c) || scan.IsLetter(c) || c == '.' })
	isExponent := strings.HasSuffix(body, "e") && !strings.HasPrefix(body, "0x")
	if next := p.Rest() + " "; isExponent && (next[0] == '-' || next[0] == '+') { // 1e-3
		p.At++
		p.While(scan.IsDigit)
	}
	digits := strings.ReplaceAll(p.Text[start:p.At], "_", "")
	n, err := strconv.ParseInt(digits, 0, strconv.IntSize)
	if err == nil {
		return Arg{Kind: Int, Int: int(n)}, nil
	}
	if isRange(err) {
		return Arg{}, p.wrong(": %s is out of range", digits)
	}
	if _, real := strconv.ParseFloat(digits, 64); real == nil {
		return Arg{Kind: Number, Word: digits}, nil
	}
	return Arg{}, p.wrong(": %s is not an integer", text.Quoted(digits)).WithHint("sizes, dims and offsets are integers: view(3, 4)")
}
