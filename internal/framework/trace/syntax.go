package trace

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
)

// Statement is a step as it is written: an expression, or an assignment of its value to names.
type Statement struct {
	Text    string
	targets []node
	value   node
	// augmented is the operator of x += y, or "=" of x[0] = y
	augmented string
	tuple     bool // q, k = …
	shows     bool // print(x.t()), and x.t() behind a prompt: later statements do not continue from its value
	inScript  bool // another statement of the text follows
}

// maxText limits the text of a step, in bytes.
const maxText = 1 << 14

// Parse parses steps as in Python: x.permute(0, 2, 3, 1)[0].view(-1), y = F.pad(x, (0, 1)) + 1, or several lines of those, also with the
// prompts of a session. print(x.shape) is x.shape. Errors are of class Usage.
//
//	text      = statement { ( ";" | end of line ) statement }
//	statement = import | [ "return" ] { targets "=" } expression | target operator "=" expression
//	expression = unary { operator unary }     with Python's precedence
//	unary     = ( "-" | "+" | "~" ) unary | step [ "**" unary ]
//	step      = [ value ] { "." name | "(" arguments ")" | "[" entries "]" }   without a value: of the tensor of the step before
//	value     = number | name | string | "..." | "(" expressions ")" | "[" expressions "]" | tensor
//	tensor    = "(" sizes ")" ":" ( "(" strides ")" | memory format )
func Parse(text string) ([]Statement, error) {
	if len(text) > maxText {
		return nil, fault.New(fault.Usage, "step of %d bytes is too long: the limit is %d", len(text), maxText)
	}
	isSession := IsSession(text)
	p := &parser{Scanner: scan.Scanner{Text: joinLines(behindPrompts(text))}}
	var all []Statement
	for first := true; first || !p.End(); first = false {
		for !first && p.Take(';') {
		}
		if !first && p.End() {
			break
		}
		if p.skipUnrelated() {
			continue
		}
		s, err := p.statement()
		if err != nil {
			return nil, err
		}
		s.shows = s.shows || isSession && len(s.targets) == 0
		if !s.showsNothing() {
			all = append(all, s)
		}
	}
	for i := range all[:max(len(all), 1)-1] {
		all[i].inScript = true
	}
	return all, nil
}

// IsCode reports whether a text is Python with a call, x.permute(1, 0), or an index or attribute of a variable of one letter, x[0, ::2],
// x.T. The bracket of a call follows a name at once: strides (3, 1) is a print.
func IsCode(text string) bool {
	variable, name, _ := strings.Cut(text, ".")
	if isSmallLetter(variable) && isAttribute(name) {
		return true
	}
	word := text[:strings.IndexAny(text+"(", "([{ \t\n")]
	isPath := strings.Contains(word, "/")
	if isPath {
		return false
	}
	called := false
	for at := 1; at < len(text); at++ {
		before := text[at-1]
		switch text[at] {
		case '(':
			called = called || scan.IsLetter(before) || scan.IsDigit(before)
		case '[':
			isAlone := at == 1 || !scan.IsLetter(text[at-2])
			called = called || isAlone && isSmallLetter(text[at-1:at])
		}
	}
	if !called {
		return false
	}
	_, err := Parse(text)
	return err == nil
}

func isAttribute(name string) bool {
	return queries[name] != nil || slices.Contains([]string{"T", "mT", "H", "mH"}, name)
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
			if n := closing(text[i+1:], out[i]); n >= 0 {
				i += n + 1
			}
		case '#':
			for i < len(out) && out[i] != '\n' {
				out[i] = ' '
				i++
			}
			i--
		case '\\':
			if i+1 < len(out) && out[i+1] == '\n' {
				copy(out[i:], "  ")
				i++
			}
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

// closing returns where the quote that closes a string stands, -1 if none does; \" and \\ are escapes.
func closing(text string, quote byte) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case quote:
			return i
		case '\\':
			i++
		}
	}
	return -1
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
		isChain := len(s.targets) > 0 && !s.tuple && !comma // a = b = x
		if !isChain {
			s.targets = nil
		}
		s.targets = append(s.targets, items...)
		s.tuple = comma
	}
	s.Text = tidy(p.Text[start:p.At])
	if s.value.isPrint() {
		s.shows = true
		s.value = s.value.shown()
		s.Text = s.value.text
		return s, p.ended()
	}
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
	return s, p.ended()
}

// ended returns an error if the statement goes on.
func (p *parser) ended() error {
	if p.End() || p.Next() == ';' {
		return nil
	}
	return p.stray()
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
