// Package random seeds random tests. The seed is TLAYOUT_TEST_RANDOM_SEED, a number from 1, by default 1: runs are reproducible, and
// another seed draws other cases.
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

// Seed returns and logs the seed of a test.
func Seed(t testing.TB) uint64 {
	t.Helper()
	n, err := seed()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s=%d", variable, n)
	return n
}

// New returns a generator for a test's cases, seeded by its seed and name, so that subtests differ.
func New(t testing.TB) *rand.Rand {
	t.Helper()
	h := fnv.New64a()
	h.Write([]byte(t.Name())) //nolint:errcheck // a hash never fails
	return rand.New(rand.NewPCG(Seed(t), h.Sum64()))
}

// Thorough reports whether to run long tests in full, as .ci/run and make faults request by TLAYOUT_TEST_THOROUGH=1, or only a part of
// them.
func Thorough() bool { return os.Getenv("TLAYOUT_TEST_THOROUGH") == "1" }

// Sample returns every k-th element of all, including the first; all of them if Thorough.
func Sample[T any](all []T, k int) []T {
	if Thorough() {
		return all
	}
	var sample []T
	for i := 0; i < len(all); i += k {
		sample = append(sample, all[i])
	}
	return sample
}

// Cases returns how many cases a test draws: the value of an environment variable, or n, or an eighth of n unless Thorough.
func Cases(t testing.TB, variable string, n int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" && !Thorough() {
		return max(1, n/8)
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
