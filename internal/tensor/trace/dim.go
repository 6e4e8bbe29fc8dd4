package trace

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// called is a dim with its name: "dim 2 (H)", or "dim 2".
func (s State) called(d int) string {
	if s.Names[d] == "" {
		return fmt.Sprint("dim ", d)
	}
	return fmt.Sprintf("dim %d (%s)", d, s.Names[d])
}

// short is a dim's name, or "dim 2".
func (s State) short(d int) string {
	if s.Names[d] == "" {
		return fmt.Sprint("dim ", d)
	}
	return s.Names[d]
}

// calledAll is "dims 1 (C) and 2 (H)", or "dim 1 (C)".
func (s State) calledAll(dims []int) string {
	named := make([]string, len(dims))
	for i, d := range dims {
		named[i] = strings.TrimPrefix(s.called(d), "dim ")
	}
	if len(named) == 1 {
		return "dim " + named[0]
	}
	return "dims " + words.And(named)
}

// price is what a copy of the tensor writes.
func (s State) price() string {
	text := words.Count(s.Numel(), "element")
	if bytes, ok := s.bytes(); ok {
		text += ", " + words.Count(bytes, "byte")
	}
	return text
}

// bytes is the size of a copy, and whether an int can hold it.
func (s State) bytes() (int, bool) { return tensor.Mul(s.Numel(), s.ItemSize) }

// spelled is the sizes as a call writes them: "3,20"; "()" for none.
func spelled(sizes []int) string {
	if len(sizes) == 0 {
		return "()"
	}
	return strings.ReplaceAll(words.Product(sizes), "·", ",")
}
