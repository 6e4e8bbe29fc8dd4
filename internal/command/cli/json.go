package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Document is a kind of JSON document. The comments of its type are the meanings in its schema, docs/schema.
type Document struct {
	Schema string       // value of its schema member: "tlayout/inspect/v1"
	Prints string       // the command that prints it
	Type   reflect.Type // a struct for encoding/json
}

// Messages are the JSON documents on standard error.
var Messages = Document{Schema: "tlayout/message/v1", Prints: "any command with --json, on standard error", Type: reflect.TypeFor[Message]()}

// WriteJSON writes a document as encoding/json does: indented if alone, otherwise on one line. It encodes the lists of the document element by
// element: the text about the tensors of a checkpoint can be many times larger than what is known of them.
func WriteJSON(w io.Writer, v any, alone bool) error {
	out := bufio.NewWriterSize(w, 64<<10)
	d := jsonDocument{Writer: out, alone: alone}
	if err := d.write(v); err != nil {
		return err
	}
	return out.Flush()
}

// jsonDocument is a document being written. A failed Write is reported by Flush.
type jsonDocument struct {
	*bufio.Writer
	alone   bool
	text    bytes.Buffer // of one value
	members int          // written
}

func (d *jsonDocument) write(v any) error {
	_, marshals := v.(json.Marshaler)
	document := reflect.Indirect(reflect.ValueOf(v))
	if marshals || document.Kind() != reflect.Struct {
		text, err := d.encode(v, "")
		d.Write(text)
		d.WriteByte('\n')
		return err
	}
	d.WriteByte('{')
	for _, m := range membersOf(document.Type()) {
		value, err := document.FieldByIndexErr(m.Index)
		if err != nil { // the field of an embedded pointer that is nil
			continue
		}
		if err := d.member(m, value); err != nil {
			return err
		}
	}
	if d.members > 0 {
		d.newLine("")
	}
	d.WriteString("}\n")
	return nil
}

// member writes a member of the document. A single member is a struct of its own, so that encoding/json decides about its name and whether to
// omit it.
func (d *jsonDocument) member(m jsonMember, value reflect.Value) error {
	if m.Type.Kind() == reflect.Slice && m.Type.Elem().Kind() == reflect.Struct && value.Len() > 0 {
		return d.list(m.name, value)
	}
	single := reflect.New(reflect.StructOf([]reflect.StructField{{Name: m.Name, Type: m.Type, Tag: m.Tag}}))
	single.Elem().Field(0).Set(value)
	object, err := d.encode(single.Interface(), "")
	if err != nil {
		return err
	}
	text := bytes.TrimSuffix(object[1:len(object)-1], []byte("\n"))
	if len(text) == 0 { // omitted
		return nil
	}
	d.next()
	d.Write(text)
	return nil
}

func (d *jsonDocument) list(name string, list reflect.Value) error {
	d.next()
	d.newLine("  ")
	d.WriteString(strconv.Quote(name) + ":")
	if d.alone {
		d.WriteByte(' ')
	}
	d.WriteByte('[')
	for i := range list.Len() {
		if i > 0 {
			d.WriteByte(',')
		}
		d.newLine("    ")
		text, err := d.encode(list.Index(i).Addr().Interface(), "    ")
		if err != nil {
			return err
		}
		if _, err := d.Write(text); err != nil {
			return err
		}
	}
	d.newLine("  ")
	d.WriteByte(']')
	return nil
}

// jsonMember is a field of a struct that encoding/json writes as a member of its object.
type jsonMember struct {
	reflect.StructField
	name string // of the member
}

var knownMembers sync.Map // of reflect.Type: []jsonMember

// membersOf returns the members of a struct's object, with those of embedded structs.
func membersOf(t reflect.Type) []jsonMember {
	if known, ok := knownMembers.Load(t); ok {
		return known.([]jsonMember)
	}
	var all, members []jsonMember
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if field.Anonymous && name == "" {
			for _, m := range membersOf(structOf(field.Type)) {
				m.Index = append(slices.Clone(field.Index), m.Index...)
				all = append(all, m)
			}
			continue
		}
		if field.IsExported() {
			all = append(all, jsonMember{field, cmp.Or(name, field.Name)})
		}
	}
	for _, m := range all {
		hidden := slices.ContainsFunc(all, func(o jsonMember) bool { return o.name == m.name && len(o.Index) < len(m.Index) })
		if !hidden {
			members = append(members, m)
		}
	}
	knownMembers.Store(t, members)
	return members
}

// structOf returns an embedded struct's type.
func structOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// next separates a member from the previous one.
func (d *jsonDocument) next() {
	if d.members > 0 {
		d.WriteByte(',')
	}
	d.members++
}

func (d *jsonDocument) newLine(indent string) {
	if d.alone {
		d.WriteString("\n" + indent)
	}
}

// encode returns the text of a value, whose lines after the first begin with prefix. It is valid until the next call.
func (d *jsonDocument) encode(v any, prefix string) ([]byte, error) {
	d.text.Reset()
	enc := json.NewEncoder(&d.text)
	enc.SetEscapeHTML(false)
	if d.alone {
		enc.SetIndent(prefix, "  ")
	}
	err := enc.Encode(v)
	return escapeControls(bytes.TrimSuffix(d.text.Bytes(), []byte("\n"))), err
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
