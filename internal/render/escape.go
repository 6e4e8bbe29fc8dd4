package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/lazy"
)

// Text of a table or page may come from a file: its name, its fields, its elements. This file escapes whatever a reader of Markdown or CSV
// would interpret, and all such text passes through it.

// MarkdownLine escapes text at the start of a line or list item, so that it starts no list, heading or quotation.
func MarkdownLine(text string) string {
	return blockStart.Get().ReplaceAllString(Markdown(text), `$1\$2`)
}

// blockStart matches the start of a block other than a paragraph (GitHub Flavored Markdown 0.29, chapters 4 and 5).
var blockStart = lazy.Regexp(`^(\d*)([-+.)](?: |$)|#{1,6}(?: |$)|>|=+$|-+$)`)

// Markdown escapes text so that GitHub's Markdown shows it literally: it contains no tag, link, image, code, emphasis or formula (GitHub
// Flavored Markdown 0.29, chapter 6), notifies nobody and links to no issue. Characters that are harmless in context, as < and [ mostly
// are, stay unescaped.
func Markdown(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		head := text[:i]
		tail := text[i+n:]
		if actsInMarkdown(head, r, tail) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
		if refers(head, r, tail) {
			out.WriteString(unjoined)
		}
		i += n
	}
	return out.String()
}

// actsInMarkdown reports whether r can have a meaning between head and tail.
func actsInMarkdown(head string, r rune, tail string) bool {
	before, _ := utf8.DecodeLastRuneInString(head)
	after, _ := utf8.DecodeRuneInString(tail)
	switch r {
	case '\\':
		return after < utf8.RuneSelf && (unicode.IsPunct(after) || unicode.IsSymbol(after))
	case '`', '*', '~', '|', '$':
		return true
	case '<':
		return unicode.IsLetter(after) || strings.ContainsRune("/!?", after)
	case '&':
		return unicode.IsLetter(after) || after == '#'
	case ']':
		return strings.ContainsRune("([:", after)
	case '_':
		return !letter(before) || !letter(after)
	case ':':
		return strings.HasPrefix(tail, "//") && letter(before)
	case '.':
		return endsIn(head, "www")
	}
	return false
}

// unjoined is a zero-width space. GitHub looks for mentions, references and addresses in the rendered text, where backslashes are gone.
const unjoined = "&#8203;"

// refers reports whether r, between head and tail, makes GitHub mention a user or team, refer to an issue (#1, GH-1), or link to an e-mail
// address.
func refers(head string, r rune, tail string) bool {
	after, _ := utf8.DecodeRuneInString(tail)
	switch r {
	case '@':
		return letter(after) || after == '_'
	case '#':
		return unicode.IsDigit(after)
	case '-':
		return unicode.IsDigit(after) && endsIn(head, "gh")
	}
	return false
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// endsIn reports whether text ends in a word of ASCII letters, ignoring case.
func endsIn(text, word string) bool {
	return len(text) >= len(word) && strings.EqualFold(text[len(text)-len(word):], word)
}

// CodeSpan formats text as inline code in Markdown.
func CodeSpan(text string) string {
	fence := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// CodeBlock formats lines as a code block in Markdown.
func CodeBlock(language string, lines []string) string {
	text := strings.Join(lines, "\n")
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return fence + language + "\n" + text + "\n" + fence
}

// longestRun returns the length of the longest run of r.
func longestRun(text string, r rune) (longest int) {
	run := 0
	for _, c := range text {
		if run++; c != r {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// csvCell prefixes a single quote to a cell that a spreadsheet would read as a formula, as OWASP recommends against CSV injection: one that
// starts with =, +, -, @ or their full-width forms, a tab or a line end. Numbers, including -1, 1e-5, -inf or -1+2j, and lists of numbers
// stay unchanged.
func csvCell(text string) string {
	first, _ := utf8.DecodeRuneInString(text)
	if strings.ContainsRune("=+-@\uff1d\uff0b\uff0d\uff20\t\r\n", first) && !numeric(text) {
		return "'" + text
	}
	return text
}

// numeric reports whether text starts with a sign, and consists of characters of numbers and lists of numbers.
func numeric(text string) bool {
	if text[0] != '-' && text[0] != '+' {
		return false
	}
	text = strings.NewReplacer("inf", "", "nan", "").Replace(text)
	return strings.Trim(text, "0123456789+-.,eEj %×") == ""
}

func markdownCells(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = Markdown(c)
	}
	return out
}
