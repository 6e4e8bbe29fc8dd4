package notation

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
)

// explicitAxis splits NAME, NAME//div, NAME%extent or NAME//div%extent; missing parts are "".
func explicitAxis(s string) (name, div, extent string, ok bool) {
	name, extent, ends := strings.Cut(s, "%")
	name, div, splits := strings.Cut(name, "//")
	return name, div, extent, isDimName(name) && splits == isNumber(div) && ends == isNumber(extent)
}

// parseExplicit reads MegEngine's unambiguous notation, "N C//4 H W C%4" (dnn/src/common/named_tensor.cpp): physical
// axes with one space between them, outermost first. Dims are single letters, numbered, d0 d1, or words, blocks heads dim.
func parseExplicit(s string) (Format, error) {
	var f Format
	var names []string
	var axes []Axis
	for _, word := range strings.Split(s, " ") {
		name, div, extent, ok := explicitAxis(word)
		if !ok {
			return f, badLayout(s, "%q is not an axis such as N, C//4 or C%%4; names have no spaces", clip(word))
		}
		name = canonicalDim(name)
		d := slices.Index(names, name)
		if d < 0 {
			d = len(names)
			names = append(names, name)
		}
		a := Axis{Dim: d, Div: 1}
		if err := cmp.Or(setFactor(&a.Div, s, div), setFactor(&a.Extent, s, extent)); err != nil {
			return f, err
		}
		axes = append(axes, a)
	}
	if near := misspelled(s, names); near != "" {
		return f, badLayout(s, "no layout has this name").WithHint("did you mean %s?", near)
	}
	if len(axes) > tensor.MaxRank {
		return f, badLayout(s, "it has %d axes, want 1 to %d", len(axes), tensor.MaxRank)
	}
	if c := outOfPlace(lettersOf(names)); c != 0 {
		return f, badLayout(s, "%c belongs to the positions A, B, C, …, which must not skip a letter", c)
	}
	if err := checkDigits(s, names, axes); err != nil {
		return f, err
	}
	return inLogicalOrder(names, axes), nil
}

// setFactor reads a divisor or an extent; an empty one leaves the default.
func setFactor(to *int, s, digits string) error {
	if digits == "" {
		return nil
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > maxBlock {
		return badLayout(s, "%s is outside 1 to %d", digits, maxBlock)
	}
	*to = n
	return nil
}

// lettersOf returns the single-letter names; the others are numbered, or words.
func lettersOf(names []string) []byte {
	var letters []byte
	for _, name := range names {
		if len(name) == 1 {
			letters = append(letters, name[0])
		}
	}
	return letters
}

// checkDigits requires that the axes of each dim, sorted by divisor, form a mixed radix: 1, then each divisor the product of the
// earlier extents, and an open end.
func checkDigits(s string, names []string, axes []Axis) error {
	for d, name := range names {
		digits := slices.DeleteFunc(slices.Clone(axes), func(a Axis) bool { return a.Dim != d })
		sorting.By(digits, leastSignificantFirst)
		div := 1
		if digits[0].Div != 1 {
			return badLayout(s, "the smallest divisor of %s is %d, want 1", name, digits[0].Div)
		}
		for k, a := range digits {
			if a.Div != div {
				return badLayout(s, "the axes of %s do not form a mixed radix: divisor %d, expected %d", name, a.Div, div)
			}
			last := k == len(digits)-1
			if open := a.Extent == 0; open != last {
				return badLayout(s, "%s needs exactly one axis without %%, the most significant one", name)
			}
			div *= max(a.Extent, 1)
			if div > maxBlock {
				return badLayout(s, "the blocks of %s multiply to more than %d", name, maxBlock)
			}
		}
	}
	return nil
}

// leastSignificantFirst orders a dim's axes by divisor; among equals, those of extent 1 come first and the open one last.
func leastSignificantFirst(a, b Axis) int {
	return cmp.Or(cmp.Compare(a.Div, b.Div),
		cmp.Compare(cmp.Or(a.Extent, math.MaxInt), cmp.Or(b.Extent, math.MaxInt)))
}

// inLogicalOrder returns the format with the dims in logical order, by the axes without %.
func inLogicalOrder(names []string, axes []Axis) Format {
	var outer []string
	for _, a := range axes {
		if a.Extent == 0 {
			outer = append(outer, names[a.Dim])
		}
	}
	ordered := sortedDims(outer)
	f := Format{names: ordered, axes: make([]Axis, len(axes))}
	for k, a := range axes {
		f.axes[k] = Axis{slices.Index(ordered, names[a.Dim]), a.Div, a.Extent}
	}
	return f
}

// sortedDims sorts dims as written, outermost first: letters as logicalOrder does, numbered dims (d0, d1) by number. With a word they stay as
// written.
func sortedDims(names []string) []string {
	if letters := lettersOf(names); len(letters) == len(names) {
		return logicalOrder(letters)
	}
	if slices.ContainsFunc(names, isWordDim) {
		return names
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	return names
}
