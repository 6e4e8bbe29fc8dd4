package text

import (
	"cmp"
	"strings"
)

// CompareNatural compares names as people count: layer2 before layer10. Equal numbers of different lengths, 2 and 02, are compared as text.
func CompareNatural(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		wordX, restX := cutDigits(x, false)
		wordY, restY := cutDigits(y, false)
		if wordX != wordY {
			return strings.Compare(a, b)
		}
		numberX, afterX := cutDigits(restX, true)
		numberY, afterY := cutDigits(restY, true)
		byValue := compareDigits(numberX, numberY)
		if byValue != 0 {
			return byValue
		}
		x = afterX
		y = afterY
	}
	return strings.Compare(a, b)
}

// cutDigits cuts what a text begins with: its digits, or what is before the first one.
func cutDigits(s string, digits bool) (begin, rest string) {
	end := strings.IndexFunc(s, func(r rune) bool { return ('0' <= r && r <= '9') != digits })
	if end < 0 {
		return s, ""
	}
	return s[:end], s[end:]
}

// compareDigits compares two numbers by their values, and a number with none.
func compareDigits(a, b string) int {
	x := strings.TrimLeft(a, "0")
	y := strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(min(len(a), 1), min(len(b), 1)), cmp.Compare(len(x), len(y)), strings.Compare(x, y))
}
