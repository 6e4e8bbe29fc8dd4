package scan

import (
	"slices"
	"strings"
)

// Term is a word, a sign, or what stands in brackets or quotes.
type Term struct {
	Text  string // all of it, with its brackets
	Open  byte   // the opening bracket or quote; 0: a word or a sign
	Inner []Term // what is inside of them
	At    int    // index of the first byte
	Apart bool   // blanks stand before it
}

// End returns the index after the last byte.
func (t Term) End() int { return t.At + len(t.Text) }

// Content returns the text inside of the brackets.
func (t Term) Content() string { return t.Text[1 : len(t.Text)-1] }

// IsWord reports whether the term is a word or a number.
func (t Term) IsWord() bool { return t.Open == 0 && (isWordByte(t.Text[0]) || len(t.Text) > 2) }

const openings, closings = "([{<", ")]}>"

// maxTermDepth is how deep brackets nest; deeper ones are signs.
const maxTermDepth = 32

// Terms splits a text into words, signs and brackets, whatever they mean. A < opens a bracket only behind a word, and a bracket without its
// partner is a sign.
func Terms(text string) []Term {
	s := termScanner{Scanner: Scanner{Text: text}}
	for {
		start := s.At
		if s.End() {
			return s.terms
		}
		s.apart = s.At > start
		s.term()
	}
}

// termScanner has the terms so far. Those behind an opening bracket move into it once it is closed; if it is not, they are where they belong.
type termScanner struct {
	Scanner
	terms []Term
	open  []int // indices of opening brackets that are not closed, outermost first
	apart bool
}

func (s *termScanner) term() {
	c := s.Text[s.At]
	rest := s.Rest()
	behindWord := s.At > 0 && isWordByte(s.Text[s.At-1])
	if strings.HasPrefix(rest, "->") {
		s.add(2)
		return
	}
	if n := wordLength(rest); n > 0 {
		s.add(n)
		return
	}
	switch c {
	case '"', '\'':
		s.quote(c, behindWord)
	case '(', '[', '{':
		s.begin()
	case '<':
		if behindWord {
			s.begin()
			return
		}
		s.add(1)
	default:
		k := strings.IndexByte(closings, c)
		if k < 0 || !s.close(openings[k]) {
			s.add(1)
		}
	}
}

// quote ends a quotation, or begins one, but not behind a word: tensor's.
func (s *termScanner) quote(c byte, behindWord bool) {
	if s.close(c) {
		return
	}
	if behindWord {
		s.add(1)
		return
	}
	s.begin()
}

// wordLength returns how many bytes at the start of a text are a word, which may have scopes of C++.
func wordLength(text string) int {
	n := 0
	for n < len(text) {
		rest := text[n:]
		if strings.HasPrefix(rest, "::") {
			n += 2
			continue
		}
		if !isWordByte(rest[0]) || strings.HasPrefix(rest, "->") {
			break
		}
		n++
	}
	return n
}

// isWordByte reports whether a byte belongs to words, which are names, numbers, sizes and expressions: %x.1, -4, 2x?xf32, 64*s0.
func isWordByte(c byte) bool {
	return IsLetter(c) || IsDigit(c) || c >= 0x80 || strings.IndexByte(".%!#@$/?*+-&", c) >= 0
}

// add reads a term of n bytes.
func (s *termScanner) add(n int) {
	s.terms = append(s.terms, Term{Text: s.Text[s.At : s.At+n], At: s.At, Apart: s.apart})
	s.At += n
}

// begin reads an opening bracket; one of too many is never closed.
func (s *termScanner) begin() {
	if len(s.open) < maxTermDepth {
		s.open = append(s.open, len(s.terms))
	}
	s.add(1)
}

// close ends the innermost bracket of a kind, if one is open. Those inside of it have no partner.
func (s *termScanner) close(kind byte) bool {
	k := len(s.open) - 1
	for k >= 0 && s.terms[s.open[k]].Text[0] != kind {
		k--
	}
	if k < 0 {
		return false
	}
	at := s.open[k]
	s.open = s.open[:k]
	s.At++
	t := &s.terms[at]
	t.Open = kind
	t.Inner = slices.Clone(s.terms[at+1:])
	t.Text = s.Text[t.At:s.At]
	s.terms = s.terms[:at+1]
	return true
}

// Split returns the terms between commas and semicolons, where there are some.
func Split(terms []Term) [][]Term {
	var all [][]Term
	start := 0
	for k, t := range terms {
		if t.Text != "," && t.Text != ";" {
			continue
		}
		if k > start {
			all = append(all, terms[start:k])
		}
		start = k + 1
	}
	if start < len(terms) {
		all = append(all, terms[start:])
	}
	return all
}

// Span returns the text of terms that follow each other, with one blank for several.
func Span(terms []Term) string {
	var b strings.Builder
	for k, t := range terms {
		if k > 0 && t.Apart {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}
