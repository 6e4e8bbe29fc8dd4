package render

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text of a table or page may come from a file: its name, its fields, its elements. What a reader of Markdown or of CSV would
// act on is escaped here, where all of it is written.

// MarkdownLine is Markdown for text at the beginning of a line or of a list item: no list, heading or quotation begins there.
func MarkdownLine(text string) string {
	return blockStart.ReplaceAllString(Markdown(text), `$1\$2`)
}

// blockStart is what makes more of a line than a line (GitHub Flavored Markdown 0.29, chapters 4 and 5).
var blockStart = regexp.MustCompile(`^(\d*)([-+.)](?: |$)|#{1,6}(?: |$)|>|=+$|-+$)`)

// Markdown escapes text so that GitHub's Markdown shows it as it is: no tag, link, image, code, emphasis or formula begins in
// it (GitHub Flavored Markdown 0.29, chapter 6). What is harmless where it stands, as < and [ mostly are, stays readable.
func Markdown(text string) string {
	var out strings.Builder
	before := ' '
	for i, r := range text {
		after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		if actsInMarkdown(before, r, after) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
		before = r
	}
	return out.String()
}

// actsInMarkdown reports whether r, between these two, can have a meaning; before is a space at the beginning.
func actsInMarkdown(before, r, after rune) bool {
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
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
	}
	return false
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
