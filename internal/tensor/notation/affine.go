package notation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/text"
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
	terms := scan.Terms(s)
	if !isAffine(terms) {
		return Format{}, badLayout(s, "unknown form").WithHint("write affine_map<(d0, d1) -> (d1, d0)>, without symbols")
	}
	var dims, explicit []string
	for _, dim := range scan.Split(terms[1].Inner[0].Inner) {
		dims = append(dims, scan.Span(dim))
	}
	results := scan.Split(terms[1].Inner[2].Inner)
	if len(results) == 0 {
		results = [][]scan.Term{nil}
	}
	for _, result := range results {
		digit, ok := affineDigit(result, dims)
		if !ok {
			return Format{}, fault.New(fault.Unsupported, "layout %s: %s is neither a dim nor a digit of one",
				text.Quoted(clip(s)), text.Quoted(clip(scan.Span(result)))).WithHint("write strides with sizes: memref<2x3xf32, strided<[5, 1], offset: 2>>")
		}
		explicit = append(explicit, digit)
	}
	f, err := parseExplicit(strings.Join(explicit, " "))
	if err == nil && f.Rank() != len(dims) {
		err = fault.New(fault.Unsupported, "%d of %d dims have no result", len(dims)-f.Rank(), len(dims))
	}
	return f.Rename(byPosition(make([]int, f.Rank())).names), fault.In("layout "+text.Quoted(clip(s)), err)
}

// isAffine reports whether terms are affine_map<(…) -> (…)>.
func isAffine(terms []scan.Term) bool {
	if len(terms) != 2 || terms[0].Text != "affine_map" || len(terms[1].Inner) != 3 {
		return false
	}
	inner := terms[1].Inner
	return inner[0].Open == '(' && inner[1].Text == "->" && inner[2].Open == '('
}

// affineDigit returns a dim or a digit of one in the explicit form: (d1 floordiv 4) mod 8 is d1//4%8.
func affineDigit(result []scan.Term, dims []string) (string, bool) {
	var words []string
	if len(result) > 0 && result[0].Open == '(' {
		result = append(slices.Clone(result[0].Inner), result[1:]...)
	}
	for _, t := range result {
		words = append(words, t.Text)
	}
	d := -1
	if len(words) > 0 {
		d = slices.Index(dims, words[0])
	}
	if d < 0 {
		return "", false
	}
	digit := "d" + strconv.Itoa(d)
	rest := words[1:]
	for _, operator := range [][2]string{{"floordiv", "//"}, {"mod", "%"}} {
		if len(rest) >= 2 && rest[0] == operator[0] && isNumber(rest[1]) {
			digit += operator[1] + rest[1]
			rest = rest[2:]
		}
	}
	return digit, len(rest) == 0
}
