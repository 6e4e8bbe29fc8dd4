package trace

import (
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
)

// modules are how functions of each framework are called.
var modules = map[Rules]string{PyTorch: "torch", NumPy: "np"}

// function reads a step that is written as a function of the tensor, whose name is a single small letter: np.flip(x, 0),
// np.lib.stride_tricks.as_strided(x, …). It returns none where a method or an index is next.
func (p *parser) function() ([]Call, error) {
	p.next()
	start := p.at
	module := p.word()
	if prefixes[module] == "" || p.next() != '.' {
		p.at = start
		return nil, nil
	}
	c := Call{Of: prefixes[module]}
	for p.take('.') {
		c.Name = p.word()
	}
	if c.Name == "" || p.next() != '(' {
		return nil, p.wrong(" names no function of a tensor").WithHint("functions look like %s.transpose(x, …), steps like transpose(…)", module)
	}
	p.open(')')
	if err := p.tensorArgument(start, c.Name); err != nil {
		return nil, err
	}
	if err := p.argumentsIn(&c); err != nil {
		return nil, err
	}
	c.Text = tidy(p.text[start:p.at])
	return []Call{c}, nil
}

// tensorArgument reads the tensor in front of the other arguments of a function that begins at start. A tensor that is
// computed must be a step of its own.
func (p *parser) tensorArgument(start int, name string) error {
	p.next()
	at := p.at
	if isSmallLetter(p.word()) && (p.take(',') || p.next() == ')') {
		return nil
	}
	p.at = at
	if hint, ok := unfollowed[name]; ok {
		return fault.New(fault.Usage, "trace does not follow %s", quote(name)).WithHint("%s", hint)
	}
	inner := p.expression(at)
	if !strings.ContainsAny(inner, ".([") || !isLetter(p.next()) {
		head := tidy(p.text[start:at])
		return p.wrong(" lacks the tensor, a single small letter, as its first argument").WithHint("%sx, …), or %s(…) alone", head, name)
	}
	rest := strings.TrimPrefix(p.text[at+len(inner):], ",")
	chain := tidy(strings.TrimSpace(inner) + "." + name + "(" + strings.TrimSpace(rest))
	if _, err := ParseChain(chain); err != nil {
		chain = "x.permute(0,2,1)." + name + "(…)"
	}
	return p.wrong(" computes the tensor inside of %s", name).WithHint("write a chain, what is inside first: %s", clip(chain))
}
