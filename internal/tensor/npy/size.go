package npy

import (
	"math"
	"math/bits"

	"github.com/tlayout/tlayout/internal/fault"
)

// dataBytes returns the product of shape times itemSize bytes. A size of zero makes the product zero, but does not
// excuse the others: what is left must fit int as well, since strides are made of it.
func dataBytes(shape []int, itemSize int) (int64, error) {
	product, empty := uint64(max(itemSize, 1)), itemSize == 0
	for _, n := range shape {
		if n == 0 {
			empty = true
			continue
		}
		hi, lo := bits.Mul64(product, uint64(n))
		if hi != 0 || lo > math.MaxInt64 {
			return 0, fault.New(fault.Malformed, "shape times item size exceeds 2^63-1 bytes")
		}
		product = lo
	}
	if product > math.MaxInt {
		return 0, tooLargeHere()
	}
	if empty {
		return 0, nil
	}
	return int64(product), nil
}

// checkFits compares what the header claims with the size of the file, negative where it is not known.
func checkFits(h Header, fileSize int64) error {
	if h.DataBytes > math.MaxInt64-h.DataOffset {
		return fault.New(fault.Malformed, "the data would end beyond 2^63-1 bytes")
	}
	if have := fileSize - h.DataOffset; fileSize >= 0 && have < h.DataBytes {
		err := fault.New(fault.Malformed, "the data is cut off: %d bytes expected after the header, %d found",
			h.DataBytes, have)
		return err.WithHint("the file is incomplete; copy or download it again")
	}
	return nil
}
