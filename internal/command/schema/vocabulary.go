package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// severalTypes are the names that have more than one type, and why.
var severalTypes = map[string]string{
	"shape":     "CuTe's shapes nest, in trace --cute",
	"strides":   "CuTe's strides nest, in trace --cute",
	"pytorch":   "a framework's name in names, its answers beside it",
	"onednn":    "likewise",
	"megengine": "likewise",
	"container": "what a checkpoint is, in a word; of a tensor, the file that holds it",
	"storage":   "of a checkpoint's tensor a number in storages; of --storage the cells; of a described tensor what it is a view of",
	"tensors":   "a checkpoint's; a storage names its own",
}

// use is what the documents make of a name: its types, each with the kinds of documents that have it.
type use map[string][]string

// Vocabulary is every name of several documents.
type Vocabulary map[string]use

// Add adds the names of a document's schema.
func (v Vocabulary) Add(document string, s *jsonschema.Schema) {
	if s == nil {
		return
	}
	for name, p := range s.Properties {
		if v[name] == nil {
			v[name] = use{}
		}
		if t := typeName(p); !slices.Contains(v[name][t], document) {
			v[name][t] = append(v[name][t], document)
		}
		v.Add(document, p)
	}
	v.Add(document, s.Items)
	if s.Properties == nil {
		v.Add(document, s.AdditionalProperties)
	}
}

// typeName is the type of a value in words, null aside: "list of integer".
func typeName(s *jsonschema.Schema) string {
	t := s.Type
	for _, one := range s.Types {
		if one != "null" {
			t = one
		}
	}
	switch {
	case t == "":
		return "any"
	case t == "array":
		return "list of " + typeName(s.Items)
	case t == "object" && s.Properties == nil:
		return "object by name, of " + typeName(s.AdditionalProperties)
	case s.ContentEncoding != "":
		return t + " in " + s.ContentEncoding
	}
	return t
}

// unitSuffixes are the ends of names that say the unit.
var unitSuffixes = map[string]string{"_bytes": bytes, "_elems": elements, "_ns": nano, "gbps": rate, "seconds": seconds, "_byte": bytes}

// Problems are names that are not one thing: of several types without a reason, of a unit that their end denies, in the
// table without a document, or not snake_case.
func (v Vocabulary) Problems() []string {
	var found []string
	complain := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if names[name].meaning == "" {
			complain("%s, of %v, has no meaning in internal/command/schema/names.go", name, v[name])
		}
		_, excused := severalTypes[name]
		if several := len(v[name]) > 1; several != excused {
			complain("%s has the types %v; severalTypes says %v", name, v[name], excused)
		}
		for suffix, unit := range unitSuffixes {
			if strings.HasSuffix(name, suffix) && names[name].unit != unit && name != "bytes_used_per_byte_fetched" {
				complain("%s is in %q, by its name in %s", name, names[name].unit, unit)
			}
		}
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			complain("%s is not snake_case", name)
		}
	}
	for name := range names {
		if v[name] == nil {
			complain("no document has %s", name)
		}
	}
	slices.Sort(found)
	return found
}

// Table is the vocabulary as a table in Markdown, in alphabetical order.
func (v Vocabulary) Table() string {
	var b strings.Builder
	b.WriteString("| name | type | unit | meaning | documents |\n|---|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(v)) {
		var types, documents []string
		for _, t := range slices.Sorted(maps.Keys(v[name])) {
			types = append(types, t)
			documents = append(documents, v[name][t]...)
		}
		slices.Sort(documents)
		cell := strings.NewReplacer("|", `\|`, "<", "&lt;")
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", name, strings.Join(types, "; "), names[name].unit, cell.Replace(names[name].meaning),
			strings.Join(slices.Compact(documents), ", "))
	}
	return b.String()
}

// Joined reports whether a name is one of the vocabulary, or several of them joined: contiguous_c.
func Joined(name string) bool {
	if _, ok := names[name]; ok {
		return true
	}
	for i := range name {
		if _, ok := names[name[:i]]; ok && name[i] == '_' && Joined(name[i+1:]) {
			return true
		}
	}
	return false
}
