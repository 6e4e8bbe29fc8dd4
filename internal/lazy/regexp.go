// Package lazy defers work until it is needed: a command uses few of the program's regular expressions, and compiling all of them takes
// a third of a process's start.
package lazy

import (
	"regexp"
	"regexp/syntax"
	"sync"
)

// Expression is a regular expression that is compiled on first use.
type Expression struct {
	pattern  string
	once     sync.Once
	compiled *regexp.Regexp
	parsed   sync.Once
	needle   string
}

// Regexp returns the regular expression of a pattern. As a package's variable it is data, which the linker lays out.
func Regexp(pattern string) *Expression { return &Expression{pattern: pattern} }

// Get returns the compiled expression.
func (e *Expression) Get() *regexp.Regexp {
	e.once.Do(func() { e.compiled = regexp.MustCompile(e.pattern) })
	return e.compiled
}

// Needle returns the longest text that each match contains, found without compiling the expression; empty if there is none.
func (e *Expression) Needle() string {
	e.parsed.Do(func() {
		tree, err := syntax.Parse(e.pattern, syntax.Perl)
		if err == nil {
			e.needle = needle(tree)
		}
	})
	return e.needle
}

func needle(tree *syntax.Regexp) string {
	switch tree.Op {
	case syntax.OpLiteral:
		if tree.Flags&syntax.FoldCase == 0 {
			return string(tree.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return needle(tree.Sub[0])
	case syntax.OpConcat:
		longest := ""
		for _, part := range tree.Sub {
			if s := needle(part); len(s) > len(longest) {
				longest = s
			}
		}
		return longest
	}
	return ""
}
