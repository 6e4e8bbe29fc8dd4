package tensor

import (
	"strings"
)

// InBytes turns strides of elements into bytes; nil where one does not fit.
func InBytes(strides []int, itemSize int) []int {
	out := make([]int, len(strides))
	for i, x := range strides {
		var ok bool
		if out[i], ok = Mul(x, itemSize); !ok {
			return nil
		}
	}
	return out
}

// NamedSizes prints the sizes of dims by their names: "N,C,H,W = (2, 3, 4, 5)"; those of a scalar as "()".
func NamedSizes(names []string, shape []int) string {
	if len(shape) == 0 {
		return "()"
	}
	return strings.Join(names, ",") + " = " + Tuple(shape)
}

// CacheLine is the size of a cache line, in bytes.
const CacheLine = 64
