// Package random seeds random tests. The seed of all of them is TLAYOUT_TEST_RANDOM_SEED, a number from 1, or else 1: a run is repeated
// by itself, and another seed draws other cases.
package random

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

const variable = "TLAYOUT_TEST_RANDOM_SEED"

func seed() (uint64, error) {
	text := os.Getenv(variable)
	if text == "" {
		return 1, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%s=%s: want a number from 1", variable, text)
	}
	return n, nil
}

// Seed returns the seed of a test, which logs it.
func Seed(t testing.TB) uint64 {
	t.Helper()
	n, err := seed()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s=%d", variable, n)
	return n
}

// New draws the cases of a test, by its seed and its name: those of subtests differ.
func New(t testing.TB) *rand.Rand {
	t.Helper()
	h := fnv.New64a()
	h.Write([]byte(t.Name())) //nolint:errcheck // a hash takes all
	return rand.New(rand.NewPCG(Seed(t), h.Sum64()))
}

// Thorough reports whether long tests are made whole, as .ci/run and make faults ask by TLAYOUT_TEST_THOROUGH=1, or a part of them is.
func Thorough() bool { return os.Getenv("TLAYOUT_TEST_THOROUGH") == "1" }

// Cases returns how many cases a test draws: what a variable of the environment says, or else n, of which a quarter is enough unless
// Thorough.
func Cases(t testing.TB, variable string, n int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" && !Thorough() {
		return max(1, n/4)
	}
	if text == "" {
		return n
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}
