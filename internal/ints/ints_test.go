package ints

import (
	"fmt"
	"math"
	"testing"
)

// FloorDiv and CeilDiv are the floor and the ceiling of the quotient, of every sign.
func TestDivision(t *testing.T) {
	for a := -50; a <= 50; a++ {
		for b := 1; b <= 12; b++ {
			exact := float64(a) / float64(b)
			q, rest := FloorDiv(a, b)
			if q != int(math.Floor(exact)) || q*b+rest != a || rest < 0 || rest >= b {
				t.Errorf("FloorDiv(%d, %d) = %d, %d", a, b, q, rest)
			}
			if got := CeilDiv(int64(a), int64(b)); got != int64(math.Ceil(exact)) {
				t.Errorf("CeilDiv(%d, %d) = %d", a, b, got)
			}
		}
		if got := Abs(a); got != int(math.Abs(float64(a))) {
			t.Errorf("Abs(%d) = %d", a, got)
		}
	}
	if q, rest := FloorDiv(math.MinInt, 3); q != math.MinInt/3-1 || rest != 1 {
		t.Errorf("FloorDiv of the lowest int is %d, %d", q, rest)
	}
	for _, c := range [][3]int{{4, 6, 12}, {6, 4, 12}, {1, 7, 7}, {5, 5, 5}, {math.MaxInt, 2, math.MaxInt}, {math.MaxInt - 1, 2, math.MaxInt - 1}} {
		if got := LCM(c[0], c[1]); got != c[2] {
			t.Errorf("LCM(%d, %d) = %d, expected %d", c[0], c[1], got, c[2])
		}
	}
	for _, c := range [][3]int{{0, 5, 5}, {5, 0, 5}, {12, 18, 6}, {7, 9, 1}} {
		if got := GCD(c[0], c[1]); got != c[2] {
			t.Errorf("GCD(%d, %d) = %d, expected %d", c[0], c[1], got, c[2])
		}
	}
	if Product(nil) != 1 || Product([]int{2, 3, 5}) != 30 || Product([]int{4, 0}) != 0 {
		t.Error("Product")
	}
}

// Permutations are all orders, from the rising one to the falling one.
func TestPermutations(t *testing.T) {
	if got := fmt.Sprint(Permutations(3)); got != "[[0 1 2] [0 2 1] [1 0 2] [1 2 0] [2 0 1] [2 1 0]]" {
		t.Errorf("of 3: %s", got)
	}
	if got := fmt.Sprint(Range(3), Range(0)); got != "[0 1 2] []" {
		t.Errorf("ranges of 3 and none: %s", got)
	}
	if got := fmt.Sprint(Permutations(0)); got != "[[]]" {
		t.Errorf("of none: %s", got)
	}
}
