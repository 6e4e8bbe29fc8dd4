package tensor

import (
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
)

// NeuralEngineRow is the number of bytes to a multiple of which Core ML pads the rows of an MLMultiArray that the Neural Engine writes.
// (Desert-Ant-Labs/desert-ant-core PR 120: 200 values of float16 begin every 224; FluidInference/FluidAudio PR 730)
const NeuralEngineRow = 64

// PaddedRows returns the bytes of a row of consecutive elements and those from row to row, if rows begin at the next multiple of some bytes. ok is
// false for rows that are not padded, or padded in another way, and for elements that share a byte.
func (s Strided) PaddedRows(bits, multiple int) (row, pitch int, ok bool) {
	item := bits / 8
	inner := slices.Index(s.Strides, 1)
	inBytes := item > 0 && bits%8 == 0
	if inner < 0 || !inBytes || s.Empty() {
		return 0, 0, false
	}
	row = s.Shape[inner] * item
	for d, stride := range s.Strides {
		isOuter := d != inner && s.Shape[d] > 1
		if isOuter && (pitch == 0 || stride*item < pitch) {
			pitch = stride * item
		}
	}
	next := ints.CeilDiv(row, multiple) * multiple
	return row, pitch, pitch == next && pitch > row
}
