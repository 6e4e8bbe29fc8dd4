package trace

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// parser reads a text from start to end.
type parser struct {
	text    string
	at      int    // of the next byte
	closing []byte // the closing brackets that are due, outermost first
}

// next skips blanks and returns the next byte; 0 at the end.
func (p *parser) next() byte {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) end() bool { return p.next() == 0 && p.at == len(p.text) }

// take skips the next byte if it is c.
func (p *parser) take(c byte) bool {
	if p.end() || p.next() != c {
		return false
	}
	p.at++
	return true
}

// word reads a name; "" if none is next.
func (p *parser) word() string {
	p.next()
	start := p.at
	for p.at < len(p.text) && (isLetter(p.text[p.at]) || p.at > start && isDigit(p.text[p.at])) {
		p.at++
	}
	return p.text[start:p.at]
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// open skips an opening bracket.
func (p *parser) open(closing byte) {
	p.at++
	p.closing = append(p.closing, closing)
}

// close pops the innermost bracket, which has been skipped.
func (p *parser) close() { p.closing = p.closing[:len(p.closing)-1] }

// wrong is the error of a text; format continues the sentence that starts with it.
func (p *parser) wrong(format string, args ...any) *fault.Error {
	return fault.New(fault.Usage, `step "%s"%s`, clip(tidy(p.text)), fmt.Sprintf(format, args...))
}

// expected says what should be next.
func (p *parser) expected(what string) *fault.Error {
	if p.end() {
		return p.unclosed()
	}
	r, n := utf8.DecodeRuneInString(p.text[p.at:])
	found := words.Quote(p.text[p.at : p.at+n])
	e := p.wrong(`: expected %s, found "%s" after "%s"`, what, found, tail(tidy(p.text[:p.at])))
	if strings.ContainsRune("*/%+-<>=", r) {
		return e.WithHint("expressions are not evaluated: write the number")
	}
	if r == ':' {
		return e.WithHint("write slices in an index: [1:3]")
	}
	return e
}

// unclosed names the brackets that are missing at the end.
func (p *parser) unclosed() *fault.Error {
	missing := slices.Clone(p.closing)
	slices.Reverse(missing)
	whole := tidy(p.text) + string(missing)
	return p.wrong(` lacks the closing "%s"`, missing).WithHint("%s, quoted for the shell", words.Shell(clip(whole)))
}

// stray refuses text between two steps.
func (p *parser) stray() *fault.Error {
	if c := p.next(); c == ')' || c == ']' {
		return p.wrong(` has an extra "%c"`, c)
	}
	return p.expected(`"." or "["`)
}

// noStep refuses text that cannot start a step.
func (p *parser) noStep() *fault.Error {
	rest := clip(tidy(p.text[p.at:]))
	switch c := p.next(); {
	case strings.TrimSpace(p.text) == "":
		return fault.New(fault.Usage, "empty step").WithHint("steps look like view(12), T or [0]")
	case p.end():
		return p.wrong(" ends after a dot")
	case strings.ContainsRune(rest, ':') && !strings.ContainsAny(rest, "[(])"):
		return p.wrong(" is not a step").WithHint("write an index in brackets: %s", words.Shell("["+rest+"]"))
	case c == '(' || c == '-' || isDigit(c):
		inner := strings.Trim(rest, "()")
		return p.wrong(" does not start with a name").
			WithHint("write %s, or %s for an index",
				words.Shell("view("+inner+")"), words.Shell("["+inner+"]"))
	}
	return p.wrong(" does not start with a name or [").WithHint("steps look like view(12), T or [0]")
}

// clip cuts the end of a long text.
func clip(text string) string { return words.Cut(text, 60) }

// tail cuts the start of a long text.
func tail(text string) string {
	if r := []rune(text); len(r) > 30 {
		return "…" + string(r[len(r)-29:])
	}
	return text
}

// prefixes are the modules whose names are read without them.
var prefixes = map[string]Rules{"torch": PyTorch, "np": NumPy, "numpy": NumPy}

func (p *parser) value() (Arg, error) {
	switch c := p.next(); {
	case c == '(':
		return p.list(')')
	case c == '[':
		return p.list(']')
	case c == '"' || c == '\'':
		return p.quoted(c)
	case strings.HasPrefix(p.text[p.at:], "..."):
		p.at += len("...")
		return Arg{Kind: Ellipsis}, nil
	case c == '-' || c == '+' || c == '.' || isDigit(c):
		return p.number()
	case isLetter(c):
		return p.name()
	}
	return Arg{}, p.expected("an integer")
}

// list reads a tuple or a list. Brackets around a single value without a comma are none: (2) is 2, (2,) a tuple.
func (p *parser) list(closing byte) (Arg, error) {
	p.open(closing)
	list, comma := Arg{Kind: List}, false
	for !p.take(closing) {
		v, err := p.value()
		if err != nil {
			return Arg{}, err
		}
		list.List = append(list.List, v)
		if comma = p.take(','); !comma && p.next() != closing {
			return Arg{}, p.expected(`"," or "` + string(closing) + `"`)
		}
	}
	p.close()
	if closing == ')' && len(list.List) == 1 && !comma {
		return list.List[0], nil
	}
	return list, nil
}

func (p *parser) number() (Arg, error) {
	start := p.at
	if c := p.text[p.at]; c == '-' || c == '+' {
		p.at++
		p.next()
	}
	for p.at < len(p.text) && (isDigit(p.text[p.at]) || isLetter(p.text[p.at]) || p.text[p.at] == '.') {
		p.at++
	}
	digits := strings.Join(strings.Fields(p.text[start:p.at]), "")
	n, err := strconv.Atoi(digits)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return Arg{}, p.wrong(": %s is out of range", digits)
	case err != nil:
		return Arg{}, p.wrong(": %s is not an integer", words.Quoted(digits)).
			WithHint("sizes, dims and offsets are integers: view(3, 4)")
	}
	return Arg{Kind: Int, Int: n}, nil
}

// name reads a word: channels_last, torch.channels_last, True, None, np.newaxis.
func (p *parser) name() (Arg, error) {
	start := p.at
	word := p.word()
	if prefixes[word] != "" && p.take('.') {
		word = p.word()
	}
	switch next := p.next(); {
	case word == "" || next == '.' || next == '(' || next == '[':
		return Arg{}, p.wrong(": the value of %s is unknown", clip(tidy(p.expression(start)))).
			WithHint("write the number: view(2, -1) for view(x.size(0), -1)")
	case word == "None" || word == "newaxis":
		return Arg{Kind: None}, nil
	case word == "Ellipsis":
		return Arg{Kind: Ellipsis}, nil
	}
	return Arg{Kind: Word, Word: word}, nil
}

// expression is the text of the argument at start: up to a comma or bracket at its own level.
func (p *parser) expression(start int) string {
	depth := 0
	for i, c := range p.text[start:] {
		switch {
		case c == '(' || c == '[':
			depth++
		case depth == 0 && (c == ',' || c == ')' || c == ']'):
			return p.text[start : start+i]
		case c == ')' || c == ']':
			depth--
		}
	}
	return p.text[start:]
}

// quoted reads a string, as order='C' has it.
func (p *parser) quoted(quote byte) (Arg, error) {
	word, _, closed := strings.Cut(p.text[p.at+1:], string(quote))
	if !closed {
		return Arg{}, p.wrong(` lacks the closing %c of a string`, quote)
	}
	if strings.Contains(word, `\`) || words.Quote(word) != word {
		return Arg{}, p.wrong(" has a string with escapes, %s", words.Quoted(word)).WithHint("write a plain word: order='C'")
	}
	p.at += len(word) + 2
	return Arg{Kind: Word, Word: word}, nil
}
