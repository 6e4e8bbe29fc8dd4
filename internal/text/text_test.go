package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestWords: edge cases of lists: none, one, several.
func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Plural(1, "box", "boxes"), "box"}, {Plural(0, "box", "boxes"), "boxes"},
		{Count(1, "element"), "1 element"}, {Count(0, "element"), "0 elements"},
		{And(nil), ""}, {And([]string{"a"}), "a"}, {And([]string{"a", "b"}), "a and b"}, {And([]string{"a", "b", "c"}), "a, b and c"},
		{Ints([]int{2, -3}, ","), "2,-3"}, {Ints(nil, ","), ""},
		{Product([]int{5, 4}), "5·4"}, {Product(nil), "1"},
		{Cut("äöü", 3), "äöü"}, {Cut("äöüx", 3), "äö…"},
	} {
		if c.got != c.want {
			t.Errorf("%q, expected %q", c.got, c.want)
		}
	}
}

// TestQuote: nothing that a terminal obeys survives: controls, deletes, bidirectional marks, broken UTF-8.
func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"plain Größe 张量": "plain Größe 张量", "a\x1b[31mb": `a\x1b[31mb`, "a\nb\tc": `a\x0ab\x09c`, "\x7f\u0085": `\x7f\x85`,
		"\u202eevil": `\u202eevil`, "a\xff": `a\xff`, "\u2028": `\u2028`, "\U000e0001": `\U000e0001`, "": "",
	} {
		if got := Quote(in); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
}

// FuzzQuote: the result is printable for any bytes.
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

// TestNearest: a typo finds the intended name; something else finds nothing.
func TestNearest(t *testing.T) {
	names := []string{"nchw", "nhwc", "convert", "tvm", "tensorrt"}
	for in, want := range map[string]string{"nchv": "nchw", "NHWCC": "nhwc", "convrt": "convert", "xyz": "", "": "", "nc": "nchw", "n": "",
		"nwhc": "nhwc", "mcvw": "", "trt": "", "tmv": "tvm", "tensrotr": "tensorrt", "cnovret": "convert", "nh": "nhwc", "t": ""} {
		if got := Nearest(in, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestDistance counts the letters to insert, delete, replace or exchange; ca to abc is 3 since no letter is edited twice.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "", 3}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2},
		{"nwhc", "nhwc", 1}, {"ca", "abc", 3}, {"abcd", "badc", 2}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestFormats(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 5120: "5120 bytes", 10239: "10239 bytes", 10240: "10 KiB", 64 << 20: "64 MiB", 3 << 29: "1.5 GiB", 1 << 62: "4 EiB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, expected %q", n, got, want)
		}
	}
	for s, want := range map[float64]string{0: "0.00 s", 1.25: "1.25 s", 0.0295: "29.5 ms", 29.5e-6: "29.5 µs", 3e-9: "3.00 ns",
		0.9996: "1.00 s", 999.4e-6: "999 µs", 999.6e-6: "1.00 ms", 90: "90.0 s", 119.9: "120 s", 120: "2.00 minutes"} {
		if got := Seconds(s); got != want {
			t.Errorf("Seconds(%g) = %q, expected %q", s, got, want)
		}
	}
}

// TestSameSet: order does not matter, repetition does.
func TestSameSet(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{{"N C H", "H N C", true}, {"", "", true}, {"N C", "N", false}, {"N N C", "N C C", false}} {
		if got := SameSet(strings.Fields(c.a), strings.Fields(c.b)); got != c.same {
			t.Errorf("SameSet(%s; %s) = %t", c.a, c.b, got)
		}
	}
}
