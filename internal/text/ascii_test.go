package text

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestASCII: spellings of the program's characters, and escapes of others.
func TestASCII(t *testing.T) {
	for text, want := range map[string]string{
		"{1,2} · {5,1} = 7":        "{1,2} * {5,1} = 7",
		"⌈64/4⌉ ≥ ⌊x⌋ × 2 → 3…":    "ceil(64/4) >= floor(x) x 2 -> 3...",
		"10⁻¹² and 10⁹, 2³ 5²":     "10^-12 and 10^9, 2^3 5^2",
		"größe 名 \U0001f600.npy":   `gr\u00f6\u00dfe \u540d \U0001f600.npy`,
		"a\xffb":                   `a\xffb`,
		"plain ~ text \x1b[1mbold": "plain ~ text \x1b[1mbold",
	} {
		if got := ASCII(text); got != want {
			t.Errorf("%q is %q, expected %q", text, got, want)
		}
	}
}

// FuzzASCIIWriter: the result is ASCII, unchanged by ASCII, and does not depend on how the text is split in two.
func FuzzASCIIWriter(f *testing.F) {
	for _, text := range []string{"", "·", "a·b⌈c⌉ 10¹²", "名\xf0\x9f\x98", "\xe2\x80", "x\xff·\xc2", "\x80\x80\x80\x80·"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole := ASCII(text)
		if strings.IndexFunc(whole, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 || ASCII(whole) != whole {
			t.Fatalf("%q is %q", text, whole)
		}
		if !utf8.ValidString(text) {
			return // an incomplete character is never written
		}
		for at := range len(text) + 1 {
			if strings.ContainsAny(text, superscripts) {
				break // ^ is repeated if a number is split
			}
			var out bytes.Buffer
			w := ASCIIWriter(&out)
			for _, piece := range []string{text[:at], text[at:]} {
				if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			if out.String() != whole {
				t.Fatalf("%q cut at %d is %q, expected %q", text, at, out.String(), whole)
			}
		}
	})
}

// TestASCIIEscapes: the last character of four digits has four, the next eight.
func TestASCIIEscapes(t *testing.T) {
	for text, want := range map[string]string{"\uffff": `\uffff`, "\U00010000": `\U00010000`, "\u0100": `\u0100`, "\xff": `\xff`} {
		if got := ASCII(text); got != want {
			t.Errorf("%q: %s, expected %s", text, got, want)
		}
	}
}
