// Package scalar reads the numbers that items hold.
//
//	a float64, for types that it holds exactly (float.go)
//	a Number, for all (exact.go)
//	is it finite? for many items at once, fields of records and sub-arrays included (finite.go)
//	numbers of either byte order turned little end first (order.go)
//
// What a bit pattern means is what tensor.DType.FormatValue prints. All readers but NotFinite's take numbers whose bytes
// lie little end first; LittleEnd turns them so.
package scalar

import (
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
)

// IsNumber reports whether items of the type are numbers: booleans, integers, floats or complex.
func IsNumber(d tensor.DType) bool { return strings.ContainsRune("biufc", rune(d.Kind())) }
