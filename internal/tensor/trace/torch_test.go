package trace

import (
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
)

// TestAgainstTorch proves that chains of steps come out as in the installed PyTorch: after every step shape, strides,
// offset, whether it is the same tensor, a view or a copy, the values, and the words of a refusal.
//
// TLAYOUT_TORCH_CASES sets how many chains, TLAYOUT_RANDOM_SEED which ones; TLAYOUT_TEST_REQUIRE_TORCH=1 fails where there
// is no PyTorch.
func TestAgainstTorch(t *testing.T) {
	o := oracle.Torch(t, "torch_chains.py")
	compareChains(t, o, "TLAYOUT_TORCH_CASES", PyTorch)
}
