package text

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// asciiOf maps the special characters of the program's own texts to ASCII.
var asciiOf = map[rune]string{
	'·': "*", '⋅': "*", '×': "x", '÷': "/", '−': "-", '–': "-", '—': "-", '±': "+/-", '…': "...", '⋯': "...", '⋮': ":",
	'→': "->", '⟶': "->", '↦': "->", '⇒': "=>", '↔': "<->", '⇄': "<->", '≤': "<=", '≥': ">=", '≠': "!=", '≈': "~",
	'⌈': "ceil(", '⌉': ")", '⌊': "floor(", '⌋': ")", '√': "sqrt", '∛': "cbrt", 'Σ': "sum", '∑': "sum", 'Π': "product",
	'∘': "o", '⊕': "xor", 'µ': "u", 'μ': "u", '°': " deg", '★': "*", '‘': "'", '’': "'", '“': `"`, '”': `"`, '\u00a0': " ",
	'─': "-", '━': "-", '│': "|", '┃': "|", '┌': "+", '┐': "+", '└': "+", '┘': "+", '├': "+", '┤': "+", '┬': "+", '┴': "+", '┼': "+",
	'█': "#", '░': ".", '►': ">", '▼': "v", '◆': "*", '♦': "*",
}

// superscripts are digits and a sign, written after ^ in ASCII: 10⁻¹² is 10^-12.
const superscripts, plainScripts = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"

// ASCII converts a text to ASCII, for terminals that show nothing else: · is *, ⌈x⌉ is ceil(x). Characters without a spelling, such as
// other scripts, are escaped as in Go source. ASCII text is unchanged.
func ASCII(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return s
	}
	var b strings.Builder
	raised := false
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		before, _, script := strings.Cut(superscripts, string(r))
		if script {
			if !raised {
				b.WriteByte('^')
			}
			b.WriteByte(plainScripts[utf8.RuneCountInString(before)])
		} else {
			b.WriteString(spelledASCII(s[i : i+n]))
		}
		raised = script
		i += n
	}
	return b.String()
}

// spelledASCII converts a character, or an invalid byte.
func spelledASCII(char string) string {
	r, n := utf8.DecodeRuneInString(char)
	if r < utf8.RuneSelf {
		return char
	}
	if spelling, ok := asciiOf[r]; ok {
		return spelling
	}
	if r == utf8.RuneError && n == 1 {
		return fmt.Sprintf(`\x%02x`, char[0])
	}
	if r <= 0xffff {
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// ASCIIWriter writes text to w as ASCII converts it, however it is split into writes.
func ASCIIWriter(w io.Writer) io.Writer { return &asciiWriter{w: w} }

type asciiWriter struct {
	w     io.Writer
	begun []byte // an incomplete character
}

func (a *asciiWriter) Write(text []byte) (int, error) {
	whole := append(a.begun, text...)
	end := len(whole)
	for end > 0 && end > len(whole)-utf8.UTFMax && !utf8.RuneStart(whole[end-1]) {
		end--
	}
	if end > 0 && utf8.RuneStart(whole[end-1]) && !utf8.FullRune(whole[end-1:]) {
		end--
	} else {
		end = len(whole)
	}
	a.begun = append([]byte(nil), whole[end:]...)
	_, err := io.WriteString(a.w, ASCII(string(whole[:end])))
	return len(text), err
}
