package lazy

import "testing"

// TestNeedle: a needle is in every match, also where parts are optional, alternatives or of any case.
func TestNeedle(t *testing.T) {
	for pattern, want := range map[string]string{
		`expected input(\d+) to have`: "expected input", `(?i)any case`: "", `a|b`: "", `(?:maybe)? needed(?: too)+`: " needed", `ab*c+def`: "def", `[0-9]+`: "", `(`: "",
		`strides? must be`: " must be",
	} {
		if got := Regexp(pattern).Needle(); got != want {
			t.Errorf("%s: %q, expected %q", pattern, got, want)
		}
	}
}
