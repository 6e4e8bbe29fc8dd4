package trace

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/scan"
)

// prompt matches what Python, IPython and Jupyter print before a line that somebody typed: ">>> ", "... ", "In [3]: ", "   ...: ".
var prompt = lazy.Regexp(`^\s*(?:>>>|\.\.\.:?|In \[\d*\]:)(?: |$)`)

// IsSession reports whether a text is copied from an interactive Python: whether it begins with a prompt.
func IsSession(text string) bool {
	first := strings.TrimSpace(text)
	return !strings.HasPrefix(first, ".") && prompt.Get().MatchString(first)
}

// behindPrompts returns the lines of a session behind prompts; those without are what Python printed. Other texts are returned unchanged.
func behindPrompts(text string) string {
	if !IsSession(text) {
		return text
	}
	var lines []string
	for line := range strings.Lines(text) {
		if before := prompt.Get().FindString(line); before != "" {
			lines = append(lines, strings.TrimPrefix(line, before))
		}
	}
	return strings.Join(lines, "")
}

// skipUnrelated skips statements that change no tensor: import torch, from einops import rearrange, assert x.is_contiguous().
func (p *parser) skipUnrelated() bool {
	p.Next()
	start := p.At
	word := p.Name()
	isImport := slices.Contains([]string{"import", "from", "assert", "del"}, word)
	if !isImport || !scan.IsLetter(p.Next()) {
		p.At = start
		return false
	}
	for !p.End() && p.Next() != ';' {
		p.At++
	}
	return true
}

// isPrint reports whether an expression is print(…).
func (n node) isPrint() bool {
	return n.kind == called && n.of[0].kind == named && n.of[0].name == "print"
}

// shown returns what print(…) shows: its argument, or a tuple of several or of none. Expressions without names are labels, and are
// left out.
func (n node) shown() node {
	tuple := node{kind: listed}
	var texts []string
	for _, arg := range n.args[:len(n.args)-len(n.keys)] {
		if arg.isNumeric() { // a label: "shape:", "-" * 20
			continue
		}
		if arg.kind == starred { // *x.shape
			whole := strings.TrimPrefix(arg.text, "*")
			arg = arg.of[0]
			arg.whole = whole
		}
		arg.text = arg.whole
		tuple.of = append(tuple.of, arg)
		texts = append(texts, arg.whole)
	}
	if len(tuple.of) == 1 {
		return tuple.of[0]
	}
	tuple.text = strings.Join(texts, ", ")
	return tuple
}

// showsNothing reports whether a statement is print() or print("done").
func (s Statement) showsNothing() bool {
	return s.shows && s.value.kind == listed && len(s.value.of) == 0
}
