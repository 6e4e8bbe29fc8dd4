package recipe

import (
	"math"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// changer returns a function that makes elements of b's type of as many elements of a's.
func (c *Change) changer(from, to dtype.Type) (func(dst, src []byte), error) {
	read, readable := dtype.Float64(from)
	write, writable := dtype.FromFloat64(to)
	if !readable || !writable {
		return nil, fault.New(fault.Unsupported, "numbers of %s are not made of %s", to, from)
	}
	finite := math.Abs(c.Factor) <= math.MaxFloat64 && math.Abs(c.Addend) <= math.MaxFloat64
	if !finite {
		return nil, fault.New(fault.Malformed, "factor %v and addend %v are not finite numbers", c.Factor, c.Addend)
	}
	swap := dtype.LittleEndian(from)
	return func(dst, src []byte) {
		if swap != nil {
			swap(src)
		}
		fromSize := from.ItemSize()
		toSize := to.ItemSize()
		for len(src) > 0 {
			write(dst[:toSize], c.Factor*read(src[:fromSize])+c.Addend)
			src = src[fromSize:]
			dst = dst[toSize:]
		}
	}, nil
}
