package random

import (
	"fmt"
	"testing"
)

// noted is a test that records its log, and whether it fails.
type noted struct {
	testing.TB
	log    string
	failed bool
}

func (n *noted) Helper()                           {}
func (n *noted) Logf(format string, args ...any)   { n.log = fmt.Sprintf(format, args...) }
func (n *noted) Fatal(args ...any)                 { n.failed = true }
func (n *noted) Fatalf(format string, args ...any) { n.failed = true }

// TestSeed: the variable sets the seed, 1 by default. Equal seeds draw equal cases, different seeds different ones, and the log says how to
// repeat them.
func TestSeed(t *testing.T) {
	drawn := map[uint64]string{}
	for _, text := range []string{"", "1", "2", "18446744073709551615"} {
		t.Setenv(variable, text)
		n := &noted{TB: t}
		first, again := New(n).Uint64(), New(n).Uint64()
		if text == "" {
			text = "1"
		}
		if was, known := drawn[first]; first != again || known && was != text || n.log != variable+"="+text || n.failed {
			t.Errorf("seed %q: %d, then %d, log %q", text, first, again, n.log)
		}
		drawn[first] = text
	}
	if len(drawn) != 3 {
		t.Errorf("three seeds draw %v", drawn)
	}
	for _, text := range []string{"0", "-1", "x", "18446744073709551616"} {
		t.Setenv(variable, text)
		if n := (&noted{TB: t}); Seed(n) != 0 || !n.failed {
			t.Errorf("%q is a seed", text)
		}
	}
}

// TestCases: the number of cases is the variable's, or the test's, or an eighth of it unless Thorough.
func TestCases(t *testing.T) {
	const variable = "TLAYOUT_TEST_SOME_CASES"
	for _, c := range []struct {
		text, thorough string
		n, want        int
	}{{"", "", 16, 2}, {"", "", 3, 1}, {"", "1", 8, 8}, {"30", "", 8, 30}, {"30", "1", 8, 30}} {
		t.Setenv(variable, c.text)
		t.Setenv("TLAYOUT_TEST_THOROUGH", c.thorough)
		if got := Cases(t, variable, c.n); got != c.want {
			t.Errorf("%+v: %d cases", c, got)
		}
	}
	t.Setenv(variable, "many")
	if n := (&noted{TB: t}); Cases(n, variable, 7) == 7 || !n.failed {
		t.Error("many is a number")
	}
}
