package main

import (
	"encoding/hex"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/scalar"
	"github.com/tlayout/tlayout/internal/words"
)

const (
	mostShown = 20 // characters of a text in a table
	leadShown = 6  // of them, those before the first difference
	mostBits  = 16 // bytes of an item, shown in hexadecimal
)

// cutApart shortens two texts to the same stretch, in which their first difference is seen. Texts that differ do so
// afterwards, too.
func cutApart(a, b string) (string, string) {
	x, y := []rune(a), []rune(b)
	if max(len(x), len(y)) <= mostShown {
		return a, b
	}
	from := max(0, common(x, y)-leadShown)
	if from+leadShown+2 < mostShown || a == b {
		return words.Cut(a, mostShown), words.Cut(b, mostShown)
	}
	return words.Cut("…"+string(x[from:]), mostShown), words.Cut("…"+string(y[from:]), mostShown)
}

// common is how many of their first members two lists have in common.
func common[T comparable](x, y []T) int {
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

// bitsOf prints two items' bytes: those of a number from the highest to the lowest, of a complex one part by part, of
// all else as they lie in memory. Numbers are printed whole, of all else the bytes from the first that differs on.
func bitsOf(a, b tensor.DType, x, y []byte) (string, string) {
	from := 0
	if !isWhole(a) && max(len(x), len(y)) > mostBits {
		const together = 8 // how many bytes a number that differs may have before the first of them that does
		from = max(0, common(littleEnd(a, x), littleEnd(b, y))-together)
		if from+together < mostBits {
			from = 0
		}
	}
	return hexOf(a, x, from), hexOf(b, y, from)
}

// littleEnd is a copy of an item with its numbers little end first.
func littleEnd(d tensor.DType, item []byte) []byte {
	item = slices.Clone(item)
	if turn := scalar.LittleEnd(d); turn != nil {
		turn(item)
	}
	return item
}

func hexOf(d tensor.DType, item []byte, from int) string {
	item, parts := slices.Clone(item), 0
	switch {
	case !isWhole(d) || d.Order() != tensor.Little:
	case d.Kind() == tensor.Complex:
		parts = 2
	default:
		parts = 1
	}
	for i := range parts {
		slices.Reverse(item[i*len(item)/parts : (i+1)*len(item)/parts])
	}
	before, after := "0x", ""
	if from > 0 {
		before = "0x…"
	}
	if item = item[min(from, len(item)):]; len(item) > mostBits && !isWhole(d) {
		item, after = item[:mostBits], "…"
	}
	return before + hex.EncodeToString(item) + after
}
