package notation

import (
	"fmt"
	"slices"
	"strings"
)

// axisName returns an axis in the explicit form: N, C//4, C%4.
func (f Format) axisName(a Axis) string {
	s := f.names[a.Dim]
	if a.Div != 1 {
		s += fmt.Sprintf("//%d", a.Div)
	}
	if a.Extent != 0 {
		s += fmt.Sprintf("%%%d", a.Extent)
	}
	return s
}

// AxisNames returns the names of the axes, outermost first: N, C//4, H, W, C%4.
func (f Format) AxisNames() []string {
	names := make([]string, len(f.axes))
	for k, a := range f.axes {
		names[k] = f.axisName(a)
	}
	return names
}

// Explicit returns the format as "N C//4 H W C%4".
func (f Format) Explicit() string { return strings.Join(f.AxisNames(), " ") }

// String returns the canonical name, "NCHW4c"; without one, or if it would read as another word, that of kernels, "marlin", or the
// explicit form, "T I L E".
func (f Format) String() string {
	if s, ok := f.Short(); ok && (!IsLetters(s) || isUnspaced(s)) {
		return s
	}
	if a, ok := f.named(); ok {
		return a.name
	}
	return f.Explicit()
}

// named returns the alias whose name the order has instead of a short one.
func (f Format) named() (alias, bool) {
	explicit := f.Explicit()
	for _, a := range aliases {
		if a.shown && a.format == explicit {
			return a, true
		}
	}
	return alias{}, false
}

// Joined reports whether arrays in files have an axis for each axis of open size, with those of known sizes in it: (G, N) as G N//64 N%8 N//8%8.
func (f Format) Joined() bool {
	a, ok := f.named()
	return ok && a.joined
}

// Key returns the name in lower case, for reports and gates: nhwc, nchw16c.
func (f Format) Key() string { return strings.ToLower(f.String()) }

// Short returns the canonical name. ok is false without one: it requires dims of one letter each, and the innermost block of a dim in a
// name is the least significant digit and the axis without a number the most significant one.
func (f Format) Short() (name string, ok bool) {
	if !f.Lettered() {
		return "", false
	}
	var b strings.Builder
	for k, a := range f.axes {
		letter := f.names[a.Dim]
		switch a.Extent {
		case 0:
			b.WriteString(strings.ToUpper(letter))
		case 1: // omitted
		default:
			if f.hasOuterDigit(a, f.axes[k+1:]) {
				return "", false
			}
			fmt.Fprintf(&b, "%d%s", a.Extent, strings.ToLower(letter))
		}
	}
	return b.String(), len(f.axes) > 0
}

// hasOuterDigit reports whether axes have a block of the same dim that is more significant.
func (f Format) hasOuterDigit(block Axis, axes []Axis) bool {
	return slices.ContainsFunc(axes, func(a Axis) bool { return a.Dim == block.Dim && a.Extent > 1 && a.Div > block.Div })
}

// dimWord returns the plural of a dim's noun, or its name.
func (f Format) dimWord(d int) string {
	if noun, ok := DimNoun(f.names, d); ok {
		return noun + "s"
	}
	return f.names[d]
}

// Words describes the format briefly: "channels in blocks of 16, the block innermost".
func (f Format) Words() string {
	f = f.WithoutUnits()
	if f.Plain() {
		return f.plainWords()
	}
	var parts []string
	blocks := 0
	for d := range f.names {
		if digits := f.Blocks(d); len(digits) > 0 {
			parts = append(parts, f.blockWords(d, digits))
			blocks += len(digits)
		}
	}
	inner := f.axes[len(f.axes)-1]
	if f.besideOuter(inner) {
		return strings.Join(parts, ", ")
	}
	innermost := f.dimWord(inner.Dim)
	if inner.Extent != 0 && blocks == 1 {
		innermost = "the block"
	}
	return strings.Join(parts, ", ") + ", " + innermost + " innermost"
}

// plainWords describes a format without blocks by its innermost and outermost dims.
func (f Format) plainWords() string {
	if len(f.axes) == 0 {
		return "one value"
	}
	if len(f.axes) == 1 {
		return "consecutive elements"
	}
	inner := f.axes[len(f.axes)-1].Dim
	outer := f.axes[0].Dim
	if slices.IsSortedFunc(f.axes, func(a, b Axis) int { return a.Dim - b.Dim }) {
		return fmt.Sprintf("row-major, %s varies fastest", f.names[inner])
	}
	if slices.IsSortedFunc(f.axes, func(a, b Axis) int { return b.Dim - a.Dim }) {
		return fmt.Sprintf("column-major, %s varies fastest", f.names[inner])
	}
	return fmt.Sprintf("%s innermost, %s outermost", f.dimWord(inner), f.dimWord(outer))
}

// Blocks returns a dim's blocks, outermost first.
func (f Format) Blocks(d int) []Axis {
	return slices.DeleteFunc(slices.Clone(f.axes), func(a Axis) bool { return a.Dim != d || a.Extent == 0 })
}

// besideOuter reports whether a block directly follows its dim's outer axis: it only pads the dim.
func (f Format) besideOuter(block Axis) bool {
	k := slices.Index(f.axes, block)
	return k > 0 && block.Extent != 0 && f.axes[k-1] == Axis{block.Dim, block.Extent * block.Div, 0}
}

func (f Format) blockWords(d int, blocks []Axis) string {
	if len(blocks) == 1 && f.besideOuter(blocks[0]) {
		return fmt.Sprintf("%s padded to a multiple of %d", f.dimWord(d), blocks[0].Extent)
	}
	size := 1
	factors := make([]string, len(blocks))
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
