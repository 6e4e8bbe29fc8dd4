// Package sorting sorts slices of structs with one copy of the code for all types. slices.SortFunc is compiled once more for each: 30 types take
// 900 kB of the program as WebAssembly. Slices of numbers, strings and pointers share a copy, and are sorted by slices, as are slices of millions.
package sorting

import "sort"

// By sorts s in ascending order of compare. Equal elements keep their order.
func By[S ~[]E, E any](s S, compare func(a, b E) int) {
	sort.SliceStable(s, func(i, j int) bool { return compare(s[i], s[j]) < 0 })
}
