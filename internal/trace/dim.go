package trace

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
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
	words := make([]string, len(dims))
	for i, d := range dims {
		words[i] = strings.TrimPrefix(s.called(d), "dim ")
	}
	if len(words) == 1 {
		return "dim " + words[0]
	}
	return "dims " + and(words)
}

func and(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// price is what a copy of the tensor writes.
func (s State) price() string {
	text := plural(s.Numel(), "element")
	if bytes, ok := s.bytes(); ok {
		text += ", " + plural(bytes, "byte")
	}
	return text
}

// bytes is the size of a copy, and whether an int can hold it.
func (s State) bytes() (int, bool) {
	hi, lo := bits.Mul64(uint64(s.Numel()), uint64(s.ItemSize))
	return int(lo), hi == 0 && lo <= math.MaxInt
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// times is "5·4·3", the sizes as factors; "1" for none.
func times(sizes []int) string {
	if len(sizes) == 0 {
		return "1"
	}
	words := make([]string, len(sizes))
	for i, n := range sizes {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, "·")
}

// spelled is the sizes as a call writes them: "3,20"; "()" for none.
func spelled(sizes []int) string {
	if len(sizes) == 0 {
		return "()"
	}
	return strings.ReplaceAll(times(sizes), "·", ",")
}

func product(sizes []int) int {
	n := 1
	for _, d := range sizes {
		n *= d
	}
	return n
}
