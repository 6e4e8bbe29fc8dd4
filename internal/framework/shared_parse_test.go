package framework_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/framework/printed"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor"
)

// TestSharedNamesParse: every layout of shared memory that Triton's names spell has such a name, and its names are that layout, element by
// element.
func TestSharedNamesParse(t *testing.T) {
	rng := random.New(t)
	power := func(low, high int) int { return 1 << (low + rng.IntN(high-low+1)) }
	for range 300 {
		sizes := []int{power(3, 6), power(3, 6)}
		order := [][]int{{1, 0}, {0, 1}}[rng.IntN(2)]
		spelled := fmt.Sprintf("#ttg.swizzled_shared<{vec=%d, perPhase=%d, maxPhase=%d, order=[%d,%d]}>", power(0, 3), power(0, 2), power(1, 3),
			order[0], order[1])
		switch rng.IntN(3) {
		case 0:
			spelled = fmt.Sprintf("#ttg.padded_shared<[%d:+%d] {order=[%d,%d], shape=[%d,%d]}>", sizes[order[0]], power(0, 4), order[0], order[1],
				sizes[0], sizes[1])
		case 1:
			sizes[order[0]] = power(6, 8)
			spelled = fmt.Sprintf("#ttg.nvmma_shared<{swizzlingByteWidth=%d, transposed=%t, elementBitWidth=16}>", power(5, 7), order[0] == 0)
		}
		l := bound(t, spelled, sizes)
		found := 0
		for _, n := range framework.SharedNames(l, parsedType(t, "float16")) {
			for _, name := range n.Names {
				if !strings.HasPrefix(name, "#ttg.") {
					continue
				}
				if found++; !sameOffsets(l, bound(t, name, sizes)) {
					t.Errorf("%s over %v is called %s, which is another layout", spelled, sizes, name)
				}
			}
		}
		if plain := l.Swizzle().IsZero() && !strings.Contains(spelled, "padded"); found == 0 && !plain {
			t.Errorf("%s over %v, %s, has no name", spelled, sizes, l)
		}
	}
}

func bound(t *testing.T, name string, sizes []int) tensor.Layout {
	t.Helper()
	named, err := printed.ParseName(name)
	if err != nil {
		t.Fatal(err)
	}
	l, err := named.For(sizes, 16)
	if err != nil {
		t.Fatal(err)
	}
	return *l.Exact
}

func sameOffsets(a, b tensor.Layout) bool {
	if !slices.Equal(a.Shape(), b.Shape()) {
		return false
	}
	for i := range a.Shape()[0] {
		for j := range a.Shape()[1] {
			if a.At(i, j) != b.At(i, j) {
				return false
			}
		}
	}
	return true
}
