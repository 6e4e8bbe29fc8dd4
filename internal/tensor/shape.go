package tensor

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// MaxRank is the limit on the number of dims, as in NumPy 2.
const MaxRank = 64

// Numel returns the number of elements of a shape: the product of its sizes, 1 for rank 0. It fails if a size is negative, the rank
// exceeds MaxRank, or the product of the non-zero sizes does not fit an int: NumPy's rule, which keeps every partial product in range
// too.
func Numel(shape []int) (int, error) {
	if len(shape) > MaxRank {
		return 0, fault.New(fault.Unsupported, "rank %d is over the limit of %d dims", len(shape), MaxRank)
	}
	n := 1
	empty := false
	for i, d := range shape {
		if d < 0 {
			return 0, fault.New(fault.Usage, "size %d of dim %d is negative", d, i)
		}
		if d == 0 {
			empty = true
			continue
		}
		var ok bool
		n, ok = Mul(n, d)
		if !ok {
			return 0, fault.New(fault.Unsupported, "shape %s overflows a 64-bit address", Tuple(shape))
		}
	}
	if empty {
		return 0, nil
	}
	return n, nil
}

// Tuple prints numbers as Python prints a tuple: "()", "(3,)", "(2, 3)".
func Tuple(xs []int) string {
	if len(xs) == 1 {
		return "(" + strconv.Itoa(xs[0]) + ",)"
	}
	return "(" + text.Ints(xs, ", ") + ")"
}

// Mul returns a·b and whether it fits an int.
func Mul(a, b int) (int, bool) {
	hi, lo := bits.Mul64(abs64(a), abs64(b))
	if hi != 0 || lo > math.MaxInt {
		return 0, false
	}
	return a * b, true
}

// Add returns a+b and whether it fits an int.
func Add(a, b int) (int, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

// MulAdd returns sum + a·b and whether both the product and the sum fit an int.
func MulAdd(sum, a, b int) (int, bool) {
	product, productFits := Mul(a, b)
	total, totalFits := Add(sum, product)
	return total, productFits && totalFits
}

func abs64(a int) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

// InBytes converts strides from elements to bytes; nil if one does not fit an int.
func InBytes(strides []int, itemSize int) []int {
	out := make([]int, len(strides))
	for i, x := range strides {
		var ok bool
		out[i], ok = Mul(x, itemSize)
		if !ok {
			return nil
		}
	}
	return out
}

// NamedSizes returns sizes with the names of their dims: "N,C,H,W = (2, 3, 4, 5)"; "()" for a scalar.
func NamedSizes(names []string, shape []int) string {
	if len(shape) == 0 {
		return "()"
	}
	return strings.Join(names, ",") + " = " + Tuple(shape)
}

// CacheLine is the size of a cache line, in bytes.
const CacheLine = 64

// CheckBytes refuses a layout of elements of size bytes if the tensor's or storage's size in bytes overflows: fault.Unsupported. typ is
// the elements' type for the message.
func (l Layout) CheckBytes(size int, typ fmt.Stringer) error {
	if size > 0 && (l.Alloc() > math.MaxInt/size || l.Numel() > math.MaxInt/size) {
		return fault.New(fault.Unsupported, "shape %s of %s overflows a 64-bit address", Tuple(l.Shape()), typ)
	}
	return nil
}
