package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tlayout/tlayout/docs/schema"
	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// vocabulary maps every name of the documents to its meaning: the comment of a field with that tag. A field without a comment means the same as
// another of its name.
type vocabulary map[string]string

// readVocabulary returns the vocabulary, and its problems: names with two meanings, and fields that should say which.
var readVocabulary = sync.OnceValues(func() (vocabulary, []string) {
	v := vocabulary{}
	var problems []string
	seen := map[reflect.Type]bool{}
	for _, d := range command.Documents {
		eachField(d.Type, seen, func(name, field, comment string) {
			known := v[name]
			if known == "" {
				v[name] = comment
				return
			}
			if comment != "" && comment != known {
				problems = append(problems, fmt.Sprintf("%s is %q at %s, and %q elsewhere", name, comment, field, known))
			}
		})
		problems = append(problems, untold(d)...)
	}
	return v, problems
})

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

// severalTypes has the names with more than one type, with the reasons.
var severalTypes = map[string]string{
	"shape":   "CuTe's shapes nest, in trace --cute",
	"strides": "CuTe's strides nest, in trace --cute",
}

// joins reports whether a name is in the vocabulary, or several of it joined: contiguous_c.
func (v vocabulary) joins(name string) bool {
	if v[name] != "" {
		return true
	}
	for i := range name {
		if v[name[:i]] != "" && name[i] == '_' && v.joins(name[i+1:]) {
			return true
		}
	}
	return false
}

// unitSaid matches the unit in a meaning.
var unitSaid = regexp.MustCompile(`, in (bytes|elements|nanoseconds|GB/s|seconds)(;|$)`)

// TestVocabulary: a JSON name is in snake_case, and has one meaning, one type and one unit in all schemas.
func TestVocabulary(t *testing.T) {
	_, problems := readVocabulary()
	for _, p := range problems {
		t.Error(p)
	}
	names, err := schema.Names()
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range names {
		if n.Meaning == "" {
			t.Errorf("%s has no meaning, or several", name)
		}
		if _, excused := severalTypes[name]; len(n.Types) > 1 != excused {
			t.Errorf("%s has the types %v; severalTypes says %v", name, n.Types, excused)
		}
		if said := unitSaid.FindStringSubmatch(n.Meaning); said != nil && said[1] != n.Unit {
			t.Errorf("%s is in %s by its meaning, in %s by its name", name, said[1], n.Unit)
		}
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			t.Errorf("%s is not in snake_case", name)
		}
	}
}
