package diagnose

import (
	_ "embed" // the tables
	"strings"

	"github.com/tlayout/tlayout/internal/framework/mention"
	"github.com/tlayout/tlayout/internal/lazy"
)

// The tables of what is known: complaints.txt has the kinds and the messages, frameworks.txt who prints them and what their users write.
//
// A table is of blocks: a line with what the block is and its name, and a line for each field, which may come several times. A line that
// begins with # is a comment.
var (
	//go:embed complaints.txt
	complaintTable string
	//go:embed frameworks.txt
	frameworkTable string
)

// block is an entry of a table.
type block struct {
	is, name string // "message" and "conv-channels"
	fields   map[string][]string
}

// blocksOf reads a table.
func blocksOf(table string) []block {
	var all []block
	begins := true
	for line := range strings.Lines(table) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if line == "" {
			begins = true
			continue
		}
		field, value, _ := strings.Cut(line, " ")
		if begins {
			all = append(all, block{is: field, name: value, fields: map[string][]string{}})
			begins = false
			continue
		}
		last := all[len(all)-1].fields
		last[field] = append(last[field], strings.ReplaceAll(value, `\n`, "\n"))
	}
	return all
}

// field returns a field that comes once; empty if it does not.
func (b block) field(name string) string {
	switch values := b.fields[name]; len(values) {
	case 0:
		return ""
	case 1:
		return values[0]
	default:
		panic(b.is + " " + b.name + " has several fields " + name)
	}
}

// words returns a field that is a list.
func (b block) words(name string) []string {
	if b.fields[name] == nil {
		return nil
	}
	return strings.Split(strings.Join(b.fields[name], ", "), ", ")
}

var namedList = lazy.Regexp(`\{(\w+)\}`)

// pattern returns a regular expression of a table, in which {shape} is a list with that name.
func pattern(s string) string {
	return namedList.Get().ReplaceAllString(s, strings.Replace(mention.List, "(", "(?P<${1}>", 1))
}
