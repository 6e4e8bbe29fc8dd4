package threads

import (
	"slices"
	"testing"
)

// CuTe's C fragment of m16n8: SM80_16x8_Row of mma_traits_sm80.hpp (CUTLASS 4.7).
func TestCute(t *testing.T) {
	l, err := Parse("((4,8),(2,2)):((32,1),(16,8))", []int{16, 8})
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[[2]int][]int{{5, 3}: {9, 3}, {0, 1}: {0, 1}, {0, 2}: {8, 0}, {31, 3}: {15, 7}} {
		if got := l.At(at[0], at[1]); !slices.Equal(got, want) {
			t.Errorf("T%d V%d is at %v, want %v", at[0], at[1], got, want)
		}
		if got := l.Owners(want...); !slices.Equal(got, []Owner{{at[0], at[1]}}) {
			t.Errorf("owners of %v are %v, want T%d V%d", want, got, at[0], at[1])
		}
	}
	a := l.Access(func(c []int) int { return c[0]*8 + c[1] }, 32)
	if a != (Access{Vector: 2, Sectors: 16, Minimum: 16, Lanes: 4}) {
		t.Errorf("access %+v", a)
	}
}
