package text

import (
	"slices"
	"testing"
)

// TestCompareNatural: names are in the order of their numbers, whatever the number of digits, and of equal ones in that of their letters.
func TestCompareNatural(t *testing.T) {
	want := []string{"", "1", "02", "2", "10", "conv", "conv1", "conv1.bias", "conv1.weight", "conv2.bias", "conv10.bias", "conv10a2", "conv10a11", "layer.9", "layer.010", "layer.11"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, CompareNatural)
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
