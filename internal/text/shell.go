package text

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/lazy"
)

// Names in printed commands are quoted here and nowhere else: by Shell and File for sh, by Python for a program. The result is printable, and means
// exactly the name. Possible secrets of URLs are removed from it, as Quote does: such a command does not open the URL.

// Shell quotes a word for a POSIX shell, which reads it unchanged, as one word. What a terminal or a CI runner might obey becomes octal digits of
// printf.
func Shell(word string) string {
	word = redactAll(word)
	switch {
	case word != "" && word[0] != '=' && strings.IndexFunc(word, special) < 0 && isInert(word):
		return word
	case !isInert(word):
		return printf(word)
	case strings.Contains(word, "'") && !strings.ContainsAny(word, "\"$`\\!"):
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// File is Shell of an argument that names a file, or a tensor in it: a leading dash makes no flag of it. The name "-" is a stream and stays.
func File(name string) string {
	if strings.HasPrefix(name, "-") && name != "-" {
		name = "./" + name
	}
	return Shell(name)
}

// Typable reports whether a command can name this: no secret was removed from it, or will be, and it holds no NUL, which ends an argument.
func Typable(name string) bool {
	removed := Scheme(name) != "" && strings.Contains(name, "…")
	return !removed && redactAll(name) == name && !strings.Contains(name, "\x00")
}

// Python returns the literal of a string in Python, with bytes that are not UTF-8 as Python has them in names of files (os.fsdecode).
func Python(s string) string {
	s = redactAll(s)
	quote := "'"
	if strings.Contains(s, quote) && !strings.Contains(s, `"`) {
		quote = `"`
	}
	var b strings.Builder
	b.WriteString(quote)
	for i, char := range characters(s) {
		switch {
		case char == quote || char == `\`:
			b.WriteString(`\` + char)
		case char[0] >= utf8.RuneSelf && !utf8.ValidString(char):
			fmt.Fprintf(&b, `\udc%02x`, char[0])
		case endsCommand(s, i):
			fmt.Fprintf(&b, `\x%02x`, char[0])
		default:
			b.WriteString(Quote(char))
		}
	}
	return b.String() + quote
}

// characters iterates over the UTF-8 characters of a string, and over its other bytes, with their index.
func characters(s string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for i := 0; i < len(s); {
			_, n := utf8.DecodeRuneInString(s[i:])
			if !yield(i, s[i:i+n]) {
				return
			}
			i += n
		}
	}
}

// special reports whether a shell, interactive or not, may give a meaning to a character.
func special(r rune) bool {
	switch {
	case '0' <= r && r <= '9', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		return false
	}
	return !strings.ContainsRune("_-+.,:/=@%^", r)
}

// isInert reports whether a printed text acts on nothing: it is printable, and a CI runner finds no command in it.
func isInert(s string) bool {
	for i := range len(s) {
		if endsCommand(s, i) {
			return false
		}
	}
	return Quote(s) == s
}

// runnerPrefix matches a text after which a colon or a bracket completes what InertWriter replaces.
var runnerPrefix = lazy.Regexp(`(?:^|\s):$|##[A-Za-z]*$`)

// maxPrefix is the maximum length of what a command to a CI runner begins with, in bytes.
const maxPrefix = 100

// endsCommand reports whether the character at index i completes the prefix of a command to a CI runner, in a line that begins with s.
func endsCommand(s string, i int) bool {
	if s[i] != ':' && s[i] != '[' {
		return false
	}
	return runnerPrefix.Get().MatchString(s[max(0, i-maxPrefix):i])
}

// printf returns the word that a shell makes of a string by calling printf. The shell removes line feeds at the end of what a command prints, so
// patterns match those.
func printf(s string) string {
	name := strings.TrimRight(s, "\n")
	feeds := strings.Repeat("[[:cntrl:]]", len(s)-len(name))
	if feeds != "" && isInert(name) {
		return Shell(name) + feeds
	}
	var b strings.Builder
	for i, char := range characters(name) {
		leadingDash := i == 0 && char == "-"
		switch {
		case Quote(char) != char || strings.Contains(`'"`, char) || leadingDash || endsCommand(name, i):
			for _, c := range []byte(char) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		case char == `\` || char == "%":
			b.WriteString(char + char)
		default:
			b.WriteString(char)
		}
	}
	return `"$(printf '` + b.String() + `')"` + feeds
}

// Continued breaks a command line that is wider than a number of columns into lines that a shell reads as one: before flags and pipes where it can,
// never in a word.
func Continued(line string, columns int) string {
	const indent = "  "
	if displaywidth.String(line) <= columns {
		return line
	}
	lines := []string{""}
	for _, part := range commandParts(line) {
		last := &lines[len(lines)-1]
		switch joined := *last + " " + part; {
		case *last == "":
			*last = part
		case displaywidth.String(joined) <= columns-len(` \`):
			*last = joined
		default:
			lines = append(lines, indent+part)
		}
	}
	return strings.Join(lines, " \\\n")
}

// commandParts splits a command line between its words. A flag or a pipe and the words that follow it are one part.
func commandParts(line string) (parts []string) {
	begins := func(word string) bool { return word == "|" || strings.HasPrefix(word, "-") && word != "-" }
	for _, word := range shellWords(line) {
		last := len(parts) - 1
		if last >= 0 && (begins(parts[last]) || strings.HasPrefix(parts[last], "| ")) && !begins(word) {
			parts[last] += " " + word
		} else {
			parts = append(parts, word)
		}
	}
	return parts
}

// shellWords splits a command line at the blanks outside quotes, and leaves the quotes.
func shellWords(line string) []string {
	var quote rune
	return strings.FieldsFunc(line, func(r rune) bool {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		}
		return r == ' ' && quote == 0
	})
}
