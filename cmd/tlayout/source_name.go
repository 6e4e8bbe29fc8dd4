package main

import (
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
