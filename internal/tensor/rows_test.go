package tensor

import "testing"

// TestPaddedRows: rows that begin at the next multiple of 64 bytes are padded, with dims of size 1 in any place; dense ones, those of a slice and
// those of packed values are not.
func TestPaddedRows(t *testing.T) {
	for _, c := range []struct {
		shape, strides []int
		bits           int
		row, pitch     int
		ok             bool
	}{
		{[]int{1, 8, 200}, []int{1792, 224, 1}, 16, 400, 448, true},
		{[]int{1, 8, 200}, []int{1792, 224, 1}, 32, 800, 896, false}, // the next multiple is 832
		{[]int{2, 3, 5, 7}, []int{240, 80, 16, 1}, 32, 28, 64, true},
		{[]int{2, 3, 5, 7}, []int{1, 80, 16, 2}, 32, 8, 64, false}, // dim 3 is 8 bytes apart
		{[]int{4, 32}, []int{32, 1}, 16, 64, 64, false},            // dense
		{[]int{4, 30}, []int{64, 1}, 16, 60, 128, false},           // a slice
		{[]int{1, 30}, []int{64, 1}, 16, 60, 0, false},             // one row
		{[]int{4, 30}, []int{128, 1}, 4, 0, 0, false},
		{[]int{4, 0}, []int{64, 1}, 8, 0, 0, false},
		{[]int{4, 30}, []int{-64, 1}, 8, 30, -64, false},
		{nil, nil, 8, 0, 0, false},
	} {
		row, pitch, ok := Strided{Shape: c.shape, Strides: c.strides}.PaddedRows(c.bits, NeuralEngineRow)
		if ok != c.ok || ok && (row != c.row || pitch != c.pitch) {
			t.Errorf("%v %v, %d bits: %d of %d bytes, %v", c.shape, c.strides, c.bits, row, pitch, ok)
		}
	}
}
