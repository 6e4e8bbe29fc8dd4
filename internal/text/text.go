// Package text formats numbers, lists and names as text, the same way everywhere.
package text

import (
	"slices"
	"strconv"
	"strings"
)

// Plural returns the form of a noun or verb that goes with n.
func Plural(n int, singular, plural string) string {
	if n == 1 {
		return singular
	}
	return plural
}

// Count returns n and its noun, with a plural in s: "1 element", "3 elements".
func Count(n int, noun string) string {
	return strconv.Itoa(n) + " " + Plural(n, noun, noun+"s")
}

// And joins words: "a, b and c".
func And(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// First joins the first n texts of a list, and counts the rest: "a, b and 4 more" with a comma between them.
func First(n int, all []string, between string) string {
	list := strings.Join(all[:min(n, len(all))], between)
	if more := len(all) - n; more > 0 {
		list += " and " + strconv.Itoa(more) + " more"
	}
	return list
}

// Ints joins numbers: "2,3" with a comma between them.
func Ints(xs []int, between string) string {
	var b []byte
	for k, x := range xs {
		if k > 0 {
			b = append(b, between...)
		}
		b = strconv.AppendInt(b, int64(x), 10)
	}
	return string(b)
}

// Product joins factors with a multiplication sign: "5·4"; "1" if there are none.
func Product(factors []int) string {
	if len(factors) == 0 {
		return "1"
	}
	return Ints(factors, "·")
}

// Each formats the numbers one by one.
func Each(xs []int) []string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = strconv.Itoa(x)
	}
	return out
}

// SameSet reports whether two lists contain the same words, in any order.
func SameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
