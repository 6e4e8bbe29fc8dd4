package notation

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// XLA is the layout that XLA prints behind the sizes of an array: {1,0:T(8,128)L(1024)E(4)}.
type XLA struct {
	Format Format // of the dims A, B, …
	Tail   int    // the storage is a multiple of this many elements; 1: no padding
	Bits   int    // of an element in memory; 0: those of its type

	scalar int   // elements of the tile that holds a scalar; 1 without tiles
	padded []int // extents in memory of axes that a larger tile pads, beside the Format's axes; 0: the axis's own
}

// Bind returns the layout of an array of these sizes, in a storage with the padding of tiles and of L(n).
//
// Source: ShapeUtil::ArraySize in xla/shape_util.cc, which rounds up to tiles, then to tail_padding_alignment_in_elements.
func (x XLA) Bind(sizes []int) (tensor.Layout, error) {
	l, err := x.placed(sizes)
	if err != nil {
		return l, err
	}
	alloc := l.Alloc()
	for _, unit := range []int{x.scalar, x.Tail} {
		var ok bool
		alloc, ok = tensor.Mul(ints.CeilDiv(alloc, unit), unit)
		if !ok {
			return l, fault.New(fault.Unsupported, "L(%d) of an array of %d elements overflows a 64-bit address", x.Tail, l.Alloc())
		}
	}
	return l.Renamed(l.Names(), alloc)
}

// placed returns the dense layout over the axes as they are in memory.
func (x XLA) placed(sizes []int) (tensor.Layout, error) {
	extents, err := x.Format.PhysicalShape(sizes)
	if err != nil {
		return tensor.Layout{}, err
	}
	for k, n := range x.padded {
		extents[k] = cmp.Or(n, extents[k])
	}
	packed, err := tensor.Packed(extents)
	if err != nil {
		return tensor.Layout{}, err
	}
	return x.Format.Place(sizes, extents, packed.Strides, 0, packed.Numel())
}

// isPadded reports whether a tile is larger than the axis that it splits.
func (x XLA) isPadded() bool { return slices.ContainsFunc(x.padded, func(n int) bool { return n > 0 }) }

var (
	xlaLayout = lazy.Regexp(`^\{((?:[0-9]+(?:,[0-9]+)*)?)(?::(?:T((?:\([0-9,*]*\))+))?(?:L\(([0-9]+)\))?` +
		`(?:#\(\w+\))?(?:\*\(\w+\))?(?:E\(([0-9]+)\))?(?:S\([0-9]+\))?)?\}$`)
	xlaTile    = lazy.Regexp(`\(([^)]*)\)`)
	xlaRefused = lazy.Regexp(`[:)](D|SC|P|M)\(`)
)

// ParseXLA reads {minor_to_major:T(tile)(tile)…}, which lists dims from the innermost to the outermost, unlike every other notation:
// {3,2,1,0} is row-major, {1,3,2,0} is NHWC for dims N,C,H,W. A tile splits the innermost physical axes into whole tiles, with the
// position inside the tile innermost; a second tile splits the result again:
//
//	[10,130] {1,0:T(8,128)}       → ⌈10/8⌉ ⌈130/128⌉ | 8 128
//	         {1,0:T(8,128)(2,1)}  → ⌈10/8⌉ ⌈130/128⌉ | 4 128 | 2 1
//	         {1,0:T(2,4)(4,2)}    → ⌈10/2⌉ ⌈130/4⌉ | 1 2 | 4 2, 2 2 of them with elements
//
// What may follow is in XLA's order, L # * E S: L pads the storage, E sets the bits of an element; the types of indices and of pointers and
// the memory space do not change addresses. Errors are Usage, and Unsupported for parts that change addresses in other ways.
//
// Source: docs/tiled_layout.md and Layout::Print of xla/layout.cc in openxla/xla.
func ParseXLA(s string) (XLA, error) {
	m := xlaLayout.Get().FindStringSubmatch(s)
	if m == nil {
		if bad := xlaRefused.Get().FindStringSubmatch(s); bad != nil {
			return XLA{}, fault.New(fault.Unsupported, "layout %s: %s(…) %s", text.Quoted(clip(s)), bad[1], xlaMeans[bad[1]])
		}
		return XLA{}, badLayout(s, "want the form {2,1,0} or {1,0:T(8,128)}").WithHint("minor_to_major, then tiles: {1,0:T(8,128)(2,1)}")
	}
	order, err := dimOrder(s, m[1])
	if err != nil {
		return XLA{}, err
	}
	slices.Reverse(order)
	x := XLA{Format: byPosition(order), Tail: 1, scalar: 1}
	x.padded = make([]int, len(x.Format.axes))
	for _, t := range xlaTile.Get().FindAllStringSubmatch(m[2], -1) {
		if err := x.tile(s, t[1]); err != nil {
			return x, err
		}
	}
	if err := cmp.Or(setFactor(&x.Tail, s, m[3]), setFactor(&x.Bits, s, m[4])); err != nil {
		return x, err
	}
	if len(x.Format.axes) > tensor.MaxRank {
		return x, badLayout(s, "it has more than %d physical axes", tensor.MaxRank)
	}
	return x, nil
}

// xlaMeans are the parts of a layout that change addresses or sizes in ways that are not supported.
var xlaMeans = map[string]string{
	"D": "stores dims sparsely", "SC": "splits the array over memories", "P": "replaces the shape by the physical one",
	"M": "puts bytes before the array: remove it and skip them",
}

// tile adds a tile; that of a scalar is padding but for one element.
func (x *XLA) tile(s, list string) error {
	sizes, err := tileSizes(s, list)
	if err != nil {
		return err
	}
	if x.Format.Rank() == 0 && x.scalar == 1 {
		x.scalar, err = tensor.Numel(sizes)
		if err != nil || x.scalar > maxBlock {
			err = badLayout(s, "its tiles multiply to more than %d", maxBlock)
		}
		return err
	}
	return x.split(s, sizes)
}

// parseXLA reads XLA's layout as a name, which has no room for the padding of a storage and the size of elements.
func parseXLA(s string) (Format, error) {
	x, err := ParseXLA(s)
	if err == nil && !x.isOrder() {
		err = badLayout(s, "L(…), E(…), the tile of a scalar and a tile larger than the one before depend on sizes and type").
			WithHint("write the whole type: 'f32[8,4]%s'", clip(s))
	}
	return x.Format, err
}

// isOrder reports whether the layout is the Format alone: without a padded storage, bits of an element, a tile of a scalar, or a padded tile.
func (x XLA) isOrder() bool {
	if x.Tail > 1 || x.Bits > 0 {
		return false
	}
	return x.scalar == 1 && !x.isPadded()
}

// jaxLayout matches what JAX prints, Layout(major_to_minor=(0, 2, 3, 1), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=0); it
// was DeviceLocalLayout, with _tiling, until 2025. x.format has it beside a sharding. (jax/_src/layout.py, JAX 0.10.2 and at 0a72e856)
var jaxLayout = lazy.Regexp(`^(?:\w+\((?:device_local_)?layout=)?(?:DeviceLocal)?Layout\(major_to_minor=\(([0-9, ]*)\)(?:, ?_?tiling=(?:None|\(([0-9(), ]*)\)))?` +
	`(?:, ?_?sub_byte_element_size_in_bits=([0-9]+))?\)(?:, sharding=.*)?$`)

// parseJAX reads m, the parts of such a layout: XLA's with the dims from the outermost to the innermost.
func parseJAX(s string, m []string) (Format, alias, error) {
	order, err := dimOrder(s, m[1])
	if err != nil {
		return Format{}, alias{}, err
	}
	slices.Reverse(order)
	xla := "{" + text.Ints(order, ",")
	if tiles := strings.NewReplacer("),(", ")(", ",)", ")").Replace(strings.ReplaceAll(m[2], " ", "")); tiles != "" {
		xla += ":T" + strings.TrimSuffix(tiles, ",")
	}
	f, err := parseXLA(xla + "}")
	switch bits := m[3]; bits {
	case "", "0":
		return f, alias{}, err
	case "1", "2", "4":
		return f, alias{dtype: "int" + bits, note: "elements have " + bits + " bits; --dtype names their type"}, err
	}
	return f, alias{}, fault.New(fault.Unsupported, "layout %s: elements of %s bits", text.Quoted(clip(s)), clip(m[3]))
}

// Flags returns the flags for a layout without sizes of this name, those of an example unless shape has as many dims.
func (l Layout) Flags(name string, shape []int) string {
	if len(shape) != l.Format.Rank() {
		shape = slices.Repeat([]int{8}, max(1, l.Format.Rank()))
		shape[len(shape)-1] = 128
	}
	return "--shape " + text.Ints(shape, ",") + " --from " + text.Shell(name)
}

// dimOrder reads the list of a layout, a permutation of dims.
func dimOrder(s, list string) ([]int, error) {
	var order []int
	for _, word := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		d, err := strconv.Atoi(word)
		if err != nil || d >= tensor.MaxRank || slices.Contains(order, d) { // the patterns have no minus sign
			return nil, badLayout(s, "it must list each dim from 0 once, but contains %s", clip(word))
		}
		order = append(order, d)
	}
	for d := range order {
		if !slices.Contains(order, d) {
			return nil, badLayout(s, "it lacks dim %d", d)
		}
	}
	return order, nil
}

// byPosition returns the Format of dims A, B, … in this order, outermost first.
func byPosition(order []int) Format {
	names := make([]string, len(order))
	for i := range names {
		names[i] = positionName(i, len(order))
	}
	return Order(names, order)
}

// positionName names the dims of a positional layout as oneDNN does, A, B, C, …; beyond its twelve, d0, d1, ….
func positionName(i, rank int) string {
	if rank <= 12 {
		return string(rune('A' + i))
	}
	return "d" + strconv.Itoa(i)
}

// split splits the last axes by a tile of these sizes.
func (x *XLA) split(s string, sizes []int) error {
	first := len(x.Format.axes) - len(sizes)
	if first < 0 {
		return badLayout(s, "the tile (%s) has more dims than the %d it splits", text.Ints(sizes, ","), len(x.Format.axes))
	}
	outer := slices.Clone(x.Format.axes[:first])
	inner := []Axis(nil)
	outerPadded := slices.Clone(x.padded[:first])
	innerPadded := []int(nil)
	for k, a := range x.Format.axes[first:] {
		t := sizes[k]
		whole := cmp.Or(x.padded[first+k], a.Extent)
		held := min(t, cmp.Or(a.Extent, t)) // positions in the tile that have elements
		if a.Extent%held != 0 {
			return fault.New(fault.Unsupported, "layout %s: a tile of %d does not divide the previous tile's %d: positions are no digits",
				text.Quoted(clip(s)), t, a.Extent)
		}
		if a.Div*t > maxBlock {
			return badLayout(s, "its tiles multiply to more than %d", maxBlock)
		}
		inner = append(inner, Axis{a.Dim, a.Div, held})
		innerPadded = append(innerPadded, unlessEqual(t, held))
		outer = append(outer, Axis{a.Dim, a.Div * held, a.Extent / held})
		outerPadded = append(outerPadded, unlessEqual(ints.CeilDiv(whole, t), a.Extent/held))
	}
	x.Format = Format{x.Format.names, append(outer, inner...)}
	x.padded = append(outerPadded, innerPadded...)
	return nil
}

// unlessEqual returns the extent of an axis in memory, or 0 if it is the axis's own.
func unlessEqual(memory, own int) int {
	if memory == own {
		return 0
	}
	return memory
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
