package notation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

var (
	xlaLayout = lazy.Regexp(`^\{([0-9]+(?:,[0-9]+)*)?(?::T((?:\([0-9,*]*\))*))?\}$`)
	xlaTile   = lazy.Regexp(`\(([^)]*)\)`)
	xlaSuffix = lazy.Regexp(`([A-Z#*]+)\(`)
)

// parseXLA reads XLA's {minor_to_major:T(tile)(tile)…}, which lists dims from the innermost to the outermost, unlike every
// other notation: {3,2,1,0} is row-major, {1,3,2,0} is NHWC for dims N,C,H,W.
//
// A tile splits the innermost physical axes into whole tiles, with the position inside the tile innermost; a second tile
// splits the result again (docs/tiled_layout.md in openxla/xla):
//
//	[10,130] {1,0:T(8,128)}       → ⌈10/8⌉ ⌈130/128⌉ | 8 128
//	         {1,0:T(8,128)(2,1)}  → ⌈10/8⌉ ⌈130/128⌉ | 4 128 | 2 1
func parseXLA(s string) (Format, error) {
	m := xlaLayout.Get().FindStringSubmatch(s)
	if m == nil {
		return Format{}, badLayout(s, "want the form {2,1,0} or {1,0:T(8,128)}").WithHint("%s", suffixHint(s))
	}
	order, err := minorToMajor(s, m[1])
	if err != nil {
		return Format{}, err
	}
	names := make([]string, len(order))
	for i := range names {
		names[i] = positionName(i, len(order))
	}
	slices.Reverse(order)
	f := Order(names, order)
	for _, t := range xlaTile.Get().FindAllStringSubmatch(m[2], -1) {
		if f, err = f.tile(s, t[1]); err != nil {
			return Format{}, err
		}
	}
	if len(f.axes) > tensor.MaxRank {
		return Format{}, badLayout(s, "it has more than %d physical axes", tensor.MaxRank)
	}
	return f, nil
}

// xlaSuffixes are the parts that a layout may have after its tiles. (XLA, xla/layout.cc: Layout::Print; docs/tiled_layout.md)
var xlaSuffixes = []struct{ name, means string }{
	{"D", "D(…) is how dims are stored: remove it for a dense layout"},
	{"L", "L(…) pads the end of the array, not offsets: remove it"},
	{"#", "#(…) is the type of indices, not of elements: remove it"},
	{"*", "*(…) is the type of pointers: remove it"},
	{"E", "E(…) sets the bits of an element, which is not supported"},
	{"S", "S(…) is a memory space: remove it"},
	{"SC", "SC(…) splits the array over memories, which is not supported"},
	{"P", "P(…) is the physical shape: use that one"},
	{"M", "M(…) is a number of bytes before the array: remove it and skip them"},
}

// suffixHint explains the first suffix that is not a tile.
func suffixHint(s string) string {
	for _, m := range xlaSuffix.Get().FindAllStringSubmatch(s, -1) {
		for _, x := range xlaSuffixes {
			if m[1] == x.name {
				return x.means
			}
		}
	}
	return "minor_to_major, then tiles: {1,0:T(8,128)(2,1)}"
}

// positionName names the dims of a positional layout as oneDNN does, A, B, C, …; beyond its twelve, d0, d1, ….
func positionName(i, rank int) string {
	if rank <= 12 {
		return string(rune('A' + i))
	}
	return "d" + strconv.Itoa(i)
}

func minorToMajor(s, list string) ([]int, error) {
	var order []int
	for _, word := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		d, err := strconv.Atoi(word)
		if err != nil || d >= tensor.MaxRank || slices.Contains(order, d) {
			return nil, badLayout(s, "minor_to_major must list each dim from 0 once, but contains %s", word)
		}
		order = append(order, d)
	}
	for d := range order {
		if !slices.Contains(order, d) {
			return nil, badLayout(s, "minor_to_major lacks dim %d", d)
		}
	}
	return order, nil
}

// tile splits the last axes by the sizes in list.
func (f Format) tile(s, list string) (Format, error) {
	sizes, err := tileSizes(s, list)
	if err != nil {
		return Format{}, err
	}
	first := len(f.axes) - len(sizes)
	if first < 0 {
		return Format{}, badLayout(s, "the tile (%s) has more dims than the %d it splits", list, len(f.axes))
	}
	outer, inner := slices.Clone(f.axes[:first]), []Axis(nil)
	for k, a := range f.axes[first:] {
		t := sizes[k]
		if a.Extent%t != 0 {
			return Format{}, fault.New(fault.Unsupported, "layout %s: a tile of %d does not divide the previous tile's %d",
				text.Quoted(clip(s)), t, a.Extent)
		}
		inner = append(inner, Axis{a.Dim, a.Div, t})
		outer = append(outer, Axis{a.Dim, a.Div * t, a.Extent / t})
		if a.Div*t > maxBlock {
			return Format{}, badLayout(s, "its tiles multiply to more than %d", maxBlock)
		}
	}
	return Format{f.names, append(outer, inner...)}, nil
}

func tileSizes(s, list string) ([]int, error) {
	var sizes []int
	for _, word := range strings.Split(list, ",") {
		if word == "*" {
			return nil, fault.New(fault.Unsupported, "layout %s: tiles with *, which merge dims, are not supported", text.Quoted(clip(s)))
		}
		t, err := strconv.Atoi(word)
		if err != nil || t < 1 || t > maxBlock {
			return nil, badLayout(s, "tile size %q is outside 1 to %d", word, maxBlock)
		}
		sizes = append(sizes, t)
	}
	return sizes, nil
}
