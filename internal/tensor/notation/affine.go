package notation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/text"
)

var (
	affineMap   = lazy.Regexp(`^affine_map<\(([\w, ]*)\) ?-> ?\((.*)\)>$`)
	affineDigit = lazy.Regexp(`^\(?(\w+)(?: floordiv ([0-9]+))?\)?(?: mod ([0-9]+))?$`)
	affineComma = lazy.Regexp(` *, *`)
)

// ParseAffine reads a map of MLIR from logical to physical indices, the layout of a memref, whose results are dims or their digits:
//
//	affine_map<(d0, d1) -> (d1, d0)>                         B A
//	affine_map<(d0, d1) -> (d0, d1 floordiv 32, d1 mod 32)>  A B//32 B%32
//
// The physical array is row-major and has whole tiles. Errors are Usage, and Unsupported for other maps.
//
// Source: mlir/docs/Dialects/Affine.md; normalizeMemRefType of mlir/lib/Dialect/Affine/Utils/Utils.cpp.
func ParseAffine(s string) (Format, error) {
	m := affineMap.Get().FindStringSubmatch(s)
	if m == nil {
		return Format{}, badLayout(s, "unknown form").WithHint("write affine_map<(d0, d1) -> (d1, d0)>, without symbols")
	}
	dims := affineComma.Get().Split(m[1], -1)
	explicit := affineComma.Get().Split(m[2], -1)
	for k, result := range explicit {
		digit := affineDigit.Get().FindStringSubmatch(result)
		d := -1
		if digit != nil {
			d = slices.Index(dims, digit[1])
		}
		if d < 0 {
			return Format{}, fault.New(fault.Unsupported, "layout %s: %s is neither a dim nor a digit of one",
				text.Quoted(clip(s)), text.Quoted(clip(result))).WithHint("write strides with sizes: memref<2x3xf32, strided<[5, 1], offset: 2>>")
		}
		explicit[k] = "d" + strconv.Itoa(d)
		for i, operator := range []string{"//", "%"} {
			if digit[i+2] != "" {
				explicit[k] += operator + digit[i+2]
			}
		}
	}
	f, err := parseExplicit(strings.Join(explicit, " "))
	if err == nil && f.Rank() != len(dims) {
		err = fault.New(fault.Unsupported, "%d of %d dims have no result", len(dims)-f.Rank(), len(dims))
	}
	return f.Rename(byPosition(make([]int, f.Rank())).names), fault.In("layout "+text.Quoted(clip(s)), err)
}
