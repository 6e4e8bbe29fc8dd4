package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/golden"
)

// word is the meaning of a JSON name: the comment of a field with that tag, and its position. A comment may end in a unit: ", in bytes".
type word struct {
	meaning string
	field   string   // type and field
	types   []string // its types in the documents, without null
}

// vocabulary maps every name of the documents to its meaning.
type vocabulary map[string]*word

// readVocabulary returns the vocabulary of all documents, and its problems.
var readVocabulary = sync.OnceValues(func() (vocabulary, []string) {
	v, seen := vocabulary{}, map[reflect.Type]bool{}
	var problems []string
	for _, d := range command.Documents {
		problems = append(problems, v.read(d.Type, seen)...)
		problems = append(problems, untold(d)...)
	}
	for _, d := range command.Documents {
		s, err := v.schemaOf(d)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		v.addTypes(s)
	}
	return v, append(problems, v.problems()...)
})

// read adds the names of a type and of the types of its fields, with the fields' comments. Two different comments on one name are a problem.
func (v vocabulary) read(t reflect.Type, seen map[reflect.Type]bool) (problems []string) {
	eachField(t, seen, func(name, field, comment string) {
		if v[name] == nil {
			v[name] = &word{}
		}
		switch known := v[name]; {
		case comment == "" || comment == known.meaning:
		case known.meaning == "":
			known.meaning, known.field = comment, field
		default:
			problems = append(problems, fmt.Sprintf("%s is %q at %s, and %q at %s", name, known.meaning, known.field, comment, field))
		}
	})
	return problems
}

// eachField calls do for each field of a type, and of the types of its fields, that has a name in JSON: the name, the type and field, and the comment.
// A type that was seen is not visited again.
func eachField(t reflect.Type, seen map[reflect.Type]bool, do func(name, field, comment string)) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		if written[t] == nil {
			eachField(t.Elem(), seen, do)
		}
		return
	case reflect.Struct:
	default:
		return
	}
	if seen[t] || written[t] != nil {
		return
	}
	seen[t] = true
	comments := fieldComments(t)
	for i := range t.NumField() {
		f := t.Field(i)
		name := jsonName(f)
		if !f.Anonymous && (!f.IsExported() || name == "-") {
			continue
		}
		eachField(f.Type, seen, do)
		if !f.Anonymous {
			do(name, fmt.Sprintf("%v.%s", t, f.Name), comments[f.Name])
		}
	}
}

// untold lists the names that several types of a document share without a comment at each: a name's second use in a document says what it
// means there, so that the comparison of comments sees another meaning.
func untold(d cli.Document) (problems []string) {
	uses, silent := map[string]int{}, map[string][]string{}
	eachField(d.Type, map[reflect.Type]bool{}, func(name, field, comment string) {
		uses[name]++
		if comment == "" {
			silent[name] = append(silent[name], field)
		}
	})
	for _, name := range slices.Sorted(maps.Keys(silent)) {
		if uses[name] > 1 {
			problems = append(problems, fmt.Sprintf("%s: %s is in %d types; no comment says what it means at %s",
				d.Schema, name, uses[name], strings.Join(silent[name], ", ")))
		}
	}
	return problems
}

// fieldComments returns the comments of a struct's fields, by the fields' Go names.
func fieldComments(t reflect.Type) map[string]string {
	comments := map[string]string{}
	declared := structsIn(strings.TrimPrefix(t.PkgPath(), modulePath+"/"))[t.Name()]
	if declared == nil {
		return comments
	}
	for _, f := range declared.Fields.List {
		text := strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
		for _, name := range f.Names {
			comments[name.Name] = text
		}
	}
	return comments
}

var structsRead = map[string]map[string]*ast.StructType{}

// structsIn returns the struct types of a package by name, without those inside functions.
func structsIn(dir string) map[string]*ast.StructType {
	if known := structsRead[dir]; known != nil {
		return known
	}
	structs := map[string]*ast.StructType{}
	structsRead[dir] = structs
	for _, file := range fixture.Must(filepath.Glob(filepath.Join(testdataDir, "..", dir, "*.go"))) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		ast.Inspect(fixture.Must(parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)), func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				_, inside := n.(*ast.FuncDecl)
				return !inside
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				structs[spec.Name.Name] = s
			}
			return false
		})
	}
	return structs
}

// addTypes adds the types that a schema gives to names.
func (v vocabulary) addTypes(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	for name, p := range s.Properties {
		if t := typeName(p); !slices.Contains(v[name].types, t) {
			v[name].types = append(v[name].types, t)
		}
		v.addTypes(p)
	}
	v.addTypes(s.Items)
	if s.Properties == nil {
		v.addTypes(s.AdditionalProperties)
	}
}

// typeName returns the type of a value in words, without null: "list of integer".
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

// severalTypes has the names with more than one type, with the reasons.
var severalTypes = map[string]string{
	"shape":   "CuTe's shapes nest, in trace --cute",
	"strides": "CuTe's strides nest, in trace --cute",
}

// unitOf returns the unit at the end of a name.
var unitOf = map[string]string{"_bytes": "bytes", "_byte": "bytes", "_elems": "elements", "_ns": "nanoseconds", "gbps": "GB/s", "seconds": "seconds"}

// problems lists names without a comment, with several types without a reason, with a unit that contradicts their ending, or not in
// snake_case.
func (v vocabulary) problems() (found []string) {
	complain := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	for _, name := range slices.Sorted(maps.Keys(v)) {
		w := v[name]
		if w.meaning == "" {
			complain("no field with the tag %s has a comment", name)
		}
		_, excused := severalTypes[name]
		if several := len(w.types) > 1; several != excused {
			complain("%s has the types %v; severalTypes says %v", name, w.types, excused)
		}
		for end, unit := range unitOf {
			if said := unitSaid(w.meaning); strings.HasSuffix(name, end) && said != "" && said != unit {
				complain("%s is in %s by its comment at %s, in %s by its name", name, said, w.field, unit)
			}
		}
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			complain("%s is not snake_case", name)
		}
	}
	return found
}

// unitSaid returns the unit at the end of a meaning, or "".
func unitSaid(meaning string) string {
	for _, unit := range unitOf {
		if strings.HasSuffix(meaning, ", in "+unit) {
			return unit
		}
	}
	return ""
}

// joins reports whether a name is in the vocabulary, or several of it joined: contiguous_c.
func (v vocabulary) joins(name string) bool {
	if v[name] != nil {
		return true
	}
	for i := range name {
		if v[name[:i]] != nil && name[i] == '_' && v.joins(name[i+1:]) {
			return true
		}
	}
	return false
}

// The lines of docs/json.md between which -update writes.
const vocabularyBegins, vocabularyEnds = "<!-- made by go test ./cmd/tlayout -run TestVocabulary -update -->\n", "<!-- end -->\n"

// mostWords is the maximal number of words of docs/json.md.
const mostWords = 4600

// TestVocabulary: a name has one type and one meaning, a field's comment, in all documents, and docs/json.md lists all names and documents.
func TestVocabulary(t *testing.T) {
	v, problems := readVocabulary()
	for _, p := range problems {
		t.Error(p)
	}
	list := "\n"
	for _, d := range command.Documents {
		list += fmt.Sprintf("- [`%s`](schema/%s.json): %s\n", d.Schema, schemaName(d), d.Prints)
	}
	list += "\nname | meaning\n---|---\n"
	for _, name := range slices.Sorted(maps.Keys(v)) {
		list += fmt.Sprintf("`%s` | %s\n", name, strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(v[name].meaning))
	}
	const page = "../../docs/json.md"
	text := string(fixture.Must(os.ReadFile(page)))
	before, rest, ok := strings.Cut(text, vocabularyBegins)
	_, after, ends := strings.Cut(rest, vocabularyEnds)
	if !ok || !ends {
		t.Fatal("docs/json.md has no place for the vocabulary")
	}
	want := before + vocabularyBegins + list + "\n" + vocabularyEnds + after
	if *golden.Update {
		cli.Must(os.WriteFile(page, []byte(want), 0o644))
	} else if text != want {
		t.Error("docs/json.md does not have the vocabulary; -update writes it")
	}
	if n := len(strings.Fields(strings.ReplaceAll(want, " | ", " "))); n > mostWords { // a column's bar is not a word
		t.Errorf("docs/json.md has %d words, of %d", n, mostWords)
	}
}
