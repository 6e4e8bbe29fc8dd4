package main

import (
	"bytes"
	"encoding/json"
	"io"
)

// writeJSON writes a document: indented where it stands alone, on one line where several follow each other.
func writeJSON(w io.Writer, v any, alone bool) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if alone {
		enc.SetIndent("", "  ")
	}
	return enc.Encode(v)
}

// jsonWithList writes a document whose last member is a list of any length, item by item.
type jsonWithList struct {
	w     io.Writer
	items int
}

// beginList writes v without its closing brace and opens the list.
func beginList(w io.Writer, v any, name string) (*jsonWithList, error) {
	var head bytes.Buffer
	if err := writeJSON(&head, v, false); err != nil {
		return nil, err
	}
	open := bytes.TrimSuffix(bytes.TrimSpace(head.Bytes()), []byte("}"))
	_, err := w.Write(append(open, `,"`+name+`":[`...))
	return &jsonWithList{w: w}, err
}

func (l *jsonWithList) add(v any) error {
	if l.items++; l.items > 1 {
		if _, err := l.w.Write([]byte(",")); err != nil {
			return err
		}
	}
	return writeJSON(l.w, v, false)
}

func (l *jsonWithList) end() error {
	_, err := l.w.Write([]byte("]}\n"))
	return err
}
