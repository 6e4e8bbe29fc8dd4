package descriptor

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Operand is a tile as an operand whose elements are consecutive along K, or along M or N. If it has no descriptor, Why is the reason, and
// Canonical the nearest canonical layout.
type Operand struct {
	Major     string   `json:"major"`         // the dim with consecutive elements: K or MN
	MN        string   `json:"mn"`            // the dim that is M or N
	K         string   `json:"k"`             // the dim that is K
	OK        bool     `json:"ok"`            // it holds or is accepted
	Why       string   `json:"why,omitempty"` // the reason
	Canonical string   `json:"canonical"`     // canonical layout of (MN, K); T elements are 16 bytes
	LBO       int      `json:"lbo_bytes"`     // leading dimension byte offset
	SBO       int      `json:"sbo_bytes"`     // stride dimension byte offset
	LBOUnits  int      `json:"lbo"`           // lbo_bytes / 16
	SBOUnits  int      `json:"sbo"`           // sbo_bytes / 16
	Unused    []string `json:"unused"`        // offsets that do not matter: lbo, sbo
	Extent    int      `json:"mn_extent"`     // indices of M or N that the offsets reach; 0: all
	SM90      *Value   `json:"sm90"`          // WGMMA's descriptor; null if it has none
	SM100     *Value   `json:"sm100"`         // UMMA's descriptor; null if it has none
}

// Value is a descriptor of address and base offset 0.
type Value struct {
	Code int    `json:"layout_type"` // layout_type of the descriptor
	Name string `json:"-"`           // CUTLASS's name of Code
	Bits string `json:"descriptor"`  // 64 bits, in hexadecimal
}

// Of returns a tile as a K-major and as an MN-major operand. Of three dims, the first or the last may count tiles, if its stride is the
// largest; the first of them is the tile. bits is the size of an element.
//
// It fails with Unsupported for other dims, and for elements that are not of 4, 8, 16 or 32 bits.
func Of(l tensor.Layout, bits int) ([]Operand, error) {
	dims := tile(l)
	if len(dims) != 2 {
		return nil, fault.New(fault.Unsupported, "a matrix descriptor needs a tile of two dims, found %s", text.Count(l.Rank(), "dim")).
			WithHint("tlayout formats --descriptor 'Sw<3,4,3> o smem_ptr[16b](unset) o (128,64):(64,1)'")
	}
	if !slices.Contains([]int{4, 8, 16, 32}, bits) {
		return nil, fault.New(fault.Unsupported, "matrix descriptors are for elements of 4, 8, 16 or 32 bits, not of %d", bits)
	}
	outer := dims[0]
	inner := dims[1]
	if outer.Size > 1 && outer.At(1) == 1 {
		outer, inner = inner, outer
	}
	pitch := outer.At(min(1, max(outer.Size-1, 0)))
	return []Operand{operand(l, bits, pitch, "K", outer, inner), operand(l, bits, pitch, "MN", inner, outer)}, nil
}

// tile returns the dims of a tile: of three, the last or the first may count tiles, one after another.
func tile(l tensor.Layout) (dims []tensor.Dim) {
	for d := range l.Rank() {
		dims = append(dims, l.Dim(d))
	}
	if len(dims) != 3 {
		return dims
	}
	end := func(d tensor.Dim) int { return d.At(max(d.Size-1, 0)) }
	for i, rest := range [][]tensor.Dim{dims[:2], dims[1:]} {
		if count := dims[2-2*i]; count.Size == 1 || count.Size > 1 && count.At(1) > end(rest[0])+end(rest[1]) {
			return rest
		}
	}
	return dims
}

// operand matches a tile with the canonical layout of its swizzle. If that fails, it names the layout type with these strides.
// pitch is the stride of the other dim.
func operand(l tensor.Layout, bits, pitch int, major string, mn, k tensor.Dim) Operand {
	z := l.Swizzle().Recast(bits, 8)
	own := slices.IndexFunc(modes, func(m mode) bool { return m.swizzle == z })
	o := modes[max(own, 0)].match(l, bits, major, mn, k)
	if own < 0 {
		o.OK = false
		o.Why = fmt.Sprintf("no layout type has %s, %s of bytes", l.Swizzle(), z)
	}
	if o.OK {
		return o
	}
	nearest := o.Canonical
	for _, m := range modes {
		near := m.match(l, bits, major, mn, k)
		if near.OK {
			o.Why += fmt.Sprintf("; its strides are those of %s, with %s", m.sm100.Name, m.swizzle.Recast(8, bits))
			nearest = near.Canonical
			break
		}
		if own <= 0 && m.rows == 8 && 128*m.width <= pitch*bits { // the widest pattern that a row holds
			nearest = near.Canonical
		}
	}
	return Operand{Major: major, MN: mn.Name, K: k.Name, Why: o.Why, Canonical: nearest, Unused: []string{}}
}

// match compares the strides of a tile with the canonical layout of a mode.
func (m mode) match(l tensor.Layout, bits int, major string, mn, k tensor.Dim) Operand {
	c := &matcher{mode: m, unit: 128 / bits}
	c.check(l.Offset()*bits%128 == 0, "it does not start at a multiple of 16 bytes")
	o := Operand{Major: major, MN: mn.Name, K: k.Name, Canonical: m.k, Unused: []string{}}
	var lbo, sbo int
	if major == "K" {
		lbo, sbo, o.Extent = c.kMajor(mn, k)
	} else {
		o.Canonical = m.mn
		lbo, sbo, o.Extent = c.mnMajor(mn, k)
	}
	if o.Extent >= min(mn.Size, maxMN) {
		o.Extent = 0
	}
	o.LBOUnits = c.encode("LBO", lbo)
	o.SBOUnits = c.encode("SBO", sbo)
	o.LBO = 16 * o.LBOUnits
	o.SBO = 16 * o.SBOUnits
	if lbo == 0 || major == "K" && !m.plain() {
		o.Unused = append(o.Unused, "lbo")
	}
	if sbo == 0 {
		o.Unused = append(o.Unused, "sbo")
	}
	fields := uint64(o.LBOUnits)<<16 | uint64(o.SBOUnits)<<32
	m.sm90.Bits = fmt.Sprintf("0x%016x", fields|uint64(m.sm90.Code)<<62)
	m.sm100.Bits = fmt.Sprintf("0x%016x", fields|1<<46|uint64(m.sm100.Code)<<61)
	o.SM100 = &m.sm100
	if m.hasWGMMA(major, bits) {
		o.SM90 = &m.sm90
	}
	o.OK = c.why == ""
	o.Why = c.why
	return o
}

// hasWGMMA reports whether WGMMA reads such operands: those of 2-byte types, and K-major ones of others.
// (include/cute/arch/mma_sm90_gmma.hpp: other types are TN)
func (m mode) hasWGMMA(major string, bits int) bool {
	if m.sm90.Name == "" || bits < 8 {
		return false
	}
	return major == "K" || bits == 16
}
