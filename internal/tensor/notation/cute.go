package notation

import (
	"regexp"

	"github.com/tlayout/tlayout/internal/tensor"
)

var belowSize = regexp.MustCompile(`<[0-9]+`)

// CuTe prints a layout as CuTe writes it, padding included: a dim that ends inside a block counts whole blocks.
func CuTe(l tensor.Layout) string { return belowSize.ReplaceAllString(l.String(), "") }
