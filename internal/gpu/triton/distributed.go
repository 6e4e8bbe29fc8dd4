package triton

import (
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// Linear returns the layout of threads over a tensor of this shape, as toLinearLayout does. It fails with Usage if the layout is of
// another rank or its fields contradict each other, and with Unsupported for other kinds and versions.
func (a Attribute) Linear(shape []int) (Linear, error) {
	b := newBuilder(a, shape)
	if a.InTensorMemory() && len(shape) != 2 {
		b.fail(fault.Usage, "tensor memory holds matrices, and the tensor has %s", text.Count(len(shape), "dim"))
	}
	if a.kind.domain == matrix && len(shape) != 2 && len(shape) != 3 {
		b.fail(fault.Usage, "%s is a layout of matrices, of 2 or 3 dims, and the tensor has %d", a.kind.name, len(shape))
	}
	b.build(!a.IsShared())
	if n := len(slices.Concat(b.bases[:]...)); n > 30 {
		b.fail(fault.Unsupported, "%s has 2^%d values: the limit is 2^30", a.kind.name, n)
	}
	return b.Linear, b.err
}

func (b *builder) blocked() {
	order := b.order()
	rank := len(b.shape)
	b.extendAll(register, order, b.numbers("sizePerThread", rank))
	b.extendAll(lane, order, b.numbers("threadsPerWarp", rank))
	b.extendAll(warp, order, b.numbers("warpsPerCTA", rank))
	b.dropWrapped()
	b.fit(register, order)
}

// linear has explicit bases. Registers repeat them first along the dims in which they move, in that order.
// (LinearEncodingAttr::toLinearLayout)
func (b *builder) linear() {
	var order []int
	for i, name := range []string{"register", "lane", "warp"} {
		b.bases[i] = b.vectors(name, len(b.shape))
		for _, basis := range b.bases[i] {
			for d, x := range basis {
				for b.size[d] <= x {
					b.size[d] *= 2
				}
				if x != 0 && i == register {
					order = append(order, d)
				}
				if x > b.shape[d] && !isPower(x) {
					b.fail(fault.Unsupported, "basis %v of %s cannot wrap in the shape %v", basis, name, b.shape)
				}
			}
		}
	}
	b.dropWrapped()
	b.fit(register, append(order, matrixOrder(len(b.shape), true)...))
}

// parentBuilder returns a builder of the parent.
func (b *builder) parentBuilder(shape []int) *builder {
	if b.parent == nil {
		b.fail(fault.Usage, "%s lacks its field parent", b.kind.name)
		return newBuilder(Attribute{}, shape)
	}
	return newBuilder(*b.parent, shape)
}

// slice is a layout of one more dim, of size 1, without this dim and the registers that move along it alone.
func (b *builder) slice() {
	dim := b.numbers("dim", 1)[0]
	if dim > len(b.shape) {
		b.fail(fault.Usage, "slice drops dim %d, and its parent has %d", dim, len(b.shape)+1)
		return
	}
	parent := b.parentBuilder(slices.Insert(slices.Clone(b.shape), dim, 1))
	l, err := parent.Attribute.Linear(parent.shape)
	if b.err == nil {
		b.err = err
	}
	for i, bases := range l.bases {
		for _, basis := range bases {
			basis = slices.Delete(basis, dim, dim+1)
			if i != register || slices.Max(basis) > 0 {
				b.bases[i] = append(b.bases[i], basis)
			}
		}
	}
}

// mma is the C fragment of NVIDIA's mma.sync (version 2) and wgmma (3).
func (b *builder) mma() {
	order := matrixOrder(len(b.shape), true)
	rank := len(b.shape)
	version := b.mmaVersion()
	instr := b.numbers("instrShape", map[int]int{2: rank, 3: 3}[version])
	if b.err != nil {
		return
	}
	if version == 2 {
		instr = instr[rank-2:]
	}
	fits := instr[1] >= 8
	if version == 2 {
		fits = instr[1] == 8
	}
	if instr[0] != 16 || !fits {
		b.fail(fault.Usage, "instrShape of nvidia_mma begins with %s: want 16, 8 for version 2, and 16, 8 or more for 3",
			text.Ints(instr[:2], ", "))
	}
	b.mmaTile(order, instr[0], instr[1], 2)
	b.extendAll(warp, matrixOrder(rank, version == 2), b.numbers("warpsPerCTA", rank))
	b.fit(register, order)
}

func (b *builder) mmaVersion() int {
	version := b.option("versionMajor", 0)
	if v := slices.Concat(b.fields["version"]...); len(v) > 0 {
		version = v[0]
	}
	if version != 2 && version != 3 {
		b.fail(fault.Unsupported, "nvidia_mma of version %d is not supported, only 2 and 3", version)
	}
	return version
}

// mmaTile extends the layout by a tile m×n of mma, n along order[0].
//
//	n: width registers, 4 lanes    m: 8 lanes, m/8 registers    n: n/(4·width) registers
func (b *builder) mmaTile(order []int, m, n, width int) {
	b.extend(register, order[0], width)
	b.extend(lane, order[0], 4)
	b.extend(lane, order[1], 8)
	b.extend(register, order[1], m/8)
	b.extend(register, order[0], n/4/max(1, width))
}

// mfma is the C fragment of AMD's MFMA, with 64 lanes. Registers cover all columns before the rows of the next warp.
func (b *builder) mfma() {
	order := matrixOrder(len(b.shape), true)
	rank := len(b.shape)
	n, m := order[0], order[1]
	instr, warps, tiles := b.mfmaFields(rank)
	height := 4
	if b.option("elementBitWidth", 32) == 64 {
		height = 1
	}
	along := m
	across := n
	lanes := instr[1]
	transposed := b.numbers("isTransposed", 1)[0] != 0
	if transposed {
		along = n
		across = m
		lanes = instr[0]
	}
	if !transposed && instr[0] == 64 {
		b.fail(fault.Usage, "amd_mfma of 64×4 is always transposed")
	}
	b.extend(register, along, height)
	b.extend(lane, across, lanes)
	b.extend(lane, along, 64/lanes)
	b.extend(register, along, instr[0]*instr[1]/(64*height))
	b.extend(register, n, tiles[n])
	b.extend(warp, n, warps[n])
	b.cover(register, n)
	b.extend(register, m, tiles[m])
	b.extend(warp, m, warps[m])
	b.extendAll(warp, order[2:], warps)
	b.fit(register, order)
}

// mfmaFields returns the rows and columns of an instruction, and the warps and tiles by dim.
func (b *builder) mfmaFields(rank int) (instr [2]int, warps, tiles []int) {
	given := slices.Concat(b.fields["instrshape"]...)
	if copy(instr[:], given); !slices.Contains([][2]int{{32, 32}, {16, 16}, {64, 4}, {4, 64}}, instr) {
		b.fail(fault.Unsupported, "amd_mfma of %v is not supported: want 32×32, 16×16, 64×4 or 4×64", given)
		instr = [2]int{16, 16}
	}
	tiles = b.size
	if b.fields["tilesperwarp"] != nil {
		tiles = b.numbers("tilesPerWarp", rank)
	}
	return instr, b.numbers("warpsPerCTA", rank), slices.Clone(tiles)
}

// operand is A (opIdx 0) or B (1) of a matrix instruction. Registers cover K, so that warps repeat along it.
func (b *builder) operand() {
	index := b.numbers("opIdx", 1)[0]
	width := b.numbers("kWidth", 1)[0]
	rank := len(b.shape)
	parent := b.parentBuilder(b.shape)
	if index > 1 {
		b.fail(fault.Usage, "opIdx of dot_op is %d, expected 0 or 1", index)
		return
	}
	order := matrixOrder(rank, index == 0)
	byRows := true
	k := order[0]
	other := order[1]
	if parent.kind.name == "amd_wmma" {
		b.wmmaOperand(parent, index, width)
		return
	}
	warps := parent.numbers("warpsPerCTA", rank)
	switch parent.kind.name {
	case "nvidia_mma":
		version := parent.mmaVersion()
		byRows = version == 2
		if version == 3 && index == 1 {
			b.fail(fault.Unsupported, "B of nvidia_mma of version 3 is in shared memory, not in registers")
		}
		b.mmaTile(order, []int{16, 8}[index], 8*width, width)
		b.cover(register, k)
	case "amd_mfma":
		instr, _, tiles := parent.mfmaFields(rank)
		lanes := instr[index]
		b.extend(register, k, width)
		b.extend(lane, other, lanes)
		b.extend(lane, k, 64/lanes)
		if lanes == 64 {
			b.extend(register, k, 16)
		}
		b.cover(register, k)
		b.extend(register, other, tiles[other])
	default:
		b.fail(fault.Unsupported, "dot_op of %s is not supported, only of nvidia_mma, amd_mfma and amd_wmma", parent.kind.name)
	}
	b.extendAll(warp, matrixOrder(rank, byRows), warps)
	if b.fit(register, order); b.err == nil {
		b.err = parent.err
	}
}
