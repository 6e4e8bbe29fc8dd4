package triton

import (
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// wmmaSide is the rows and the columns of a tile of WMMA.
const wmmaSide = 16

// wmmaShapes are the versions, rows, columns and K of instructions. (AMDWmmaEncodingAttr::verify)
var wmmaShapes = map[[4]int]struct{}{{1, 16, 16, 16}: {}, {2, 16, 16, 16}: {}, {2, 16, 16, 32}: {}, {3, 16, 16, 4}: {}, {3, 16, 16, 32}: {},
	{3, 16, 16, 64}: {}, {3, 16, 16, 128}: {}, {3, 32, 16, 64}: {}, {3, 32, 16, 128}: {}}

// wmma is the C fragment of AMD's WMMA on RDNA3 (version 1), RDNA4 (2) and gfx1250 (3), with 32 lanes.
//
//	version 1: columns over 16 lanes, rows over 2 lanes, then 8 registers
//	version 2: rows over 8 registers, columns over 16 lanes, rows over 2 lanes
func (b *builder) wmma() {
	order := matrixOrder(len(b.shape), b.option("isTransposed", 0) == 0)
	version, instr := b.wmmaFields()
	if version > 1 {
		b.extend(register, order[1], 8)
	}
	b.extend(lane, order[0], wmmaSide)
	b.extend(lane, order[1], 2)
	if version == 1 {
		b.extend(register, order[1], 8)
	}
	if instr[0] == 2*wmmaSide {
		b.extend(register, order[1], 2)
	}
	b.wmmaTiles(b, -1)
	b.fit(register, matrixOrder(len(b.shape), true))
}

// wmmaOperand is A (index 0) or B (1) of WMMA. Lanes of version 1 hold it twice.
func (b *builder) wmmaOperand(parent *builder, index, width int) {
	order := matrixOrder(len(b.shape), index == 0)
	k := order[0]
	version, instr := parent.wmmaFields()
	b.extend(register, k, width)
	if b.err != nil { // a width of 0
		return
	}
	b.extend(lane, order[1], wmmaSide)
	if version == 1 {
		b.bases[lane] = append(b.bases[lane], make([]int, len(order)))
	} else {
		b.extend(lane, k, 2)
	}
	b.extend(register, k, max(1, instr[2]/(2*width)))
	side := instr[index]
	if parent.option("isTransposed", 0) != 0 {
		side = instr[1-index]
	}
	b.extend(register, order[1], side/wmmaSide)
	b.wmmaTiles(parent, k)
	if b.fit(register, order); b.err == nil {
		b.err = parent.err
	}
}

// wmmaFields returns the version, and the rows, columns and K of an instruction.
func (b *builder) wmmaFields() (version int, instr []int) {
	version = b.numbers("version", 1)[0]
	if rank := b.option("rank", len(b.shape)); rank != len(b.shape) {
		b.fail(fault.Usage, "amd_wmma has %d dims, the tensor %d", rank, len(b.shape))
	}
	instr = []int{wmmaSide, wmmaSide, wmmaSide}
	if b.fields["instrshape"] != nil {
		instr = b.numbers("instrShape", 3)
	}
	if _, known := wmmaShapes[[4]int{version, instr[0], instr[1], instr[2]}]; !known {
		b.fail(fault.Usage, "amd_wmma of version %d has no instruction of %s", version, text.Ints(instr, "×"))
		instr = []int{wmmaSide, wmmaSide, wmmaSide}
	}
	return version, instr
}

// wmmaTiles multiplies by the tiles that the registers and the warps of a parent repeat, without registers that move along dim drop alone;
// in Triton 3.6, warpsPerCTA is row-major.
func (b *builder) wmmaTiles(parent *builder, drop int) {
	rank := len(b.shape)
	tiles := newBuilder(parent.Attribute, slices.Repeat([]int{1}, rank))
	if parent.fields["register"] != nil {
		tiles.bases[register] = parent.vectors("register", rank)
	}
	if parent.fields["warp"] != nil {
		tiles.bases[warp] = parent.vectors("warp", rank)
	}
	if parent.fields["warpspercta"] != nil {
		tiles.extendAll(warp, matrixOrder(rank, true), parent.numbers("warpsPerCTA", rank))
	}
	if slices.Max(append(slices.Concat(parent.fields["tilesperwarp"]...), 1)) > 1 {
		b.fail(fault.Unsupported, "tilesPerWarp of amd_wmma is not supported: newer versions call it ctaLayout")
	}
	tiles.bases[offset] = slices.Concat(tiles.bases[register], tiles.bases[warp])
	for _, basis := range tiles.bases[offset] {
		for d, x := range basis {
			for tiles.shape[d] <= x {
				tiles.shape[d] *= 2
			}
		}
	}
	tiles.complete()
	for _, input := range []int{register, warp} {
		for _, basis := range tiles.bases[input] {
			for d := range basis {
				basis[d] *= b.size[d]
				if d == drop {
					basis[d] = 0
				}
			}
			if drop < 0 || input == warp || slices.Max(basis) > 0 {
				b.bases[input] = append(b.bases[input], basis)
			}
		}
	}
	for d, n := range tiles.shape {
		if d != drop {
			b.size[d] *= n
		}
	}
	if b.err == nil {
		b.err = tiles.err
	}
}
