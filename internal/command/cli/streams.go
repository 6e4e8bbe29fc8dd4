package cli

import (
	"bytes"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/text"
)

// Streams connect the program to its user. Tests replace them with buffers.
type Streams struct {
	In        io.Reader
	Out, Err  io.Writer
	Width     int  // of the terminal; 0 if standard output is not one
	Height    int  // of the terminal; 0 if unknown
	ErrWidth  int  // of the terminal of standard error
	Unicode   bool // the locale is UTF-8: lines and bars are drawn
	Env       func(string) (string, bool)
	Variables []string // names of the environment variables
	UserDir   string   // the user's configuration folder
}

// System returns the streams and environment of this process.
func System() *Streams {
	s := &Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.LookupEnv, Unicode: utf8Locale(os.Getenv)}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		s.Variables = append(s.Variables, name)
	}
	s.UserDir, _ = os.UserConfigDir()
	s.Width = TerminalWidth(os.Stdout)
	s.ErrWidth = TerminalWidth(os.Stderr)
	if s.Width > 0 {
		_, s.Height, _ = term.GetSize(int(os.Stdout.Fd()))
	}
	return s
}

// TerminalWidth returns the width of a terminal, 80 if it does not report one; 0 if the stream is not a terminal.
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

// Columns returns the width for drawings; 100 off a terminal.
func (s *Streams) Columns() int {
	if s.Width == 0 {
		return 100
	}
	return max(text.MinColumns, s.Width)
}

// Fold wraps a line to the terminal, and indents continuation lines. Off a terminal it does nothing.
func (s *Streams) Fold(line string, indent int) string {
	line = s.spell(line)
	if s.Width == 0 {
		return line
	}
	return text.Fold(line, s.Columns(), indent)
}

// spell converts text to ASCII unless the locale is UTF-8.
func (s *Streams) spell(line string) string {
	if s.Unicode {
		return line
	}
	return text.ASCII(line)
}

// plain returns w, or a writer to w that converts to ASCII.
func (s *Streams) plain(w io.Writer) io.Writer {
	if s.Unicode {
		return w
	}
	return text.ASCIIWriter(w)
}

// printErr writes a line to standard error, wrapped to a terminal. All errors, hints and warnings pass through it, because they may quote text from
// files; it also quotes names in errors of package os.
func (s *Streams) printErr(line string) {
	line = s.spell(text.Quote(line))
	if s.ErrWidth > 0 {
		line = text.Fold(line, max(text.MinColumns, s.ErrWidth), 2)
	}
	s.say(line + "\n")
}

// say writes text to standard error, ignoring errors: they could not be reported anyway.
func (s *Streams) say(line string) {
	io.WriteString(text.InertWriter(s.Err), line) //nolint:errcheck // as above
}

// utf8Locale reports whether the locale is UTF-8. It assumes so if none is set, as in most containers.
func utf8Locale(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := env(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// colorMode selects when headings are bold and cells are colored.
type colorMode string

// The color modes.
const (
	ColorAuto   colorMode = "auto"
	ColorAlways colorMode = "always"
	ColorNever  colorMode = "never"
)

// Bolds reports whether headings are bold and cells colored.
func (a *App) Bolds() bool {
	if a.Format == Markdown {
		return false
	}
	switch a.Color {
	case ColorAlways:
		return true
	case ColorAuto:
		_, noColor := a.Streams.Env("NO_COLOR")
		term, _ := a.Streams.Env("TERM")
		return a.Streams.Width > 0 && !noColor && term != "dumb"
	default:
		return false
	}
}

// FileWidth is the width of text that is drawn into a file, in columns.
const FileWidth = 100

// Lines returns the number of lines of a scene as text on the terminal; 0 if it cannot be drawn.
func (a *App) Lines(s scene.Scene) int {
	var b bytes.Buffer
	if err := s.Text(&b, a.TextOptions()); err != nil {
		return 0
	}
	return bytes.Count(b.Bytes(), []byte("\n"))
}

// TextOptions returns the properties of the terminal for charts and scenes.
func (a *App) TextOptions() scene.TextOptions {
	depth, _ := a.Streams.Env("COLORTERM")
	return scene.TextOptions{Width: a.Streams.Columns(), Unicode: a.Streams.Unicode, Color: a.Bolds(),
		TrueColor: depth == "truecolor" || depth == "24bit"}
}
