package source

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// TestMatches: a pattern of random letters, slashes and wildcards matches what the regular expression does in which * is .*
// and ? is one character; so both match a slash.
func TestMatches(t *testing.T) {
	d := rand.New(rand.NewPCG(1, 2))
	word := func(letters string, n int) string {
		var s strings.Builder
		for range n {
			s.WriteByte(letters[d.IntN(len(letters))])
		}
		return s.String()
	}
	matched := 0
	for range 20000 {
		pattern, name := word("ab/*?", 1+d.IntN(5)), word("ab/", d.IntN(6))
		want := regexp.MustCompile("^" + strings.NewReplacer("*", ".*", "?", ".").Replace(pattern) + "$").MatchString(name)
		if got, err := Matches(pattern, name); err != nil || got != want {
			t.Fatalf("%q %q: %t, %v", pattern, name, got, err)
		}
		if want {
			matched++
		}
	}
	if matched < 1000 {
		t.Errorf("%d matched", matched)
	}
}
