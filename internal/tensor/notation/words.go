package notation

import (
	"fmt"
	"slices"
	"strings"
)

// dimWords name the dims' contents in the plural.
var dimWords = map[string]string{"N": "images", "B": "images", "C": "channels", "D": "slices", "H": "rows", "W": "columns",
	"O": "output channels", "I": "input channels", "G": "groups", "T": "steps"}

func (f Format) dimWord(d int) string {
	if w := dimWords[f.names[d]]; w != "" && !f.Positional() {
		return w
	}
	return f.names[d]
}

// Words says in a few words what the format does to dims: "channels in blocks of 16, the block innermost".
func (f Format) Words() string {
	f = f.WithoutUnits()
	if f.Plain() {
		return f.plainWords()
	}
	var parts []string
	for d := range f.names {
		if blocks := f.Blocks(d); len(blocks) > 0 {
			parts = append(parts, f.blockWords(d, blocks))
		}
	}
	inner := f.axes[len(f.axes)-1]
	switch {
	case f.besideOuter(inner):
	case len(parts) == 1 && inner.Extent != 0 && len(f.Blocks(inner.Dim)) == 1:
		parts = append(parts, "the block innermost")
	default:
		parts = append(parts, f.dimWord(inner.Dim)+" innermost")
	}
	return strings.Join(parts, ", ")
}

// plainWords tell a format without blocks by the dims that lie innermost and outermost.
func (f Format) plainWords() string {
	if len(f.axes) == 0 {
		return "one value"
	}
	inner, outer := f.axes[len(f.axes)-1].Dim, f.axes[0].Dim
	rising := slices.IsSortedFunc(f.axes, func(a, b Axis) int { return a.Dim - b.Dim })
	falling := slices.IsSortedFunc(f.axes, func(a, b Axis) int { return b.Dim - a.Dim })
	switch {
	case len(f.axes) == 1:
		return "one after the other"
	case rising:
		return fmt.Sprintf("row-major, %s varies fastest", f.names[inner])
	case falling:
		return fmt.Sprintf("column-major, %s varies fastest", f.names[inner])
	}
	return fmt.Sprintf("%s innermost, %s outermost", f.dimWord(inner), f.dimWord(outer))
}

// Blocks returns a dim's blocks, the outermost first.
func (f Format) Blocks(d int) []Axis {
	return slices.DeleteFunc(slices.Clone(f.axes), func(a Axis) bool { return a.Dim != d || a.Extent == 0 })
}

// besideOuter reports whether a block follows its dim's outer axis at once, which pads the dim and does nothing else.
func (f Format) besideOuter(block Axis) bool {
	k := slices.Index(f.axes, block)
	return k > 0 && block.Extent != 0 && f.axes[k-1] == Axis{block.Dim, block.Extent * block.Div, 0}
}

func (f Format) blockWords(d int, blocks []Axis) string {
	if len(blocks) == 1 && f.besideOuter(blocks[0]) {
		return fmt.Sprintf("%s padded to a multiple of %d", f.dimWord(d), blocks[0].Extent)
	}
	size, factors := 1, make([]string, len(blocks))
	for k, b := range blocks {
		size *= b.Extent
		factors[k] = fmt.Sprint(b.Extent)
	}
	words := fmt.Sprintf("%s in blocks of %d", f.dimWord(d), size)
	if len(blocks) > 1 {
		words += " (" + strings.Join(factors, " x ") + ")"
	}
	return words
}
