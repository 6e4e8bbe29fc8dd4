// Package lazy puts off work until it is asked for: a command uses few of the program's regular expressions, and all of them together
// take a third of the time in which a process starts.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns the regular expression of a pattern, compiled at the first call.
func Regexp(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
