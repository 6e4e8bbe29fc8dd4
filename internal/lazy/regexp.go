// Package lazy defers work until it is needed: a command uses few of the program's regular expressions, and compiling all of them takes
// a third of a process's start.
package lazy

import (
	"regexp"
	"sync"
)

// Expression is a regular expression that is compiled on first use.
type Expression struct {
	pattern  string
	once     sync.Once
	compiled *regexp.Regexp
}

// Regexp returns the regular expression of a pattern. As a package's variable it is data, which the linker lays out.
func Regexp(pattern string) *Expression { return &Expression{pattern: pattern} }

// Get returns the compiled expression.
func (e *Expression) Get() *regexp.Regexp {
	e.once.Do(func() { e.compiled = regexp.MustCompile(e.pattern) })
	return e.compiled
}
