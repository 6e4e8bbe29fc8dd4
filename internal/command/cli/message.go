package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// Message is a line on standard error under --json: an error, a warning or a note.
type Message struct {
	Schema   string `json:"schema"`
	Level    string `json:"level"` // error, warning or note
	Class    string `json:"class,omitempty"`
	ExitCode int    `json:"exit_code,omitempty"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
}

// PrintError prints an error and its hint.
func (a *App) PrintError(err error) {
	class := fault.ClassOf(err)
	m := Message{Level: "error", Class: class.String(), ExitCode: int(class), Message: err.Error()}
	var e *fault.Error
	if errors.As(err, &e) {
		m.Hint = e.Hint
	}
	a.emit(m)
}

// misuse is a Usage error of one of many sources, which others may share: flags that are wrong for one are wrong for all that are like it.
type misuse struct {
	source name.Name
	text   string // without the source's name
	others int    // sources that have the same error
}

// PrintErrorOf prints an error about one of many sources. Of Usage errors that are equal but for the names of their sources it prints the first; how many
// others there are follows at the end of the run. Programs, which read JSON, get them all.
func (a *App) PrintErrorOf(source name.Name, err error) {
	if fault.ClassOf(err) != fault.Usage || a.Format == JSON {
		a.PrintError(err)
		return
	}
	content := strings.ReplaceAll(err.Error(), source.String(), "")
	for i := range a.misused {
		if a.misused[i].text == content {
			a.misused[i].others++
			return
		}
	}
	a.misused = append(a.misused, misuse{source: source, text: content})
	a.PrintError(err)
}

// endErrors says how many sources have an error that was printed for another one.
func (a *App) endErrors() {
	for _, m := range a.misused {
		if m.others > 0 {
			a.Flush()
			a.emit(Message{Level: "error", Message: text.Count(m.others, "other source") + text.Plural(m.others, " has", " have") + " the error of " + m.source.String()})
		}
	}
}

// Warn prints warnings to standard error. Write prints those of a Report.
func (a *App) Warn(texts []string) {
	for _, t := range texts {
		if !a.Quiet {
			a.emit(Message{Level: "warning", Message: t})
		}
	}
}

// Detail writes a line about how the answer was reached to standard error, with --verbose.
func (a *App) Detail(format string, args ...any) {
	if a.Verbose {
		a.emit(Message{Level: "note", Message: fmt.Sprintf(format, args...)})
	}
}

// Hint writes a line about the output to standard error, after the output; nothing for "" or if a program reads the output.
func (a *App) Hint(line string) {
	if line == "" || a.Format == JSON || a.Quiet {
		return
	}
	a.Flush()
	a.emit(Message{Level: "note", Message: line})
}

// emit writes a message to standard error, with --json as one line of JSON.
func (a *App) emit(m Message) {
	if a.Format == JSON {
		m.Schema = Messages.Schema
		m.Message = text.Quote(m.Message)
		m.Hint = text.Quote(m.Hint)
		var line bytes.Buffer
		Must(WriteJSON(&line, m, false))
		a.Streams.say(line.String())
		return
	}
	level := m.Level + ": "
	if m.Level == "note" {
		level = ""
	}
	a.Streams.printErr("tlayout: " + level + m.Message)
	if m.Hint != "" {
		a.Streams.printErr("tlayout: hint: " + m.Hint)
	}
}

// asksJSON reports whether a command line that failed to parse requests JSON.
func asksJSON(args []string) bool {
	for i, arg := range args {
		switch arg {
		case "--":
			return false
		case "--json", "--format=json", "-fjson", "-f=json":
			return true
		case "--format", "-f":
			if i+1 < len(args) && args[i+1] == string(JSON) {
				return true
			}
		}
	}
	return false
}
