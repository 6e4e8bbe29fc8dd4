package source

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/words"
)

// Called is a source as sentences call it: by its name, but standard input, and a tensor that has none.
func Called(name string) string {
	switch name {
	case Stdin:
		return "standard input"
	case "":
		return "tensor"
	}
	return words.Quote(name)
}

// Quoted is a source inside a sentence that goes on: a name stands in quotes.
func Quoted(name string) string {
	if name == Stdin {
		return Called(name)
	}
	return `"` + words.Quote(name) + `"`
}

// WarningsOf are the warnings of a source; one that a file goes on behind its data is among them.
func WarningsOf(t *Tensor) []string {
	texts := append([]string{}, t.Warnings...)
	if t.Trailing > 0 {
		texts = append(texts, fmt.Sprintf("%s after the data belong to no element", words.Bytes(t.Trailing)))
	}
	return texts
}
