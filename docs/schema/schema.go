// Package schema has the JSON Schemas of the documents that tlayout prints with --json, and what they say about each name. go test ./cmd/tlayout
// -run TestSchemas -update writes them from the documents' types.
package schema

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// Name is what the schemas say about the name of a member. It has one meaning in all documents.
type Name struct {
	Meaning string
	Unit    string   // bytes; empty without one
	Types   []string // without null
	Null    bool     // a member may be null
	Members []Member
}

// Member is a member of a document.
type Member struct {
	Document string // value of its schema member: tlayout/inspect/v1
	Path     string // as jq writes it: .tensors[].dtype
	Note     string // what applies to this member alone: null for a blocked layout
}

// Names maps the names of all documents; it is empty in a build for the browser.
func Names() (map[string]*Name, error) {
	paths, err := fs.Glob(files, "*.json")
	if err != nil {
		return nil, err
	}
	names := reader{}
	for _, path := range paths {
		text, err := files.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var document value
		if err := json.Unmarshal(text, &document); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		names.read(document.Properties["schema"].Const, "", &document)
	}
	for name, n := range names {
		n.split()
		n.Unit = unitOf(name, n.Meaning)
	}
	return names, nil
}

// value is a schema, by the keywords that the schemas of documents have.
type value struct {
	Type            any // a string or a list of them
	Enum            []string
	Const           string
	ContentEncoding string
	Description     string
	Properties      map[string]*value
	Items           *value
	Others          others `json:"additionalProperties"`
}

// others is the schema of an object's members of any name; nil for false.
type others struct{ *value }

func (o *others) UnmarshalJSON(text []byte) error {
	if string(text) == "false" {
		return nil
	}
	return json.Unmarshal(text, &o.value)
}

// reader collects names. Until they are split, a member's note is its description.
type reader map[string]*Name

// read adds the members below a path of a document.
func (r reader) read(document, path string, v *value) {
	for _, name := range slices.Sorted(maps.Keys(v.Properties)) {
		member := v.Properties[name]
		n := r[name]
		if n == nil {
			n = &Name{}
			r[name] = n
		}
		n.add(member)
		at := path + "." + name
		n.Members = append(n.Members, Member{document, at, member.Description})
		r.read(document, at, member)
	}
	if v.Items != nil {
		r.read(document, path+"[]", v.Items)
	}
	if v.Others.value != nil {
		r.read(document, path+"[]", v.Others.value)
	}
}

// add adds the types of a member.
func (n *Name) add(v *value) {
	kind, null := v.kind()
	n.Null = n.Null || null
	if len(v.Enum) > 0 {
		kind += ": " + strings.Join(v.Enum, ", ")
	}
	if !slices.Contains(n.Types, kind) {
		n.Types = append(n.Types, kind)
	}
}

// split takes the meaning from the descriptions of the members, which begin with it, and leaves the rest as notes.
func (n *Name) split() {
	common := strings.Split(n.Members[0].Note, noteMark)
	for _, m := range n.Members {
		parts := strings.Split(m.Note, noteMark)
		same := 0
		for same < min(len(common), len(parts)) && common[same] == parts[same] {
			same++
		}
		common = common[:same]
	}
	n.Meaning = strings.Join(common, noteMark)
	for i := range n.Members {
		m := &n.Members[i]
		m.Note = strings.TrimPrefix(strings.TrimPrefix(m.Note, n.Meaning), noteMark)
	}
}

// noteMark separates the meaning and the note of a description.
const noteMark = "; "

// kind returns the type of a value in words, array of integers, and whether it may be null.
func (v *value) kind() (kind string, null bool) {
	switch t := v.Type.(type) {
	case string:
		kind = t
	case []any:
		for _, one := range t {
			if one == "null" {
				null = true
				continue
			}
			kind = fmt.Sprint(one)
		}
	}
	switch kind {
	case "":
		return "any", null
	case "array":
		return "array of " + v.Items.plural(), null
	case "object":
		if v.Others.value != nil {
			return "object of " + v.Others.plural() + " by name", null
		}
	case "string":
		if v.ContentEncoding != "" {
			return "string in " + v.ContentEncoding, null
		}
	}
	return kind, null
}

// plural returns the kind of several values: arrays of integers.
func (v *value) plural() string {
	kind, _ := v.kind()
	first, rest, _ := strings.Cut(kind, " ")
	return strings.TrimSpace(first + "s " + rest)
}

// units maps the endings of names to units.
var units = map[string]string{"_bytes": "bytes", "_byte": "bytes", "_elems": "elements", "_ns": "nanoseconds", "gbps": "GB/s", "seconds": "seconds"}

// unitOf returns the unit that a name ends in, or else a part of its meaning: ", in bytes".
func unitOf(name, meaning string) string {
	for ending, unit := range units {
		if strings.HasSuffix(name, ending) {
			return unit
		}
	}
	for part := range strings.SplitSeq(meaning, noteMark) {
		if _, unit, found := strings.Cut(part, ", in "); found && slices.Contains(slices.Collect(maps.Values(units)), unit) {
			return unit
		}
	}
	return ""
}
