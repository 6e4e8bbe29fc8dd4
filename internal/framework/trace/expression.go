package trace

import (
	"slices"
	"strings"
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
