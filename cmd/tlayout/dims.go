package main

import (
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
)

// sizesOf prints the sizes of dims by their names: "N,C,H,W = (2, 3, 4, 5)"; those of a scalar as "()".
func sizesOf(names []string, shape []int) string {
	if len(shape) == 0 {
		return "()"
	}
	return strings.Join(names, ",") + " = " + tensor.Tuple(shape)
}

// eachInBytes turns strides of elements into bytes; nil where one does not fit.
func eachInBytes(strides []int, itemSize int) []int {
	out := make([]int, len(strides))
	for i, x := range strides {
		var ok bool
		if out[i], ok = tensor.Mul(x, itemSize); !ok {
			return nil
		}
	}
	return out
}
