package cli

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// jsonStream writes a value like encoding/json, but piece by piece: a document that lists the tensors of a checkpoint can be many times larger than
// its data. It walks structs and lists, and leaves everything else to encoding/json.
type jsonStream struct {
	w      io.Writer
	indent bool
	out    bytes.Buffer // not yet written
	leaf   bytes.Buffer
	enc    *json.Encoder // into leaf
	err    error
}

// pieceOfJSON is the minimum number of bytes per write.
const pieceOfJSON = 64 << 10

// flush writes the buffer if it has a full piece, or if it is the last one.
func (s *jsonStream) flush(last bool) {
	if s.out.Len() < pieceOfJSON && !last || s.err != nil {
		return
	}
	_, s.err = s.w.Write(s.out.Bytes())
	s.out.Reset()
}

var marshalers = []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()}

// own reports whether a type marshals itself.
func own(t reflect.Type) bool {
	return slices.ContainsFunc(marshalers, func(m reflect.Type) bool { return t.Implements(m) || reflect.PointerTo(t).Implements(m) })
}

// value writes a value whose lines begin with prefix.
func (s *jsonStream) value(v reflect.Value, prefix string) {
	v = pointee(v)
	if !v.IsValid() || own(v.Type()) {
		s.other(v, prefix)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		s.object(v, prefix)
	case reflect.Slice, reflect.Array:
		s.list(v, prefix)
	default:
		s.other(v, prefix)
	}
}

// pointee follows pointers and interfaces to a value that is neither, that marshals itself, or that is nil.
func pointee(v reflect.Value) reflect.Value {
	for v.IsValid() && !own(v.Type()) {
		if v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface {
			return v
		}
		if v.IsNil() {
			return v
		}
		v = v.Elem()
	}
	return v
}

// list writes a slice or an array. encoding/json writes bytes as base64, and an empty list on one line.
func (s *jsonStream) list(v reflect.Value, prefix string) {
	if v.Type().Elem().Kind() == reflect.Uint8 || v.Len() == 0 {
		s.other(v, prefix)
		return
	}
	s.out.WriteByte('[')
	for i := range v.Len() {
		s.next(i == 0, prefix)
		s.value(v.Index(i), prefix+"  ")
		s.flush(false)
	}
	s.end(']', prefix)
}

// next begins the next item of an object or list.
func (s *jsonStream) next(first bool, prefix string) {
	if !first {
		s.out.WriteByte(',')
	}
	if s.indent {
		s.out.WriteString("\n" + prefix + "  ")
	}
}

// end closes an object or list with items.
func (s *jsonStream) end(bracket byte, prefix string) {
	if s.indent {
		s.out.WriteString("\n" + prefix)
	}
	s.out.WriteByte(bracket)
}

// other writes a value with encoding/json.
func (s *jsonStream) other(v reflect.Value, prefix string) {
	if !v.IsValid() {
		s.out.WriteString("null")
		return
	}
	s.leaf.Reset()
	if s.enc == nil {
		s.enc = json.NewEncoder(&s.leaf)
		s.enc.SetEscapeHTML(false)
	}
	if s.indent {
		s.enc.SetIndent(prefix, "  ")
	}
	if v.CanAddr() {
		v = v.Addr() // for methods with a pointer receiver
	}
	if err := s.enc.Encode(v.Interface()); err != nil {
		s.err = cmp.Or(s.err, err)
		return
	}
	s.out.Write(escapeControls(bytes.TrimSuffix(s.leaf.Bytes(), []byte("\n"))))
}

// object writes a struct.
func (s *jsonStream) object(v reflect.Value, prefix string) {
	s.out.WriteByte('{')
	first := true
	for _, f := range fieldsOf(v.Type()) {
		x, err := v.FieldByIndexErr(f.index)
		if err != nil || f.omits(x) { // err: inside a nil embedded pointer
			continue
		}
		s.next(first, prefix)
		s.out.WriteString(f.name)
		if s.indent {
			s.out.WriteByte(' ')
		}
		s.value(x, prefix+"  ")
		first = false
	}
	if first {
		s.out.WriteByte('}')
		return
	}
	s.end('}', prefix)
}

// jsonField is a struct field as encoding/json sees it.
type jsonField struct {
	name  string // quoted, with colon
	index []int
	empty bool // omitempty
	zero  bool // omitzero
}

func (f jsonField) omits(x reflect.Value) bool {
	if f.zero {
		if z, ok := x.Interface().(interface{ IsZero() bool }); ok && (x.Kind() != reflect.Pointer || !x.IsNil()) {
			return z.IsZero()
		}
		if x.IsZero() {
			return true
		}
	}
	if !f.empty {
		return false
	}
	switch x.Kind() {
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return x.Len() == 0
	case reflect.Struct:
		return false
	}
	return x.IsZero()
}

var jsonFields sync.Map // of reflect.Type: []jsonField

// fieldsOf returns the fields that encoding/json writes, in its order; among fields of one name, the least deeply embedded one.
func fieldsOf(t reflect.Type) []jsonField {
	if known, ok := jsonFields.Load(t); ok {
		return known.([]jsonField)
	}
	at := map[string]int{}
	var fields []jsonField
	for _, f := range embeddedFields(t, nil) {
		i, again := at[f.name]
		if !again {
			at[f.name] = len(fields)
			fields = append(fields, f)
			continue
		}
		if len(f.index) < len(fields[i].index) {
			fields[i] = f
		}
	}
	slices.SortFunc(fields, func(a, b jsonField) int { return slices.Compare(a.index, b.index) })
	jsonFields.Store(t, fields)
	return fields
}

// embeddedFields returns all fields of a struct at index, including those of embedded structs.
func embeddedFields(t reflect.Type, index []int) (fields []jsonField) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Tag.Get("json") == "-" {
			continue
		}
		path := append(slices.Clone(index), i)
		if inner, ok := embeddedStruct(f); ok && name == "" {
			fields = append(fields, embeddedFields(inner, path)...)
			continue
		}
		if f.IsExported() {
			has := func(option string) bool { return slices.Contains(strings.Split(options, ","), option) }
			fields = append(fields, jsonField{quotedName(cmp.Or(name, f.Name)), path, has("omitempty"), has("omitzero")})
		}
	}
	return fields
}

// embeddedStruct returns the struct of an embedded field, unless it marshals itself.
func embeddedStruct(f reflect.StructField) (t reflect.Type, ok bool) {
	if !f.Anonymous || own(f.Type) {
		return nil, false
	}
	t = f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t, t.Kind() == reflect.Struct
}

func quotedName(name string) string {
	text, _ := json.Marshal(name) // a string
	return string(text) + ":"
}
