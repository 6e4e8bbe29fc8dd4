package words

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

// Nothing that a terminal acts on survives: controls, deletes, bidirectional marks, broken UTF-8.
func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"plain Größe 张量": "plain Größe 张量", "a\x1b[31mb": `a\x1b[31mb`, "a\nb\tc": `a\x0ab\x09c`, "\x7f\u0085": `\x7f\x85`,
		"\u202eevil": `\u202eevil`, "a\xff": `a\xff`, "\u2028": `\u2028`, "\U000e0001": `\ue0001`, "": "",
	} {
		if got := Quote(in); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
}

// For any bytes the result is printable.
func FuzzQuote(f *testing.F) {
	f.Add("a\x1b\xff\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Quote(s) {
			if r == utf8.RuneError && !utf8.ValidString(Quote(s)) || !unicode.IsPrint(r) {
				t.Fatalf("Quote(%q) = %q", s, Quote(s))
			}
		}
	})
}

// A slip of the pen names what was meant; something else names nothing.
func TestNearest(t *testing.T) {
	names := []string{"nchw", "nhwc", "convert"}
	for in, want := range map[string]string{"nchv": "nchw", "NHWCC": "nhwc", "convrt": "convert", "xyz": "", "": "", "nc": "nchw"} {
		if got := Nearest(in, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", in, got, want)
		}
	}
}

// Distance counts the letters to insert, delete or replace.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "", 3}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
