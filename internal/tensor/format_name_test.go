package tensor

import "testing"

// TestFormatName: strides of each kind; of 9 elements over 9 addresses, some of which two share, they are strided.
func TestFormatName(t *testing.T) {
	for _, c := range []struct {
		shape, strides []int
		want           string
	}{
		{[]int{2, 3}, []int{3, 1}, "contiguous"},
		{[]int{2, 3, 1, 1}, []int{3, 1, 3, 3}, "contiguous"},
		{[]int{2, 3, 4, 5}, []int{60, 1, 15, 3}, "channels_last"},
		{[]int{2, 3, 4, 5, 6}, []int{360, 1, 90, 18, 3}, "channels_last_3d"},
		{[]int{2, 3}, []int{0, 1}, "expanded"},
		{[]int{2, 3}, []int{1, 2}, "transposed"},
		{[]int{2, 3, 4}, []int{3, 1, 6}, "permuted"},
		{[]int{2, 3}, []int{4, 1}, "strided"},
		{[]int{3, 3}, []int{2, 2}, "strided"},
	} {
		if got := (Strided{Shape: c.shape, Strides: c.strides}).FormatName(); got != c.want {
			t.Errorf("%v:%v is %s, expected %s", c.shape, c.strides, got, c.want)
		}
	}
}
