package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/words"
)

// Streams are the program's ends towards its user; tests put buffers in their place.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Width    int  // Columns of the terminal; 0 where standard output is none
	ErrWidth int  // the same of standard error
	Unicode  bool // the terminal can draw lines
	Env      func(string) (string, bool)
	dir      string // where the search for .tlayout.yaml starts
	UserDir  string // the user's configuration folder
}

func System() *Streams {
	s := &Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.LookupEnv, Unicode: utf8Locale(os.Getenv)}
	s.dir, _ = os.Getwd()
	s.UserDir, _ = os.UserConfigDir()
	s.Width, s.ErrWidth = TerminalWidth(os.Stdout), TerminalWidth(os.Stderr)
	return s
}

// TerminalWidth is the columns of the terminal that a stream is, 80 where it does not say; 0 where it is none.
func TerminalWidth(stream any) int {
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		return w
	}
	return 80
}

// Columns is the width that output is laid out for.
func (s *Streams) Columns() int {
	if s.Width == 0 {
		return 100
	}
	return max(40, s.Width)
}

// Fold breaks a line between words where it is wider than the terminal; what follows is set in by some columns.
func (s *Streams) Fold(line string, indent int) string {
	if s.Width == 0 {
		return line
	}
	return words.Fold(line, s.Columns(), indent)
}

// complain writes a line to standard error, folded where that is a terminal.
func (s *Streams) complain(line string) {
	if s.ErrWidth > 0 {
		line = words.Fold(line, max(40, s.ErrWidth), 2)
	}
	fmt.Fprintln(s.Err, line)
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

// colorMode says when headings are set in bold.
type colorMode string

const (
	ColorAuto   colorMode = "auto"
	ColorAlways colorMode = "always"
	ColorNever  colorMode = "never"
)

// Bold marks a heading on terminals that want it.
func (a *App) Bold(s string) string {
	if a.Bolds() {
		return "\x1b[1m" + s + "\x1b[0m"
	}
	return s
}

func (a *App) Bolds() bool {
	_, noColor := a.Streams.Env("NO_COLOR")
	term, _ := a.Streams.Env("TERM")
	auto := a.Streams.Width > 0 && !noColor && term != "dumb"
	return a.Format != Markdown && (a.Color == ColorAlways || a.Color == ColorAuto && auto)
}

// TextOptions says what the terminal shows.
func (a *App) TextOptions() scene.TextOptions {
	depth, _ := a.Streams.Env("COLORTERM")
	return scene.TextOptions{Width: a.Streams.Columns(), Unicode: a.Streams.Unicode, Color: a.Bolds(),
		TrueColor: depth == "truecolor" || depth == "24bit"}
}
