package tensor

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Strides that do not fit as bytes are none, instead of wrong ones.
func TestEachInBytes(t *testing.T) {
	if diff := cmp.Diff([]int{-12, 0}, InBytes([]int{-3, 0}, 4)); diff != "" {
		t.Error(diff)
	}
	if got := InBytes([]int{1, math.MaxInt/2 + 1}, 2); got != nil {
		t.Errorf("too large a stride is %v bytes", got)
	}
}

func TestNamedSizes(t *testing.T) {
	if got := NamedSizes([]string{"N", "C"}, []int{2, 3}); got != "N,C = (2, 3)" {
		t.Error(got)
	}
	if got := NamedSizes(nil, nil); got != "()" {
		t.Error(got)
	}
}
