package trace

import (
	"errors"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/words"
)

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
	return Arg{}, p.expected("a whole number")
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
		return Arg{}, p.wrong(" holds %s, which is out of range", digits)
	case err != nil:
		return Arg{}, p.wrong(" holds %s, which is not a whole number", words.Quote(digits)).
			WithHint("sizes, dims and offsets are whole numbers: view(3, 4)")
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
		return Arg{}, p.wrong(" uses %s, whose value is not known here", clip(tidy(p.expression(start)))).
			WithHint("write the number itself: view(2, -1) for view(x.size(0), -1)")
	case word == "None" || word == "newaxis":
		return Arg{Kind: None}, nil
	case word == "Ellipsis":
		return Arg{Kind: Ellipsis}, nil
	}
	return Arg{Kind: Word, Word: word}, nil
}

// expression is the text from start to where an argument ends: a comma or a bracket that was not opened in it.
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
		return Arg{}, p.wrong(" has a string with escapes, %s", words.Quoted(word)).WithHint("plain words are read: order='C'")
	}
	p.at += len(word) + 2
	return Arg{Kind: Word, Word: word}, nil
}
