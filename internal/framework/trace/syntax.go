package trace

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/text"
)

// node is an expression as it is written.
type node struct {
	kind  nodeKind
	text  string   // on one line, safe to print; of an attribute, a call or an index without what stands before it
	whole string   // the same with that, of arguments and operands
	value Arg      // of a literal
	name  string   // of a name, an attribute, or an operator; the arguments of a call as they are written
	of    []node   // what an attribute, a call or an index stands behind; the operands of an operator; the items of a list
	args  []node   // of a call; the entries of an index
	keys  []string // of the last arguments
}

type nodeKind int

const (
	current nodeKind = iota // the tensor that the step before returned
	literal
	named     // a variable, a module, or a step without a tensor before it
	attribute // x.T
	called    // x.view(2), f(x): of is the attribute or the name; keys are the keywords of the last arguments
	indexed   // x[0]
	operator  // -x, x + y
	listed    // (x, y), [x, y]
	sliced    // 1:3: start, stop and step
	starred   // *sizes
)

// Statement is a step as it is written: an expression, or an assignment of its value to names.
type Statement struct {
	Text    string
	targets []node
	value   node
	// augmented is the operator of x += y, or "=" of x[0] = y
	augmented string
	tuple     bool // q, k = …
}

// maxText limits the text of a step, in bytes.
const maxText = 1 << 14

// Parse parses steps as in Python: x.permute(0, 2, 3, 1)[0].view(-1), y = F.pad(x, (0, 1)) + 1, or several lines of those. Errors are of
// class Usage.
//
//	text      = statement { ( ";" | end of line ) statement }
//	statement = [ "return" ] { targets "=" } expression | target operator "=" expression
//	expression = unary { operator unary }     with Python's precedence
//	unary     = ( "-" | "+" | "~" ) unary | step [ "**" unary ]
//	step      = [ value ] { "." name | "(" arguments ")" | "[" entries "]" }   without a value: of the tensor of the step before
//	value     = number | name | string | "..." | "(" expressions ")" | "[" expressions "]" | tensor
//	tensor    = "(" sizes ")" ":" ( "(" strides ")" | memory format )
func Parse(text string) ([]Statement, error) {
	if len(text) > maxText {
		return nil, fault.New(fault.Usage, "step of %d bytes is too long: the limit is %d", len(text), maxText)
	}
	p := &parser{Scanner: scan.Scanner{Text: joinLines(text)}}
	var all []Statement
	for first := true; first || !p.End(); first = false {
		for !first && p.Take(';') {
		}
		if !first && p.End() {
			break
		}
		s, err := p.statement()
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// ParseAll parses several texts as one.
func ParseAll(texts []string) ([]Statement, error) {
	var all []Statement
	for _, t := range texts {
		some, err := Parse(t)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return withParts(all), nil
}

// joinLines replaces ends of lines by blanks inside brackets, and elsewhere by semicolons; comments by blanks. A line that begins with a
// dot continues the one before.
func joinLines(text string) string {
	if !strings.ContainsAny(text, "\n\r#") {
		return text
	}
	out := []byte(text)
	depth := 0
	for i := 0; i < len(out); i++ {
		switch out[i] {
		case '\'', '"':
			if n := strings.IndexByte(string(out[i+1:]), out[i]); n >= 0 {
				i += n + 1
			}
		case '#':
			for i < len(out) && out[i] != '\n' {
				out[i] = ' '
				i++
			}
			i--
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '\n', '\r':
			out[i] = ' '
			if depth <= 0 && endsStatement(string(out[:i]), string(out[i:])) {
				out[i] = ';'
			}
		}
	}
	return string(out)
}

// endsStatement reports whether a statement ends between two texts.
func endsStatement(before, after string) bool {
	after = strings.TrimLeft(after, " \t\r\n")
	before = strings.TrimSpace(before)
	return before != "" && after != "" && after[0] != '.'
}

// statement reads a statement up to its end.
func (p *parser) statement() (Statement, error) {
	p.Next()
	start := p.At
	if p.Name() != "return" || strings.ContainsRune(".=([", rune(p.Next())) {
		p.At = start
	}
	var s Statement
	for {
		items, comma, err := p.expressions()
		if err != nil {
			return s, err
		}
		if op := p.augmented(); op != "" {
			s.targets = items
			s.augmented = op
			s.value, err = p.item()
			if err != nil {
				return s, err
			}
			break
		}
		if !p.assigns() {
			s.value = items[0]
			if comma {
				s.value = node{kind: listed, of: items, text: tidy(p.Text[start:p.At])}
			}
			break
		}
		s.targets = items
		s.tuple = comma
	}
	s.Text = tidy(p.Text[start:p.At])
	if len(s.targets) == 0 && s.value.isConstant() {
		p.At = start
		return s, p.noStep()
	}
	if len(s.targets) == 1 && s.targets[0].kind == indexed && s.augmented == "" {
		s.augmented = "="
	}
	if len(s.targets) == 1 && s.targets[0].kind == listed && s.augmented == "" {
		s.targets = s.targets[0].of
		s.tuple = true
	}
	if p.End() || p.Next() == ';' {
		return s, nil
	}
	return s, p.stray()
}

// expressions reads expressions separated by commas, and reports whether there is a comma.
func (p *parser) expressions() (items []node, comma bool, err error) {
	for {
		item, err := p.item()
		if err != nil {
			return nil, false, err
		}
		items = append(items, item)
		if !p.Take(',') {
			return items, comma, nil
		}
		comma = true
		if next := p.Next(); next == 0 || next == '=' || next == ';' {
			return items, comma, nil
		}
	}
}

// assigns takes the = of an assignment.
func (p *parser) assigns() bool {
	if p.Next() != '=' || strings.HasPrefix(p.Rest(), "==") {
		return false
	}
	p.At++
	return true
}

// augmented takes an operator with a = behind it, and returns it without; "" if there is none.
func (p *parser) augmented() string {
	p.Skip()
	for _, level := range operators[1:] {
		for _, op := range level {
			if strings.HasPrefix(p.Rest(), op+"=") {
				p.At += len(op) + 1
				return op
			}
		}
	}
	return ""
}

// operators are Python's binary operators by precedence, the loosest first. (Operator precedence in Python's reference)
var operators = [][]string{
	{"==", "!=", "<=", ">=", "<", ">"}, {"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%", "@"},
}

// isOperator reports whether the operator comes next, and not a longer one or an assignment.
func (p *parser) isOperator(op string) bool {
	rest := p.Rest()
	if !strings.HasPrefix(rest, op) {
		return false
	}
	next := strings.TrimPrefix(rest, op) + " "
	if strings.HasPrefix(next, "=") { // += is an assignment; <= and == come first
		return false
	}
	doubled := next[0] == op[0] && strings.Contains("*/<>", op)
	return !doubled
}

func (p *parser) expression() (node, error) { return p.binary(0) }

// binary reads operands of the operators of a level, and of tighter ones.
func (p *parser) binary(level int) (node, error) {
	if level == len(operators) {
		return p.unary()
	}
	p.Skip()
	start := p.At
	left, err := p.binary(level + 1)
	for err == nil {
		p.Skip()
		i := slices.IndexFunc(operators[level], p.isOperator)
		if i < 0 {
			return left, nil
		}
		op := operators[level][i]
		p.At += len(op)
		var right node
		left.whole = tidy(p.Text[start : p.At-len(op)])
		p.Skip()
		next := p.At
		right, err = p.binary(level + 1)
		right.whole = tidy(p.Text[next:p.At])
		left = node{kind: operator, name: op, of: []node{left, right}, text: tidy(p.Text[start:p.At])}
	}
	return left, err
}

// unary reads a sign before an operand; a power binds tighter.
func (p *parser) unary() (node, error) {
	sign := p.Next()
	start := p.At
	if strings.IndexByte("-+~", sign) >= 0 {
		p.At++
		of, err := p.unary()
		n := node{kind: operator, name: string(sign), of: []node{of}, text: tidy(p.Text[start:p.At])}
		return n.folded(), err
	}
	of, err := p.postfix()
	if err != nil || p.Next() != '*' || !p.isOperator("**") {
		return of, err
	}
	p.At += len("**")
	exponent, err := p.unary()
	return node{kind: operator, name: "**", of: []node{of, exponent}, text: tidy(p.Text[start:p.At])}, err
}

// folded returns a number with its sign as one.
func (n node) folded() node {
	if len(n.of) != 1 || n.of[0].kind != literal || n.name == "~" {
		return n
	}
	v := n.of[0].value
	switch v.Kind {
	case Int:
		if n.name == "-" {
			v.Int = -v.Int
		}
	case Number:
		v.Word = strings.Replace(n.name+v.Word, "--", "", 1)
	default:
		return n
	}
	return node{kind: literal, value: v, text: n.text}
}

// postfix reads a value and what stands behind it.
func (p *parser) postfix() (node, error) {
	n, err := p.atom()
	for err == nil {
		next := p.Next()
		start := p.At
		isCall := next == '(' && n.kind != literal && n.kind != current
		if next == '(' && !isCall || strings.HasPrefix(p.Rest(), "...") {
			return n, nil
		}
		switch next {
		case '.':
			p.At++
			n, err = p.dotted(n)
		case '(':
			n, err = p.call(n, start)
		case '[':
			n, err = p.index(n, start)
		default:
			return n, nil
		}
	}
	return n, err
}

func (p *parser) dotted(of node) (node, error) {
	p.Next()
	start := p.At
	name := p.Name()
	if name == "" {
		return of, p.noStep()
	}
	return node{kind: attribute, name: name, of: []node{of}, text: tidy(p.Text[start:p.At])}, nil
}

// atom reads a value; nothing before a dot or an index at the start of a statement, which stands for the tensor.
func (p *parser) atom() (node, error) {
	c := p.Next()
	start := p.At
	atStart := p.Depth() == 0 && p.atStatement()
	isStep := c == '[' || c == '.' && !strings.HasPrefix(p.Rest(), "...") && !scan.IsDigit(p.second())
	if atStart && isStep {
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

// call reads the arguments of a call.
func (p *parser) call(of node, start int) (node, error) {
	p.Take('(')
	n := node{kind: called, of: []node{of}}
	slicing := p.slicing
	p.slicing = false
	_, err := p.List(')', func() error { return p.argument(&n) }, p.unlisted)
	p.slicing = slicing
	n.name = tidy(p.Text[start:p.At])
	n.text = of.text + n.name
	return n, err
}

func (p *parser) argument(n *node) error {
	start := p.At
	name := p.Name()
	isKeyword := name != "" && p.assigns()
	if !isKeyword {
		p.At = start
		name = ""
	}
	if !isKeyword && len(n.keys) > 0 {
		return p.expected("name=value after a keyword argument")
	}
	if isKeyword && slices.Contains(n.keys, name) {
		return p.wrong(" repeats %s=", name)
	}
	v, err := p.item()
	n.args = append(n.args, v)
	if isKeyword {
		n.keys = append(n.keys, name)
	}
	return err
}

// index reads the entries of an index. A single tuple is the index itself, as in Python: [(0, 1)] is [0, 1], [()] selects all.
func (p *parser) index(of node, start int) (node, error) {
	p.Take('[')
	tuple := p.Next() == '('
	n := node{kind: indexed, of: []node{of}}
	slicing := p.slicing
	p.slicing = true
	_, err := p.List(']', func() error {
		entry, err := p.entry()
		n.args = append(n.args, entry)
		return err
	}, p.unlisted)
	if err != nil {
		return n, err
	}
	p.slicing = slicing
	if len(n.args) == 0 {
		return n, p.wrong(" has an empty index").WithHint("[0] selects the first index, [:] all, [None] adds a dim")
	}
	if tuple && len(n.args) == 1 && n.args[0].kind == listed {
		n.args = n.args[0].of
	}
	n.text = tidy(p.Text[start:p.At])
	return n, nil
}

// entry reads a value, or a slice, whose bounds may be missing.
func (p *parser) entry() (node, error) {
	p.Next()
	start := p.At
	none := node{kind: literal, value: Arg{Kind: None}}
	var bounds []node
	for {
		bound := none
		if strings.IndexByte(":,]", p.Next()) < 0 {
			var err error
			bound, err = p.expression()
			if err != nil {
				return bound, err
			}
		}
		bounds = append(bounds, bound)
		if len(bounds) == 3 || !p.Take(':') {
			break
		}
	}
	if len(bounds) > 1 {
		bounds = append(bounds, none, none)[:3]
		return node{kind: sliced, of: bounds, text: tidy(p.Text[start:p.At])}, nil
	}
	if p.At == start {
		return none, p.expected("an index")
	}
	return bounds[0], nil
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
