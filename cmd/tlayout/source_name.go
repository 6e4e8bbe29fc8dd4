package main

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// sourceName is a source as sentences call it: by its name, but standard input, and a tensor that has none.
func sourceName(name string) string {
	switch name {
	case source.Stdin:
		return "standard input"
	case "":
		return "tensor"
	}
	return fault.Quote(name)
}

// sourceNamed is a source inside a sentence that goes on: a name stands in quotes.
func sourceNamed(name string) string {
	if name == source.Stdin {
		return sourceName(name)
	}
	return `"` + fault.Quote(name) + `"`
}

// warningsOf are the warnings of a source; one that a file goes on behind its data is among them.
func warningsOf(t *source.Tensor) []string {
	texts := append([]string{}, t.Warnings...)
	if t.Trailing > 0 {
		texts = append(texts, fmt.Sprintf("%s after the data belong to no element", formatBytes(t.Trailing)))
	}
	return texts
}
