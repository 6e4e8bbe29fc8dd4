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
	if !isInert(word) {
		return printf(word)
	}
	if isPlain(word) {
		return word
	}
	if strings.Contains(word, "'") && !strings.ContainsAny(word, "\"$`\\!") {
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// isPlain reports whether a shell, interactive or not, reads a word unchanged without quotes. It gives a meaning to = at the start.
func isPlain(word string) bool {
	return word != "" && word[0] != '=' && strings.Trim(word, plainCharacters) == ""
}

// plainCharacters are those to which no shell gives a meaning.
const plainCharacters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-+.,:/=@%^"

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
		if char == quote || char == `\` {
			b.WriteByte('\\')
		}
		if endsCommand(s, i) {
			fmt.Fprintf(&b, `\x%02x`, char[0])
		} else {
			b.WriteString(pythonCharacter(char))
		}
	}
	return b.String() + quote
}

// pythonCharacter escapes a character that is not printable, or an invalid byte.
func pythonCharacter(char string) string {
	if !utf8.ValidString(char) {
		return fmt.Sprintf(`\udc%02x`, char[0])
	}
	return Quote(char)
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

// maxPrefix is the maximum length of the prefix of a command to a CI runner, in bytes.
const maxPrefix = 100

// endsCommand reports whether the character at index i completes the prefix of a command to a CI runner, in a line that starts with s.
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
		if leadingDash || endsCommand(name, i) || !isLiteral(char) {
			for _, c := range []byte(char) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
			continue
		}
		if char == `\` || char == "%" {
			b.WriteString(char) // doubled
		}
		b.WriteString(char)
	}
	return `"$(printf '` + b.String() + `')"` + feeds
}

// isLiteral reports whether a character is printable and ends no quotes.
func isLiteral(char string) bool { return Quote(char) == char && !strings.Contains(`'"`, char) }

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
		if *last == "" {
			*last = part
			continue
		}
		if joined := *last + " " + part; displaywidth.String(joined) <= columns-len(` \`) {
			*last = joined
			continue
		}
		lines = append(lines, indent+part)
	}
	return strings.Join(lines, " \\\n")
}

// commandParts splits a command line between its words. A flag or a pipe and the words that follow it are one part.
func commandParts(line string) (parts []string) {
	follows := false // words follow the last part: it starts with a flag or a pipe
	for _, word := range shellWords(line) {
		starts := word == "|" || strings.HasPrefix(word, "-") && word != "-"
		if follows && !starts {
			parts[len(parts)-1] += " " + word
			continue
		}
		parts = append(parts, word)
		follows = starts
	}
	return parts
}

// shellWords splits a command line at the blanks outside quotes, and leaves the quotes.
func shellWords(line string) []string {
	var quote rune
	return strings.FieldsFunc(line, func(r rune) bool {
		switch quote {
		case 0:
			if r == '\'' || r == '"' {
				quote = r
			}
		case r:
			quote = 0
		}
		return r == ' ' && quote == 0
	})
}
