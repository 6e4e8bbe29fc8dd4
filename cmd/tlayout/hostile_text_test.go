package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/command/fixture"
)

// wrong returns the first dangerous part of a run's output in a format, or "".
func wrong(format string, o outcome) string {
	for _, text := range []string{o.out, o.err} {
		if at := acts(text); at != "" {
			return fmt.Sprintf("prints %.100q", at)
		}
		if at := runnerCommand.FindString(text); at != "" {
			return fmt.Sprintf("a CI runner obeys %.100q", at)
		}
	}
	switch {
	case o.code > 1:
	case format == "json":
		return wrongJSON(o.out)
	case format == "csv":
		return wrongCSV(o.out)
	case format == "markdown":
		return wrongMarkdown(o.out)
	}
	return ""
}

// acts returns the first part of a text that is not UTF-8, or neither printable nor a line feed.
func acts(text string) string {
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 || r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return text[max(0, i-20):min(len(text), i+20)]
		}
	}
	return ""
}

// runnerCommand matches commands to GitHub's runner or Azure's agent.
var runnerCommand = regexp.MustCompile(`(?m)^\s*::.*|##[A-Za-z]*\[.*`)

func wrongJSON(text string) string {
	for dec := json.NewDecoder(strings.NewReader(text)); ; {
		var document map[string]any
		if err := dec.Decode(&document); errors.Is(err, io.EOF) {
			return ""
		} else if err != nil {
			return fmt.Sprintf("is not JSON: %v", err)
		}
	}
}

func wrongCSV(text string) string {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return fmt.Sprintf("is not CSV: %v", err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && strings.Contains("=@\t\r", cell[:1]) || strings.HasPrefix(cell, "+1+1.") || strings.HasPrefix(cell, "-x") || strings.HasPrefix(cell, "--all") {
				return fmt.Sprintf("a spreadsheet runs %.100q", cell)
			}
		}
	}
	return ""
}

var (
	codeSpan = regexp.MustCompile("(`+)[^`].*?`+")
	// inMarkdown matches links, images, tags, comments, mentions, references to issues, and addresses.
	inMarkdown = regexp.MustCompile(`(?i)(^|[^\\])(\]\(|\]\[|\]:|<[a-z/!?]|&[a-z]+;)|@[\pL\pN]|#\pN|GH-\pN|[a-z]://|www\.`)
	cellEnd    = regexp.MustCompile(`(^|[^\\])(\\\\)*\|`)
)

// wrongMarkdown returns what Markdown would not render as text, outside of code, or a row with other columns than its header.
func wrongMarkdown(text string) string {
	columns, fence := 0, ""
	text = strings.ReplaceAll(text, "&#8203;", "\u200b")
	for line := range strings.SplitSeq(text, "\n") {
		if fence != "" || strings.HasPrefix(line, "```") {
			switch {
			case fence == "":
				fence = line[:len(line)-len(strings.TrimLeft(line, "`"))]
			case line == fence:
				fence = ""
			}
			continue
		}
		if strings.HasPrefix(line, "    ") {
			continue
		}
		if at := inMarkdown.FindString(codeSpan.ReplaceAllString(line, "")); at != "" {
			return fmt.Sprintf("Markdown acts on %q in %.200q", at, line)
		}
		n := 0
		if strings.HasPrefix(line, "|") {
			n = len(cellEnd.FindAllString(line, -1))
			if columns != 0 && n != columns {
				return fmt.Sprintf("a row has %d columns, the one before %d: %.200q", n, columns, line)
			}
		}
		columns = n
	}
	if fence != "" {
		return "a block of code does not end"
	}
	return ""
}

// TestWrong: the checks above find violations.
func TestWrong(t *testing.T) {
	for text, format := range map[string]string{
		"a\x9b": "table", "\u202e": "table", "\x1b[m": "json", "a\n ::error::x": "table", "a ##vso[x]": "csv", `{"a": "##[b"}`: "json", "{": "json",
		"a,b\nc\n": "csv", "a\n=b\n": "csv", "a\n\"\tb\"\n": "csv", "[a](b)": "markdown", "x <b>": "markdown", "@team": "markdown", "a #1": "markdown", "https://e.org": "markdown",
		"www.e": "markdown", "| a | b |\n| a |": "markdown", "| a |\n| a\\\\| b |": "markdown", "```\nx": "markdown",
	} {
		if wrong(format, outcome{out: text}) == "" {
			t.Errorf("%s: nothing is wrong with %q", format, text)
		}
	}
	for text, format := range map[string]string{
		"é\n漢": "table", "a ::b": "table", `{"a": "::b"}`: "json", "a,b\nc,-1\n": "csv", "`[a](b)` `@x`": "markdown", `[a\](b) \<b>`: "markdown", "@&#8203;team": "markdown", "```\n<b>\n```": "markdown",
		"| a | b |\n| a\\| | c |": "markdown",
	} {
		if at := wrong(format, outcome{out: text}); at != "" {
			t.Errorf("%s: %q %s", format, text, at)
		}
	}
}

// TestStdoutIsText: commands write standard output through cli.Reports, which keeps it inert, except for the bytes of the files that convert
// and draw make.
func TestStdoutIsText(t *testing.T) {
	for _, path := range fixture.Must(filepath.Glob("../../internal/command/*/*.go")) {
		_, name, _ := strings.Cut(filepath.ToSlash(path), "command/")
		allowed := strings.HasPrefix(name, "cli/") || strings.HasSuffix(name, "_test.go") || name == "convertcmd/write.go" || name == "drawcmd/draw.go"
		if text := fixture.Must(os.ReadFile(path)); !allowed && bytes.Contains(text, []byte(".Stdout")) {
			t.Errorf("%s writes to standard output itself", name)
		}
	}
}
