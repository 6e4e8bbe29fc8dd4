package lines

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/hostile"
)

// Lines have no ends, empty ones are left out, and one over the limit is cut and counted.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", 100)
	for text, want := range map[string][]string{
		"":                      nil,
		"\n\r\n":                nil,
		"a":                     {"a"},
		"a\nb\r\n\nc":           {"a", "b", "c"},
		long + "\nb\n":          {long[:16], "b"},
		"a\n" + long:            {"a", long[:16]},
		long[:15] + "\nb":       {long[:15], "b"},
		long[:16] + "\nb":       {long[:16], "b"},
		"a\x00b\n\xff\n":        {"a\x00b", "\xff"},
		" a \n\t\n":             {" a ", "\t"},
		long + "\n" + long:      {long[:16], long[:16]},
		"a\r\r\nb\r":            {"a", "b"},
		long + "\r\n\n\nb\n\n ": {long[:16], "b", " "},
	} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			l := Lines{}
			got := slices.Collect(l.Of(r, 16))
			if !slices.Equal(got, want) || l.Err != nil || (l.Cut > 0) != strings.Contains(text, long[:16]) {
				t.Errorf("%q: %q, %d cut, %v, want %q", text, got, l.Cut, l.Err, want)
			}
		}
	}
}

// A failing read ends the lines with its error, and one who has enough reads no further.
func TestLinesEnd(t *testing.T) {
	l := Lines{}
	got := slices.Collect(l.Of(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(errors.New("input/output error"))), 16))
	if !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("lines %q", got)
	}
	hostile.WantFault(t, "a failing read", l.Err, fault.Resource, "input/output error")
	for line := range l.Of(strings.NewReader("a\nb\n"), 16) {
		if line != "a" {
			t.Errorf("line %q after the last", line)
		}
		break
	}
}
