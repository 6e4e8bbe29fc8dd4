package main

import (
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
	unicode  bool // the terminal can draw lines
	env      func(string) (string, bool)
	dir      string // where the search for .tlayout.yaml starts
	userDir  string // the user's configuration folder
}

func systemStreams() *streams {
	s := &streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.LookupEnv, unicode: utf8Locale(os.Getenv)}
	s.dir, _ = os.Getwd()
	s.userDir, _ = os.UserConfigDir()
	if term.IsTerminal(int(os.Stdout.Fd())) {
		s.width = 80
		if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w > 0 {
			s.width = w
		}
	}
	return s
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
	if s.width == 0 || displaywidth.String(line) <= s.columns() {
		return line
	}
	var b strings.Builder
	column := 0
	for _, word := range strings.Split(line, " ") {
		width := displaywidth.String(word)
		switch {
		case b.Len() == 0:
		case column+1+width > s.columns():
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
