package framework

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/tlayout/tlayout/internal/gpu/descriptor"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// Triton is the compiler, whose layouts of shared memory SharedNames spells.
var Triton = &Framework{Name: "Triton", Types: AnyType, Read: "3.9.0, run",
	Source: "SwizzledSharedEncodingAttr, PaddedSharedEncodingAttr and NVMMASharedEncodingAttr of lib/Dialect/TritonGPU/IR/Dialect.cpp, " +
		"their layouts in LinearLayoutConversions.cpp"}

// SharedName is what a framework calls a layout of shared memory, or why it has no name for it.
type SharedName struct {
	Framework *Framework
	Names     []string
	Why       string
}

// SharedNames returns what Triton and TMA call a swizzled layout, and what Triton calls a padded matrix; nil for other layouts. d is nil if
// the element type is unknown.
func SharedNames(l tensor.Layout, d *dtype.Type) []SharedName {
	b := newBox(l)
	z := l.Swizzle()
	padding := uint(b.pitch - b.row)
	isPaddedMatrix := l.Rank() == 2 && b.powers() && bits.OnesCount(padding) == 1
	if z.IsZero() && isPaddedMatrix {
		return []SharedName{{Triton, []string{fmt.Sprintf("#ttg.padded_shared<[%d:+%d] {order=[%s], shape=[%s]}>", b.row, padding,
			text.Ints(b.order, ","), text.Ints(b.sizes, ","))}, ""}}
	}
	if z.IsZero() {
		return nil
	}
	mode, whyNot := b.tma(z, d)
	permuted, why := b.swizzledShared(z)
	names := []string{permuted}
	if whyNot == "" {
		names = append(names, b.nvmmaShared(mode, d.Bits()))
	}
	names = nonEmpty(names...)
	if len(names) > 0 {
		why = ""
	}
	return []SharedName{{Triton, names, why}, {TMA, nonEmpty(mode.Name), whyNot}}
}

func nonEmpty(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// box is a layout that nests its dims: rows of consecutive elements, row after row, the outer dims, and one such box after another.
type box struct {
	order []int // the dims, the fastest first
	sizes []int // of the tensor
	row   int   // elements of a row
	pitch int   // elements from row to row
	count int   // boxes along the fastest dim
}

// newBox returns the box of a layout without its swizzle; the zero box for other layouts, and at an offset.
func newBox(l tensor.Layout) box {
	if l.Rank() < 2 || l.Offset() != 0 || !slices.Equal(l.PaddedShape(), l.Shape()) {
		return box{}
	}
	b := box{sizes: l.Shape(), count: 1}
	end := 1
	for _, g := range risingDigits(l) {
		if !b.extend(g, end) {
			return box{}
		}
		end = g.extent * g.stride
	}
	for d := l.Rank() - 1; d >= 0; d-- { // those of size 1
		if !slices.Contains(b.order, d) {
			b.order = append(b.order, d)
		}
	}
	return b
}

// dimDigit is a digit of a dim.
type dimDigit struct{ dim, extent, stride int }

// risingDigits returns the digits that have several values, by rising stride.
func risingDigits(l tensor.Layout) []dimDigit {
	var digits []dimDigit
	for d := range l.Rank() {
		for _, g := range l.Dim(d).Digits {
			if g.Extent > 1 {
				digits = append(digits, dimDigit{d, g.Extent, g.Stride})
			}
		}
	}
	sorting.By(digits, func(p, q dimDigit) int { return cmp.Compare(p.stride, q.stride) })
	return digits
}

// extend adds the digit of the next larger stride to a box that ends at end. It reports whether the digit continues the box: its last dim,
// a new one, or, as the outermost of all, boxes along the fastest dim. Only rows may have padding between them.
func (b *box) extend(g dimDigit, end int) bool {
	last := len(b.order) - 1
	betweenRows := last == 0 && g.dim != b.order[0]
	padded := betweenRows && g.stride > end
	if b.count > 1 || g.stride != end && !padded {
		return false
	}
	switch slices.Index(b.order, g.dim) {
	case -1:
		if betweenRows {
			b.pitch = g.stride
		}
		b.order = append(b.order, g.dim)
	case last:
	case 0:
		b.count = g.extent
	default:
		return false
	}
	if len(b.order) == 1 {
		b.row = g.extent * g.stride
		b.pitch = b.row
	}
	return true
}

// dense reports whether it is a box without padding.
func (b box) dense() bool { return b.row > 0 && b.pitch == b.row }

// powers reports whether all sizes are powers of two, as Triton's are.
func (b box) powers() bool {
	return b.row > 0 && !slices.ContainsFunc(b.sizes, func(n int) bool { return bits.OnesCount(uint(n)) != 1 })
}

// swizzledShared returns the name by which groups of vec elements in rows of C are permuted: group g of row r is at
// g ^ r/perPhase%maxPhase.
//
//	Sw<log2 maxPhase, log2 vec, log2(perPhase·C) - log2 vec>
func (b box) swizzledShared(z tensor.Swizzle) (name, why string) {
	vec := 1 << z.Base
	maxPhase := 1 << z.Bits
	phase := 1 << max(0, z.Base+z.Shift)
	if !b.dense() {
		return "", "its strides are not those of dense rows"
	}
	rows := b.sizes[b.order[1]]
	if vec*maxPhase > b.row { // of fewer rows, only the first phases
		maxPhase = min(maxPhase, max(1, ints.Product(b.sizes)/phase))
	}
	if !b.powers() {
		return "", "it needs sizes that are powers of two"
	}
	if b.count > 1 {
		return "", "swizzled_shared has one box"
	}
	if z.Shift < 0 || phase < b.row {
		return "", fmt.Sprintf("%s reads bits inside a row of %d", z, b.row)
	}
	if vec*maxPhase > b.row {
		return "", fmt.Sprintf("vec·maxPhase = %d exceeds the row of %d", vec*maxPhase, b.row)
	}
	if phase/b.row*maxPhase > rows && len(b.sizes) > 2 {
		return "", fmt.Sprintf("%s reads bits outside of the %d rows", z, rows)
	}
	return fmt.Sprintf("#ttg.swizzled_shared<{vec=%d, perPhase=%d, maxPhase=%d, order=[%s]}>", vec, phase/b.row, maxPhase,
		text.Ints(b.order, ",")), ""
}

// tma returns the mode that writes the layout, whose box has the rows of the mode; d is nil if the element type is unknown.
func (b box) tma(z tensor.Swizzle, d *dtype.Type) (m descriptor.TMAMode, why string) {
	if !b.dense() {
		return m, "its strides are not those of dense boxes"
	}
	if len(b.sizes) > TMA.MaxDims {
		return m, TMA.refusesRank(len(b.sizes))
	}
	if d == nil {
		return m, "it needs the element size: add --dtype"
	}
	bytes := z.Recast(d.Bits(), 8)
	k := slices.IndexFunc(descriptor.TMAModes[:], func(m descriptor.TMAMode) bool { return m.Swizzle == bytes })
	maybe := descriptor.Unchecked(bytes)
	if k < 0 && maybe != "" {
		return m, fmt.Sprintf("whether %s is %s of bytes is not checked", maybe, bytes)
	}
	if k < 0 {
		return m, fmt.Sprintf("no mode is %s of bytes", bytes)
	}
	mode := descriptor.TMAModes[k]
	if int64(b.row)*int64(d.Bits()) != int64(8*mode.Span) {
		return m, fmt.Sprintf("boxes of %s have rows of %d bytes, this one of %s", mode.Name, mode.Span, bytesText(int64(b.row), *d))
	}
	return mode, ""
}

// nvmmaShared returns the name of a layout that a mode of TMA writes; empty for other layouts. Its boxes have at least 8 rows, and at most
// 256: more are in another order if there are several columns of boxes.
func (b box) nvmmaShared(mode descriptor.TMAMode, elementBits int) string {
	if mode.Swizzle.Base != 4 || elementBits < 8 {
		return ""
	}
	if len(b.sizes) != 2 || !b.powers() {
		return ""
	}
	rows := b.sizes[b.order[1]]
	if rows < 8 || rows > 256 && b.count > 1 {
		return ""
	}
	return fmt.Sprintf("#ttg.nvmma_shared<{swizzlingByteWidth=%d, transposed=%t, elementBitWidth=%d}>", b.row*elementBits/8,
		b.order[0] == 0, elementBits)
}

// refusesSwizzle returns why a framework refuses a swizzled tensor.
func (f *Framework) refusesSwizzle(o Offer) string {
	if f != TMA {
		return "it has no swizzles"
	}
	why := "global memory has no swizzle"
	if mode, whyNot := newBox(o.Layout).tma(o.Layout.Swizzle(), &o.DType); whyNot == "" {
		why += "; " + mode.Name + " writes this layout into shared memory"
	}
	return why
}
