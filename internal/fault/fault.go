// Package fault describes failures: what went wrong, whose fault it is, and what to do about it.
//
// Every package returns its expected failures as *Error; the command line turns the class into an exit code and prints
// "tlayout: error: Text" and "tlayout: hint: Hint". Errors of any other type count as Resource.
//
// Texts are lower case, without a full stop, and name the thing concerned. Text that comes from a file must be quoted with text.Quote
// before it is put into an error: it may contain control characters.
package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"unicode"
)

// Class is whose fault an error is, and the program's exit code.
type Class int

// The classes, in the order of their exit codes.
const (
	Negative    Class = 1 // the question was answered with no
	Usage       Class = 2 // the request is contradictory or unknown
	Malformed   Class = 3 // the input's bytes break its format
	Unsupported Class = 4 // well formed, but with an unsupported dtype, layout or feature
	Resource    Class = 5 // reading, writing, memory, disk
)

// String returns the class in one word, as in JSON.
func (c Class) String() string {
	return [...]string{"", "negative", "usage", "malformed", "unsupported", "resource"}[c]
}

// Error is an expected failure.
type Error struct {
	Class Class
	Text  string // what, where
	Hint  string // what to do; may be empty
}

func (e *Error) Error() string { return e.Text }

// New returns an error of this class.
func New(c Class, format string, args ...any) *Error {
	return &Error{Class: c, Text: fmt.Sprintf(format, args...)}
}

// WithHint returns the error with a hint.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// In prefixes the text of err with where it happened, keeping class and hint.
func In(where string, err error) error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return &Error{Class: e.Class, Text: where + ": " + e.Text, Hint: e.Hint}
	}
	return fmt.Errorf("%s: %w", where, err)
}

// ClassOf returns the class of err; Resource if err is not an *Error.
func ClassOf(err error) Class {
	var e *Error
	if errors.As(err, &e) {
		return e.Class
	}
	return Resource
}

// fileKinds names the types of irregular files, more specific ones first.
var fileKinds = []struct {
	mode fs.FileMode
	name string
}{{fs.ModeDir, "a directory"}, {fs.ModeSymlink, "a symbolic link"}, {fs.ModeNamedPipe, "a pipe"}, {fs.ModeSocket, "a socket"}, {fs.ModeDevice, "a device"}}

// FileKind names what an irregular file is, to follow "it is".
func FileKind(mode fs.FileMode) string {
	for _, k := range fileKinds {
		if mode&k.mode != 0 {
			return k.name
		}
	}
	return "not a regular file"
}

// Cause returns the innermost error that err wraps, without the os package's operation and path.
func Cause(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	if number, ok := err.(syscall.Errno); ok {
		return systemError{number}
	}
	return err
}

// systemError is an error of the system, in lower case on all systems.
type systemError struct{ syscall.Errno }

func (e systemError) Error() string {
	text := e.Errno.Error()
	if len(text) < 2 || !unicode.IsLower(rune(text[1])) { // as I/O error
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// Unwrap returns the number.
func (e systemError) Unwrap() error { return e.Errno }

// Record is an error in a JSON document.
type Record struct {
	// of an error: usage, malformed, unsupported, resource or negative (the answer is no)
	Class    string `json:"class"`
	ExitCode Class  `json:"exit_code"` // exit code that it has alone
	Message  string `json:"message"`   // what is wrong; of frameworks, in their own words
	Hint     string `json:"hint"`      // what to type instead; empty without one
}

// RecordOf returns the record of err, or nil.
func RecordOf(err error) *Record {
	if err == nil {
		return nil
	}
	r := &Record{Class: ClassOf(err).String(), ExitCode: ClassOf(err), Message: err.Error()}
	var e *Error
	if errors.As(err, &e) {
		r.Hint = e.Hint
	}
	return r
}
