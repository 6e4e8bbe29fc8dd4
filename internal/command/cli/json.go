package cli

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Document is a kind of JSON document. docs/json.md is generated from the comments of their types.
type Document struct {
	Schema string       // value of its schema member: "tlayout/inspect/v1"
	Prints string       // the command that prints it
	Type   reflect.Type // a struct for encoding/json
}

// Messages are the JSON documents on standard error.
var Messages = Document{Schema: "tlayout/message/v1", Prints: "any command with --json, on standard error", Type: reflect.TypeFor[Message]()}

// WriteJSON writes a document like encoding/json, but piece by piece: indented if alone, otherwise on one line.
func WriteJSON(w io.Writer, v any, alone bool) error {
	s := jsonStream{w: w, indent: alone}
	s.value(reflect.ValueOf(v), "")
	s.out.WriteByte('\n')
	s.flush(true)
	return s.err
}

// escapeControls escapes characters that encoding/json leaves in strings but terminals interpret: DEL, C1 controls and bidirectional marks.
func escapeControls(text []byte) []byte {
	plain := func(r rune) bool { return r == '\n' || unicode.IsPrint(r) }
	if bytes.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	var out []byte
	for _, r := range string(text) {
		if plain(r) {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}

// jsonWithList writes a document whose last member is a list of any length, element by element.
type jsonWithList struct {
	w     io.Writer
	alone bool // one element per line; otherwise the whole document on one line
	items int
}

// BeginList writes v without its closing brace and opens the list.
func BeginList(w io.Writer, v any, name string, alone bool) (*jsonWithList, error) {
	var head bytes.Buffer
	if err := WriteJSON(&head, v, false); err != nil {
		return nil, err
	}
	open := bytes.TrimSuffix(bytes.TrimSpace(head.Bytes()), []byte("}"))
	_, err := w.Write(append(open, `,"`+name+`":[`...))
	return &jsonWithList{w: w, alone: alone}, err
}

func (l *jsonWithList) Add(v any) error {
	var item bytes.Buffer
	if l.items++; l.items > 1 {
		item.WriteByte(',')
	}
	if err := WriteJSON(&item, v, false); err != nil {
		return err
	}
	text := item.Bytes()
	if !l.alone {
		text = bytes.TrimSuffix(text, []byte("\n"))
	}
	_, err := l.w.Write(text)
	return err
}

func (l *jsonWithList) End() error {
	_, err := l.w.Write([]byte("]}\n"))
	return err
}
