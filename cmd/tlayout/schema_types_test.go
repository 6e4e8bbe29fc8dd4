package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/tensor"
)

// draft is the version of JSON Schema.
const draft = "https://json-schema.org/draft/2020-12/schema"

// written maps types whose JSON differs from their Go type to its schema.
var written = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[[]byte]():             {Type: "string", ContentEncoding: "base64"},
	reflect.TypeFor[tensor.Answer]():      {Type: "string", Enum: []any{"yes", "no", "unknown"}},
	reflect.TypeFor[scene.Address]():      {Type: "string"},
	reflect.TypeFor[vector.TintKind]():    {Type: "string"},
	reflect.TypeFor[source.OrderSource](): {Type: "string"},
	reflect.TypeFor[scene.CellKind]():     {Type: "string"},
	reflect.TypeFor[scene.Tint]():         {Types: []string{"null", "integer"}},
}

// schemaOf returns the schema of a document, which allows exactly the names of the document's type. A field is
//
//   - required unless its tag has omitempty or omitzero; of an embedded pointer with such a tag, none is,
//   - null where it is a pointer, or a slice whose tag says so: jsonschema:"null for a blocked layout".
//
// Descriptions are the vocabulary's meanings. A type without JSON is an error.
func (v vocabulary) schemaOf(d cli.Document) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(d.Type, &jsonschema.ForOptions{TypeSchemas: written})
	if err != nil {
		return nil, err
	}
	if err := v.refine(d.Type, s); err != nil {
		return nil, err
	}
	s.Schema, s.ID, s.Title = draft, "urn:"+strings.ReplaceAll(d.Schema, "/", ":"), "JSON of "+d.Prints
	own := any(d.Schema)
	s.Properties["schema"].Const = &own
	return s, nil
}

// refine walks a type and its schema in parallel, and adds what Go's types do not say: which values may be null, and what names mean.
func (v vocabulary) refine(t reflect.Type, s *jsonschema.Schema) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if written[t] != nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		notNull(t.Elem(), s.Items)
		return v.refine(t.Elem(), s.Items)
	case reflect.Map:
		notNull(t.Elem(), s.AdditionalProperties)
		return v.refine(t.Elem(), s.AdditionalProperties)
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			if err := v.refineField(t, f, s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v vocabulary) refineField(t reflect.Type, f reflect.StructField, s *jsonschema.Schema) error {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	omitted := strings.Contains(options, "omit")
	if f.Anonymous && omitted {
		for _, inner := range reflect.VisibleFields(f.Type.Elem()) {
			s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == jsonName(inner) })
		}
	}
	p := s.Properties[name]
	if f.Anonymous || !f.IsExported() || name == "-" {
		return nil
	}
	if p == nil || name == "" {
		return fmt.Errorf("%v.%s has no name in JSON", t, f.Name)
	}
	tag := f.Tag.Get("jsonschema")
	if isPointer := f.Type.Kind() == reflect.Pointer; omitted || !isPointer && !strings.HasPrefix(tag, "null") {
		notNull(f.Type, p)
	}
	p.Description = v[name]
	if tag != "" {
		p.Description += "; " + tag
	}
	return v.refine(f.Type, p)
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// notNull removes null from the types of a schema.
func notNull(t reflect.Type, s *jsonschema.Schema) {
	if i := slices.Index(s.Types, "null"); i >= 0 && written[t] == nil {
		s.Type, s.Types = s.Types[1-i], nil
	}
}

// marshalSchema formats a schema as in docs/schema.
func marshalSchema(s *jsonschema.Schema) ([]byte, error) {
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}
