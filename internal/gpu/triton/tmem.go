package triton

import (
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// memoryLanes is the lanes of tensor memory.
const memoryLanes = 128

// warpLanes is the bits of the lanes of tensor memory that a warp reads; a zero basis of a higher bit is a copy for the next warps. Of any
// other bit of a lane or a column, it means that nothing is held there. (tensorMemoryToLinearLayout)
const warpLanes = 5

// Lane returns the lane of tensor memory of a thread of the layout, within its CTA.
func (l Linear) Lane(thread int) int { return deposit(thread%l.Warp(), l.held[lane]) }

// Column returns the column of tensor memory of a value, in elements.
func (l Linear) Column(value int) int { return deposit(value, l.held[register]) }

// DataPath names the data path layout of tcgen05.mma in the PTX ISA, 9.7.16.10.5, that blocks of tensor memory have; "" for other layouts.
func (a Attribute) DataPath() string {
	rows := slices.Concat(a.fields["blockm"]...)
	if block := a.fields["block"]; len(block) == 1 {
		rows = block[0]
	}
	if len(rows) == 0 {
		return ""
	}
	names := map[int]string{64: "F", 128: "D"}
	if two := a.fields["twoctas"]; len(two) == 1 && two[0][0] != 0 {
		names = map[int]string{64: "B", 128: "A"}
	}
	return "data path layout " + names[rows[0]] + " of tcgen05.mma"
}

// deposit returns the bits of x at the positions of the bits of a mask, in order.
func deposit(x, mask int) int {
	y := 0
	for bit := 1; bit <= mask; bit *= 2 {
		if mask&bit != 0 {
			y |= bit * (x & 1)
			x /= 2
		}
	}
	return y
}

// tensorMemory is a matrix in blocks of tcgen05.mma, in the data path layouts of the PTX ISA: D and A (of two CTAs) with 128 rows; F with
// 64 rows, in the lower half of each warp's lanes, and a next block in the upper; B with 64 rows of each of two CTAs, whose second half of
// columns is in the upper lanes.
func (b *builder) tensorMemory() {
	m, n, stride := b.block()
	twoCTAs := b.option("twoCTAs", 0) != 0
	ctas := b.splitCTAs()
	n = min(n, b.shape[1])
	if m > b.shape[0] {
		b.fail(fault.Usage, "a block of %d rows exceeds the matrix of a CTA, %s", m, tensor.Tuple(b.shape))
	}
	paired := len(ctas) > 0 && slices.Equal(ctas[0], []int{1, 0})
	if twoCTAs && !paired {
		b.fail(fault.Usage, "twoCTAs needs a CGALayout that begins with [1, 0]")
	}
	if b.err != nil {
		return
	}
	for k := 1; k < stride; k *= 2 {
		b.bases[register] = append(b.bases[register], []int{0, 0})
	}
	b.extend(lane, 0, m)
	b.extend(register, 1, n)
	switch {
	case m == memoryLanes:
	case twoCTAs:
		last := len(b.bases[register]) - 1
		if n == 1 {
			b.fail(fault.Usage, "a block of one column has no second half for twoCTAs")
			return
		}
		b.bases[lane] = append(b.bases[lane], b.bases[register][last])
		b.bases[register] = b.bases[register][:last]
	default:
		upper := []int{0, 0} // 16 lanes of each warp
		for d := range upper {
			if b.shape[d] > b.size[d] {
				upper[d] = b.size[d]
				b.size[d] *= 2
				break
			}
		}
		b.bases[lane] = slices.Insert(b.bases[lane], warpLanes-1, upper)
	}
	b.placeCTAs(ctas)
}

// block returns the rows and columns of a block, and the elements from one column to the next.
func (b *builder) block() (m, n, stride int) {
	m = b.option("blockM", 0)
	n = b.option("blockN", 0)
	if b.fields["block"] != nil {
		block := b.numbers("block", 2)
		m = block[0]
		n = block[1]
	}
	stride = b.option("colStride", 1)
	if m != memoryLanes/2 && m != memoryLanes {
		b.fail(fault.Usage, "a block of tensor_memory_encoding has %d rows: want 64 or 128", m)
	}
	if !isPower(n) || !slices.Contains([]int{1, 2, 4}, stride) {
		b.fail(fault.Usage, "tensor_memory_encoding of %d columns and colStride %d: want a power of two, and 1, 2 or 4", n, stride)
	}
	if b.option("fp4Padded", 0) != 0 {
		stride *= 2
	}
	return m, n, stride
}

// scales is a matrix of scale factors of 8 bits: 32 rows in the lanes of each warp, 4 factors of a row in 32 bits, and the next 32 rows in
// the next columns.
func (b *builder) scales() {
	ctas := b.splitCTAs()
	b.extend(lane, 0, 32)
	b.bases[lane] = append(b.bases[lane], []int{0, 0}, []int{0, 0})
	b.extend(register, 1, 4)
	b.extend(register, 0, 2)
	b.placeCTAs(ctas)
}

// splitCTAs makes the shape that of a CTA, and returns the bases of CTAs, in CTAs.
func (b *builder) splitCTAs() [][]int {
	if b.fields["cgalayout"] == nil {
		return nil
	}
	ctas := b.vectors("CGALayout", 2)
	b.shape = slices.Clone(b.shape)
	split := []int{1, 1}
	for _, basis := range ctas {
		if basis[0] != 0 && basis[1] != 0 {
			b.fail(fault.Usage, "CGALayout has the basis %v: want one that splits one dim", basis)
			return nil
		}
		for d, x := range basis {
			if x == 0 {
				continue
			}
			if x != split[d] || b.shape[d] < 2 {
				b.fail(fault.Usage, "CGALayout has the basis %v: want %d, then twice that, in a dim of %d", basis, split[d], b.shape[d])
				return nil
			}
			split[d] *= 2
			b.shape[d] /= 2
		}
	}
	return ctas
}

// placeCTAs covers the shape of a CTA with columns, rows first, adds the bases of CTAs, and drops the bits of lanes and columns that hold
// nothing.
func (b *builder) placeCTAs(ctas [][]int) {
	b.fit(register, []int{0, 1})
	for _, basis := range ctas {
		b.bases[warp] = append(b.bases[warp], []int{basis[0] * b.shape[0], basis[1] * b.shape[1]})
	}
	for _, input := range []int{lane, register} {
		var kept [][]int
		for k, basis := range b.bases[input] {
			copies := input == lane && k >= warpLanes
			if copies || slices.Max(basis) > 0 {
				b.held[input] |= 1 << k
				kept = append(kept, basis)
			}
		}
		b.bases[input] = kept
	}
}
