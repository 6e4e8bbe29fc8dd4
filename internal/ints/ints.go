// Package ints is integer arithmetic that Go's library does not have.
package ints

import "math"

// Integer is a signed integer for sizes, offsets and bytes.
type Integer interface{ ~int | ~int64 }

// Abs is |a|.
func Abs[T Integer](a T) T {
	if a < 0 {
		return -a
	}
	return a
}

// FloorDiv divides towards minus infinity: a = q·b + rest, 0 ≤ rest < b. b must be positive.
func FloorDiv[T Integer](a, b T) (q, rest T) {
	if q, rest = a/b, a%b; rest < 0 {
		q, rest = q-1, rest+b
	}
	return q, rest
}

// CeilDiv is ⌈a/b⌉. b must be positive.
func CeilDiv[T Integer](a, b T) T {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// Product is the product of the numbers, 1 for none. It may overflow; tensor.Numel checks.
func Product(xs []int) int {
	n := 1
	for _, x := range xs {
		n *= x
	}
	return n
}

// LCM is the least common multiple of two positive numbers; math.MaxInt if it overflows.
func LCM(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	if c := a / x; c <= math.MaxInt/b {
		return c * b
	}
	return math.MaxInt
}
