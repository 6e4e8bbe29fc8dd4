package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/lazy"
)

// Text of a table or page may come from a file: its name, its fields, its elements. What a reader of Markdown or of CSV would
// act on is escaped here, where all of it is written.

// MarkdownLine is Markdown for text at the beginning of a line or of a list item: no list, heading or quotation begins there.
func MarkdownLine(text string) string {
	return blockStart.Get().ReplaceAllString(Markdown(text), `$1\$2`)
}

// blockStart is what makes more of a line than a line (GitHub Flavored Markdown 0.29, chapters 4 and 5).
var blockStart = lazy.Regexp(`^(\d*)([-+.)](?: |$)|#{1,6}(?: |$)|>|=+$|-+$)`)

// Markdown escapes text so that GitHub's Markdown shows it as it is: no tag, link, image, code, emphasis or formula begins in
// it (GitHub Flavored Markdown 0.29, chapter 6), and it notifies nobody and links to no issue. What is harmless where it stands, as <
// and [ mostly are, stays readable.
func Markdown(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		head, tail := text[:i], text[i+n:]
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

// unjoined is a space without width. GitHub looks for mentions, references and addresses in the text that Markdown has become, where
// a backslash is gone.
const unjoined = "&#8203;"

// refers reports whether r, between head and tail, makes GitHub mention a user or a team, refer to an issue (#1, GH-1), or link to an
// address of mail.
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

// endsIn reports whether text ends in a word of ASCII letters, in upper or lower case.
func endsIn(text, word string) bool {
	return len(text) >= len(word) && strings.EqualFold(text[len(text)-len(word):], word)
}

// CodeSpan sets text as code in Markdown, where nothing in it acts.
func CodeSpan(text string) string {
	fence := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// CodeBlock sets lines as a block of code in Markdown.
func CodeBlock(language string, lines []string) string {
	text := strings.Join(lines, "\n")
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return fence + language + "\n" + text + "\n" + fence
}

// longestRun is how often r is repeated at most.
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

// csvCell puts a single quote before a cell that a spreadsheet would take for a formula, as OWASP advises against CSV
// injection: one that begins with =, +, -, @ or their full-width forms, a tabulator or a line end. Numbers, also such as -1,
// 1e-5, -inf or -1+2j, and lists of numbers stay as they are.
func csvCell(text string) string {
	first, _ := utf8.DecodeRuneInString(text)
	if strings.ContainsRune("=+-@\uff1d\uff0b\uff0d\uff20\t\r\n", first) && !numeric(text) {
		return "'" + text
	}
	return text
}

// numeric reports whether text has nothing but what numbers, and lists of numbers, are written with, and begins with a sign.
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
