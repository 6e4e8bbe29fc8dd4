package text

import (
	"fmt"
	"io"
)

// InertWriter writes text to w so that a CI runner finds no command in it, whatever names it contains and however it is split into writes.
// GitHub's runner obeys a line that starts, after spaces, with ::name, and ##[name] anywhere in a line (actions/runner, ActionCommand.cs);
// Azure's agent obeys ##vso[name] anywhere, and TeamCity ##teamcity[name]. The second colon and the bracket become \u003a and \u005b, which
// JSON strings decode to the original.
func InertWriter(w io.Writer) io.Writer { return &inertWriter{w: w} }

type inertWriter struct {
	w     io.Writer
	state inertState
	text  []byte // reused
}

// inertState is the prefix of a command matched so far.
type inertState uint8

const (
	lineBegun inertState = iota // only spaces on the line
	oneColon                    // first one on the line
	inLine                      // no command
	oneHash
	twoHashes
	hashedName // ## and letters
)

// Write reports all of text as written if w wrote the converted text.
func (i *inertWriter) Write(text []byte) (int, error) {
	i.text = i.text[:0]
	for _, c := range text {
		if i.state.completes(c) {
			i.text = fmt.Appendf(i.text, `\u%04x`, c)
		} else {
			i.text = append(i.text, c)
		}
		i.state = i.state.after(c)
	}
	if n, err := i.w.Write(i.text); err != nil {
		return min(n, len(text)), err
	}
	return len(text), nil
}

// completes reports whether a character completes the prefix of a command.
func (s inertState) completes(c byte) bool {
	switch c {
	case ':':
		return s == oneColon
	case '[':
		return s >= twoHashes
	}
	return false
}

// after returns the state after another character.
func (s inertState) after(c byte) inertState {
	switch c {
	case '\n', '\r':
		return lineBegun
	case ' ', '\t', '\v', '\f':
		if s == lineBegun {
			return lineBegun
		}
	case '#':
		if s == oneHash || s == twoHashes {
			return twoHashes
		}
		return oneHash
	case ':':
		if s == lineBegun {
			return oneColon
		}
	}
	if letter := 'a' <= c|0x20 && c|0x20 <= 'z'; letter && s >= twoHashes {
		return hashedName
	}
	return inLine
}
