package cli

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/words"
)

// Streams connect the program to its user. Tests replace them by buffers.
type Streams struct {
	In        io.Reader
	Out, Err  io.Writer
	Width     int  // columns of the terminal; 0 if standard output is none
	Height    int  // its rows; 0 if it does not report them
	ErrWidth  int  // the same for standard error
	Unicode   bool // the locale is UTF-8: lines and bars are drawn
	Env       func(string) (string, bool)
	Variables []string // names of the environment's variables
	dir       string   // where the search for .tlayout.yaml starts
	UserDir   string   // the user's configuration folder
}

// System returns the streams and the environment of this process.
func System() *Streams {
	s := &Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.LookupEnv, Unicode: utf8Locale(os.Getenv)}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		s.Variables = append(s.Variables, name)
	}
	s.dir, _ = os.Getwd()
	s.UserDir, _ = os.UserConfigDir()
	s.Width, s.ErrWidth = TerminalWidth(os.Stdout), TerminalWidth(os.Stderr)
	if s.Width > 0 {
		_, s.Height, _ = term.GetSize(int(os.Stdout.Fd()))
	}
	return s
}

// TerminalWidth is the number of columns if a stream is a terminal, 80 if the terminal does not report it; 0 otherwise.
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

// Columns is the width that drawings are laid out for, 100 off a terminal.
func (s *Streams) Columns() int {
	if s.Width == 0 {
		return 100
	}
	return max(words.MinColumns, s.Width)
}

// Fold breaks a line between words where it is wider than the terminal, and indents what follows. Off a terminal nothing is
// folded.
func (s *Streams) Fold(line string, indent int) string {
	line = s.spell(line)
	if s.Width == 0 {
		return line
	}
	return words.Fold(line, s.Columns(), indent)
}

// spell is a text of a page or a message as the locale shows it: in ASCII, unless that is UTF-8.
func (s *Streams) spell(text string) string {
	if s.Unicode {
		return text
	}
	return words.ASCII(text)
}

// plain is w, or a writer that spells what it is given in ASCII on w.
func (s *Streams) plain(w io.Writer) io.Writer {
	if s.Unicode {
		return w
	}
	return words.ASCIIWriter(w)
}

// printErr writes a line to standard error, folded if that is a terminal. Whatever else quotes text from files, no error,
// hint or warning reaches the screen but through here, where the names in the errors of package os are quoted too.
func (s *Streams) printErr(line string) {
	line = s.spell(words.Quote(line))
	if s.ErrWidth > 0 {
		line = words.Fold(line, max(words.MinColumns, s.ErrWidth), 2)
	}
	s.say(line + "\n")
}

// say writes text to standard error, whatever can be written of it: there is nowhere left to say that it failed.
func (s *Streams) say(text string) {
	io.WriteString(words.InertWriter(s.Err), text) //nolint:errcheck // as above
}

// utf8Locale reports whether the locale is UTF-8. With no locale set, as in most containers, it is assumed to be.
func utf8Locale(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := env(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// colorMode says when headings are bold and cells are colored.
type colorMode string

// The color modes.
const (
	ColorAuto   colorMode = "auto"
	ColorAlways colorMode = "always"
	ColorNever  colorMode = "never"
)

// Bolds reports whether headings are bold and cells colored.
func (a *App) Bolds() bool {
	_, noColor := a.Streams.Env("NO_COLOR")
	term, _ := a.Streams.Env("TERM")
	auto := a.Streams.Width > 0 && !noColor && term != "dumb"
	return a.Format != Markdown && (a.Color == ColorAlways || a.Color == ColorAuto && auto)
}

// TextOptions describes the terminal to charts and scenes.
func (a *App) TextOptions() scene.TextOptions {
	depth, _ := a.Streams.Env("COLORTERM")
	return scene.TextOptions{Width: a.Streams.Columns(), Unicode: a.Streams.Unicode, Color: a.Bolds(),
		TrueColor: depth == "truecolor" || depth == "24bit"}
}
