package trace

import (
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// maxText bounds what is read as steps, in bytes.
const maxText = 4096

// ParseChain reads steps as they follow each other in Python: x.permute(0, 2, 3, 1)[0].view(-1). Blanks may stand
// anywhere between words. Errors are of class Usage.
//
//	chain   = ( [ letter ] step | function ) { step }   the first dot may be left out
//	function = module "." name "(" letter [ "," arguments ] ")"
//	step    = "." name [ "(" arguments ")" ] | "[" entries "]"
//	entry   = value | [ bound ] ":" [ bound ] [ ":" [ bound ] ]
//	value   = number | word | string | "..." | "(" values ")" | "[" values "]"
//
// Post: of one step c, ParseChain(c.String()) gives c again, but for its Text.
func ParseChain(text string) ([]Call, error) {
	p := &parser{text: text}
	if len(text) > maxText {
		return nil, fault.New(fault.Usage, "a step of %d bytes is too long: at most %d are read", len(text), maxText)
	}
	calls, err := p.function()
	if err != nil {
		return nil, err
	}
	if err := p.tensorName(len(calls) > 0); err != nil {
		return nil, err
	}
	for len(calls) == 0 || !p.end() {
		c, err := p.step(len(calls) == 0)
		if err != nil {
			return nil, err
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// tensorName goes past the tensor's name at the beginning, a single small letter: x.view(12), x[0].
// Behind a function there is none.
func (p *parser) tensorName(named bool) error {
	if named {
		return nil
	}
	name := p.word()
	switch next := p.next(); {
	case isSmallLetter(name) && (next == '.' || next == '['): // a step follows
	case isSmallLetter(name) && name != "t" && p.end():
		return p.wrong(" only names the tensor").WithHint("a step goes with it: %s.view(12), or view(12) alone", name)
	default:
		p.at = 0
	}
	return nil
}

// isSmallLetter reports what a tensor may be called. Of the steps only PyTorch's t is called so.
func isSmallLetter(name string) bool { return len(name) == 1 && name >= "a" }

func (p *parser) step(first bool) (Call, error) {
	if p.next() == '[' {
		return p.index()
	}
	if !p.take('.') && !first {
		return Call{}, p.stray()
	}
	p.next()
	start := p.at
	c := Call{Name: p.word()}
	switch {
	case c.Name == "":
		return Call{}, p.noStep()
	case isSmallLetter(c.Name) && c.Name != "t":
		return Call{}, p.wrong(" has %s where a step should stand", c.Name).WithHint("steps look like view(12), T or [0]")
	}
	if p.next() == '(' {
		if err := p.arguments(&c); err != nil {
			return Call{}, err
		}
	}
	c.Text = tidy(p.text[start:p.at])
	return c, nil
}

// arguments reads what stands between the brackets of a call.
func (p *parser) arguments(c *Call) error {
	p.open(')')
	return p.argumentsIn(c)
}

// argumentsIn reads on inside the brackets.
func (p *parser) argumentsIn(c *Call) error {
	for !p.take(')') {
		if err := p.argument(c); err != nil {
			return err
		}
		if !p.take(',') && p.next() != ')' {
			return p.expected(`"," or ")"`)
		}
	}
	p.close()
	return nil
}

func (p *parser) argument(c *Call) error {
	start := p.at
	name := p.word()
	if name == "" || !p.take('=') {
		if p.at = start; c.Keywords != nil {
			return p.expected("name=value, as behind every keyword")
		}
		v, err := p.value()
		c.Args = append(c.Args, v)
		return err
	}
	if _, twice := c.Keywords[name]; twice {
		return p.wrong(" says %s= twice", name)
	}
	v, err := p.value()
	if c.Keywords == nil {
		c.Keywords = map[string]Arg{}
	}
	c.Keywords[name] = v
	return err
}

// tidy makes one line of a text, safe to print.
func tidy(text string) string { return words.Quote(strings.Join(strings.Fields(text), " ")) }
