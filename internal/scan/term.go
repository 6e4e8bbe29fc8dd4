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
	s := termScanner{Scanner: Scanner{Text: text}, levels: []level{{}}}
	for {
		start := s.At
		if s.End() {
			break
		}
		s.apart = s.At > start
		s.term()
	}
	for len(s.levels) > 1 {
		s.dissolve()
	}
	return s.levels[0].terms
}

// level is a bracket being read, and its terms so far; the outermost has none.
type level struct {
	opening Term
	terms   []Term
}

type termScanner struct {
	Scanner
	levels []level // outermost first
	apart  bool
}

func (s *termScanner) term() {
	c := s.Text[s.At]
	rest := s.Rest()
	behindWord := s.At > 0 && isWordByte(s.Text[s.At-1])
	switch {
	case strings.HasPrefix(rest, "->"):
		s.add(2)
	case isWordByte(c) || strings.HasPrefix(rest, "::"):
		s.add(wordLength(rest))
	case c == '"' || c == '\'':
		s.quote(c, behindWord)
	case c == '<' && !behindWord:
		s.add(1)
	case strings.IndexByte(openings, c) >= 0:
		s.open()
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
	s.open()
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
	last := &s.levels[len(s.levels)-1]
	last.terms = append(last.terms, Term{Text: s.Text[s.At : s.At+n], At: s.At, Apart: s.apart})
	s.At += n
}

// open begins a bracket, or reads it as a sign where too many are open.
func (s *termScanner) open() {
	if len(s.levels) > maxTermDepth {
		s.add(1)
		return
	}
	s.levels = append(s.levels, level{opening: Term{Text: s.Text[s.At : s.At+1], At: s.At, Apart: s.apart}})
	s.At++
}

// close ends the innermost bracket of a kind, if one is open. Those inside of it have no partner.
func (s *termScanner) close(kind byte) bool {
	isKind := func(l level) bool { return l.opening.Text == string(rune(kind)) }
	if !slices.ContainsFunc(s.levels, isKind) {
		return false
	}
	for !isKind(s.levels[len(s.levels)-1]) {
		s.dissolve()
	}
	last := s.levels[len(s.levels)-1]
	s.levels = s.levels[:len(s.levels)-1]
	s.At++
	t := last.opening
	t.Open = kind
	t.Inner = last.terms
	t.Text = s.Text[t.At:s.At]
	parent := &s.levels[len(s.levels)-1]
	parent.terms = append(parent.terms, t)
	return true
}

// dissolve makes the innermost bracket a sign before its terms.
func (s *termScanner) dissolve() {
	last := s.levels[len(s.levels)-1]
	s.levels = s.levels[:len(s.levels)-1]
	parent := &s.levels[len(s.levels)-1]
	parent.terms = append(append(parent.terms, last.opening), last.terms...)
}
