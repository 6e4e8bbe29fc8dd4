package npz

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/words"
)

// Key is the name by which NumPy knows the member: without ".npy".
func (m Member) Key() string { return strings.TrimSuffix(m.Name, suffix) }

// listed bounds how many names, and how many bytes of each, an error lists.
const (
	listed   = 8
	nameSize = 60
)

// Listed says in a line which names there are.
func Listed(names []string) string {
	if len(names) == 0 {
		return "the archive is empty"
	}
	shown := make([]string, min(len(names), listed))
	for i := range shown {
		name := names[i]
		if len(name) > nameSize {
			name = name[:nameSize] + "…"
		}
		shown[i] = words.Quote(name)
	}
	list := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return "the archive holds " + list
}
