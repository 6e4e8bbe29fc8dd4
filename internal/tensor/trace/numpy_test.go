package trace

import (
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
)

// TestAgainstNumPy proves that chains of steps come out as in the installed NumPy, as TestAgainstTorch does; of empty
// arrays shape and strides only, for NumPy does not say where they lie.
//
// TLAYOUT_NUMPY_CASES sets how many chains, TLAYOUT_RANDOM_SEED which ones; TLAYOUT_TEST_REQUIRE_NUMPY=1 fails where there
// is no NumPy.
func TestAgainstNumPy(t *testing.T) {
	o := oracle.NumPy(t, "numpy_chains.py")
	compareChains(t, o, "TLAYOUT_NUMPY_CASES", NumPy)
}
