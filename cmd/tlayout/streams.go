package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/term"
)

// streams are the program's ends towards its user; tests put buffers in their place.
type streams struct {
	in       io.Reader
	out, err io.Writer
	width    int  // columns of the terminal; 0 where standard output is none
	errWidth int  // the same of standard error
	unicode  bool // the terminal can draw lines
	env      func(string) (string, bool)
	dir      string // where the search for .tlayout.yaml starts
	userDir  string // the user's configuration folder
}

func systemStreams() *streams {
	s := &streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.LookupEnv, unicode: utf8Locale(os.Getenv)}
	s.dir, _ = os.Getwd()
	s.userDir, _ = os.UserConfigDir()
	s.width, s.errWidth = terminalWidth(os.Stdout), terminalWidth(os.Stderr)
	return s
}

// terminalWidth is a terminal's columns, 80 where it does not say; 0 for what is no terminal.
func terminalWidth(f *os.File) int {
	if !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		return w
	}
	return 80
}

// columns is the width that output is laid out for.
func (s *streams) columns() int {
	if s.width == 0 {
		return 100
	}
	return max(40, s.width)
}

// fold breaks a line between words where it is wider than the terminal; what follows is set in by some columns.
func (s *streams) fold(line string, indent int) string {
	if s.width == 0 {
		return line
	}
	return fold(line, s.columns(), indent)
}

// complain writes a line to standard error, folded where that is a terminal.
func (s *streams) complain(line string) {
	if s.errWidth > 0 {
		line = fold(line, max(40, s.errWidth), 2)
	}
	fmt.Fprintln(s.err, line)
}

// fold keeps the blanks at the beginning of the line.
func fold(line string, columns, indent int) string {
	if displaywidth.String(line) <= columns {
		return line
	}
	text := strings.TrimLeft(line, " ")
	var b strings.Builder
	b.WriteString(line[:len(line)-len(text)])
	column := b.Len()
	for i, word := range strings.Split(text, " ") {
		width := displaywidth.String(word)
		switch {
		case i == 0:
		case column+1+width > columns:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += width
	}
	return b.String()
}

// utf8Locale reports whether the locale writes UTF-8. Without any locale set, as in most containers, it does.
func utf8Locale(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := env(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}
