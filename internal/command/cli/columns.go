package cli

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Columns select the cells of a row from a struct, by their JSON names.
//
// To add a column of CSV: a name of JSON where the command makes its Columns, and in the scripts that have the header.
type Columns struct {
	Header []string
	names  []string
}

// NewColumns parses comma-separated names: "contiguous_c" is member c of contiguous, "error=error_message" renames a column.
func NewColumns(text string) (c Columns) {
	for _, column := range strings.Split(text, ",") {
		header, name, _ := strings.Cut(column, "=")
		c.Header = append(c.Header, header)
		c.names = append(c.names, cmp.Or(name, header))
	}
	return c
}

// TableOf returns a table with one row per struct.
func TableOf[T any](columns string, rows ...T) render.Table {
	c := NewColumns(columns)
	t := render.Table{Header: c.Header}
	for _, row := range rows {
		t.Add(c.Cells(row)...)
	}
	return t
}

// Cells returns the row of a struct. Null members, and members of null, are empty.
func (c Columns) Cells(row any) (cells []string) {
	for _, name := range c.names {
		v, known := member(reflect.ValueOf(row), name)
		if !known {
			panic("no column " + name)
		}
		cells = append(cells, cell(v, name))
	}
	return cells
}

// member resolves a name in an object.
func member(v reflect.Value, name string) (x reflect.Value, known bool) {
	switch v = reflect.Indirect(v); v.Kind() {
	case reflect.Invalid:
		return v, true
	case reflect.Map:
		return v.MapIndex(reflect.ValueOf(name)), true
	case reflect.Struct:
		for _, m := range membersOf(v.Type()) {
			if x, known := memberOf(v, m, name); known {
				return x, true
			}
		}
	}
	return v, false
}

// memberOf resolves a name that is that of a field, or that of a member of the field after the field's name and an underscore.
func memberOf(v reflect.Value, m jsonMember, name string) (x reflect.Value, known bool) {
	rest, ok := strings.CutPrefix(name, m.name)
	if !ok {
		return v, false
	}
	x, err := v.FieldByIndexErr(m.Index)
	if rest == "" {
		return x, true
	}
	rest, ok = strings.CutPrefix(rest, "_")
	if !ok {
		return v, false
	}
	if err != nil { // an embedded pointer is nil
		return x, true
	}
	return member(x, rest)
}

// cell formats a value. Dims are joined if they are letters: NCHW.
func cell(v reflect.Value, name string) string {
	v = reflect.Indirect(v)
	if !v.IsValid() {
		return ""
	}
	switch x := v.Interface().(type) {
	case []int:
		return text.Ints(x, ", ")
	case []string:
		if name == "dims" {
			return text.Quote(notation.JoinDims(x))
		}
		return text.Quote(strings.Join(x, " "))
	}
	return text.Quote(fmt.Sprint(v))
}
