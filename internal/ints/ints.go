// Package ints is integer arithmetic missing from Go's library.
package ints

import (
	"math"
	"slices"
)

// Integer is a signed integer for sizes, offsets and bytes.
type Integer interface{ ~int | ~int64 }

// Abs returns |a|.
func Abs[T Integer](a T) T {
	if a < 0 {
		return -a
	}
	return a
}

// FloorDiv divides towards minus infinity: a = q·b + rest, 0 ≤ rest < b. b must be positive.
func FloorDiv[T Integer](a, b T) (q, rest T) {
	q, rest = a/b, a%b
	if rest < 0 {
		q = q - 1
		rest = rest + b
	}
	return q, rest
}

// CeilDiv returns ⌈a/b⌉. b must be positive.
func CeilDiv[T Integer](a, b T) T {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// Product returns the product of the numbers, 1 for none. It may overflow; tensor.Numel checks.
func Product(xs []int) int {
	n := 1
	for _, x := range xs {
		n *= x
	}
	return n
}

// GCD returns the greatest common divisor of non-negative numbers; GCD(0, b) = b.
func GCD[T Integer](a, b T) T {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// LCM returns the least common multiple of two positive numbers; math.MaxInt if it overflows.
func LCM(a, b int) int {
	if c := a / GCD(a, b); c <= math.MaxInt/b {
		return c * b
	}
	return math.MaxInt
}

// Range returns 0, …, n-1.
func Range(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// Permutations returns the orders of 0, …, n-1, in lexicographic order.
func Permutations(n int) (all [][]int) {
	var extend func(p []int)
	extend = func(p []int) {
		if len(p) == n {
			all = append(all, slices.Clone(p))
		}
		for i := range n {
			if !slices.Contains(p, i) {
				extend(append(p, i))
			}
		}
	}
	extend(nil)
	return all
}
