package scan

import (
	"strings"
	"testing"
)

// shown writes terms with ⟨⟩ around what is in a bracket, and · before what stands apart.
func shown(terms []Term) string {
	var b strings.Builder
	for k, t := range terms {
		if k > 0 {
			b.WriteByte(' ')
		}
		if t.Apart {
			b.WriteString("·")
		}
		if t.Open == 0 {
			b.WriteString(t.Text)
			continue
		}
		b.WriteString(string(rune(t.Open)) + "⟨" + shown(t.Inner) + "⟩")
	}
	return b.String()
}

func TestTerms(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "",
		"f32[8, 4]{1,0:T(8)}cuda:0":  "f32 [⟨8 , ·4⟩ {⟨1 , 0 : T (⟨8⟩⟩ cuda : 0",
		"memref<2x?xf32, 3> -> a":    "memref <⟨2x?xf32 , ·3⟩ ·-> ·a",
		"f[<=8,a<b":                  "f [ < = 8 , a < b",
		"cute::Swizzle<3,4,3>{} o 1": "cute::Swizzle <⟨3 , 4 , 3⟩ {⟨⟩ ·o ·1",
		"{'a b': (1, -2)} tensor's":  "{⟨'⟨a ·b⟩ : ·(⟨1 , ·-2⟩⟩ ·tensor ' s",
		"a(b[c)]":                    "a (⟨b [ c⟩ ]",
		"(a->b)>c":                   "(⟨a -> b⟩ > c",
		"x: \"f32[2][1]cpu\" = y(x)": "x : ·\"⟨f32 [⟨2⟩ [⟨1⟩ cpu⟩ ·= ·y (⟨x⟩",
		"4*s1, s1 ∘ 3@x":             "4*s1 , ·s1 ·∘ ·3@x",
	} {
		if got := shown(Terms(text)); got != want {
			t.Errorf("%s:\n%s, want\n%s", text, got, want)
		}
	}
	if got := len(Split(Terms("a b, c; ,d,"))); got != 3 {
		t.Errorf("%d parts", got)
	}
}

// FuzzTerms: the terms of any text, and of each bracket, are all of its bytes but blanks, in order.
func FuzzTerms(f *testing.F) {
	for _, s := range []string{"f32[8, 4]{1,0:T(8)}", "a(b[c)]'\"<", "m<2x3, (d0) -> (d0)>", strings.Repeat("(", 99), "é\xff\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var covers func(terms []Term, from, to int)
		covers = func(terms []Term, from, to int) {
			for _, term := range terms {
				if strings.TrimLeft(text[from:term.At], " \t\r\n") != "" || text[term.At:term.End()] != term.Text {
					t.Fatalf("%q: %q at %d", text, term.Text, term.At)
				}
				if term.Open != 0 {
					covers(term.Inner, term.At+1, term.End()-1)
				}
				from = term.End()
			}
			if strings.TrimLeft(text[from:to], " \t\r\n") != "" {
				t.Fatalf("%q: nothing from %d to %d", text, from, to)
			}
		}
		covers(Terms(text), 0, len(text))
	})
}
