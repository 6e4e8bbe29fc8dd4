package ggml

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/text"
)

// Find returns the type that ggml calls so; nil for other names, and for types of single numbers.
func Find(name string) *Type {
	for i := range types {
		if types[i].Name == name {
			return &types[i]
		}
	}
	return nil
}

// types are the types of blocks, with the names of ggml's fields.
//
// To add a type: a row here, its number in internal/file/gguf/types.go, its digest by testdata/blocks.py; of iq types, the grid in grids.txt.
var types = placed([]Type{
	{Name: "q1_0", Values: 128, Formula: "d · (2 · qs − 1)", group: 128, scale: scaleAt(0), levels: []float64{-1, 1},
		Parts: []Part{float16s("d", "scale"), codes("qs", 16, 1, 1)}},
	{Name: "q2_0", Values: 64, Formula: "d · (qs − 1)", group: 64, scale: scaleAt(0), zero: 1,
		Parts: []Part{float16s("d", "scale"), codes("qs", 16, 2, 1)}},
	{Name: "q4_0", Values: 32, Formula: "d · (qs − 8)", group: 32, scale: scaleAt(0), zero: 8,
		Parts: []Part{float16s("d", "scale"), codes("qs", 16, 4, 16)}},
	{Name: "q4_1", Values: 32, Formula: "d · qs + m", group: 32, scale: scaleAndMin, Mins: true,
		Parts: []Part{float16s("d", "scale"), float16s("m", "min"), codes("qs", 16, 4, 16)}},
	{Name: "q5_0", Values: 32, Formula: "d · (qs + 16 · qh − 16)", group: 32, scale: scaleAt(0), zero: 16,
		Parts: []Part{float16s("d", "scale"), highBits("qh", 4, 1, 1, 4), codes("qs", 16, 4, 16)}},
	{Name: "q5_1", Values: 32, Formula: "d · (qs + 16 · qh) + m", group: 32, scale: scaleAndMin, Mins: true,
		Parts: []Part{float16s("d", "scale"), float16s("m", "min"), highBits("qh", 4, 1, 1, 4), codes("qs", 16, 4, 16)}},
	{Name: "q8_0", Values: 32, Formula: "d · qs", group: 32, scale: scaleAt(0), signed: true,
		Parts: []Part{float16s("d", "scale"), codes("qs", 32, 8, 1)}},
	{Name: "q8_1", Values: 32, Formula: "d · qs", group: 32, scale: scaleAt(0), signed: true,
		Parts: []Part{float16s("d", "scale"), part("s", Sums, 2, "d · sum of qs, float16"), codes("qs", 32, 8, 1)}},

	{Name: "q2_K", Values: 256, Formula: "d · scale · qs − dmin · min", group: 16, scale: scalesQ2K, Mins: true,
		Parts: []Part{scales("scales", 16, "16 scales of 4 bits, low, and mins, high"), codes("qs", 64, 2, 32),
			float16s("d", "scale of scales"), float16s("dmin", "scale of mins")}},
	{Name: "q3_K", Values: 256, Formula: "d · (scale − 32) · (qs + 4 · hmask − 4)", group: 16, scale: scalesQ3K, zero: 4,
		Parts: []Part{highBits("hmask", 32, 1, 32, 2), codes("qs", 64, 2, 32), scales("scales", 12, "16 scales of 6 bits"),
			float16s("d", "scale of scales")}},
	{Name: "q4_K", Values: 256, Formula: "d · scale · qs − dmin · min", group: 32, scale: scalesQ4K, Mins: true,
		Parts: []Part{float16s("d", "scale of scales"), float16s("dmin", "scale of mins"),
			scales("scales", 12, "8 scales and 8 mins of 6 bits"), codes("qs", 128, 4, 32)}},
	{Name: "q5_K", Values: 256, Formula: "d · scale · (qs + 16 · qh) − dmin · min", group: 32, scale: scalesQ4K, Mins: true,
		Parts: []Part{float16s("d", "scale of scales"), float16s("dmin", "scale of mins"),
			scales("scales", 12, "8 scales and 8 mins of 6 bits"), highBits("qh", 32, 1, 32, 4), codes("qs", 128, 4, 32)}},
	{Name: "q6_K", Values: 256, Formula: "d · scale · (ql + 16 · qh − 32)", group: 16, scale: scalesQ6K, zero: 32,
		Parts: []Part{codes("ql", 128, 4, 64), highBits("qh", 64, 2, 32, 4), scales("scales", 16, "16 scales, int8"),
			float16s("d", "scale of scales")}},
	{Name: "q8_K", Values: 256, Formula: "d · qs", group: 256, scale: float32Scale, signed: true,
		Parts: []Part{scales("d", 4, "scale, float32"), codes("qs", 256, 8, 1), part("bsums", Sums, 32, "16 sums of qs, int16")}},

	{Name: "tq1_0", Values: 256, Formula: "d · (digit − 1)", group: 256, scale: scaleAt(52), zero: 1,
		Parts: []Part{trits("qs", 48, 5, "digit k div 32 of byte k mod 32, for k ≥ 160 digit (k − 160) div 16 of byte 32 + k mod 16"),
			trits("qh", 4, 4, "for k ≥ 240 digit (k − 240) div 4 of byte 48 + k mod 4"), float16s("d", "scale")}},
	{Name: "tq2_0", Values: 256, Formula: "d · (qs − 1)", group: 256, scale: scaleAt(64), zero: 1,
		Parts: []Part{codes("qs", 64, 2, 32), float16s("d", "scale")}},

	{Name: "iq4_nl", Values: 32, Formula: "d · kvalues_iq4nl[qs]", group: 32, scale: scaleAt(0), levels: iq4,
		Parts: []Part{float16s("d", "scale"), codes("qs", 16, 4, 16)}},
	{Name: "iq4_xs", Values: 256, Formula: "d · (scale − 32) · kvalues_iq4nl[qs]", group: 32, scale: scalesIQ4XS, levels: iq4,
		Parts: []Part{float16s("d", "scale of scales"), scales("scales_h", 2, "high 2 bits of 8 scales"),
			scales("scales_l", 4, "low 4 bits of 8 scales"), codes("qs", 128, 4, 16)}},
	{Name: "mxfp4", Values: 32, Formula: "e · e2m1(qs)", group: 32, scale: powerOfTwo, levels: e2m1,
		Parts: []Part{scales("e", 1, "scale, e8m0"), codes("qs", 16, 4, 16)}},
	{Name: "nvfp4", Values: 64, Formula: "d · e2m1(qs)", group: 16, scale: scalesNVFP4, levels: e2m1,
		Parts: []Part{scales("d", 4, "4 scales, unsigned e4m3"), codes("qs", 32, 4, 8)}, Note: nvfp4Note},

	{Name: "iq1_s", Values: 256, Formula: "d · (2 · scale + 1) · (iq1s_grid[index][k mod 8] ± 1/8)", group: 32, scale: scalesIQ1S, grid: gridIQ1S,
		Parts: []Part{float16s("d", "scale of scales"),
			part("qs", Codes, 32, "low 8 bits of 32 indices", bitsOf("index", 0, 8, 0, step{8, 0, 8})),
			part("qh", Mixed, 16, "high 3 bits of indices, 8 scales of 3 bits, signs of 1/8",
				bitsOf("high bits of index", 0, 3, 8, step{32, 0, 16}, step{8, 4, 3}), bitsOf("sign of 1/8", 15, 1, 11, step{32, 0, 16}))}},
	{Name: "iq1_m", Values: 256, Formula: "d · (2 · scale + 1) · (iq1s_grid[index][k mod 8] ± 1/8)", group: 16, scale: scalesIQ1M, grid: gridIQ1S,
		Parts: []Part{part("qs", Codes, 32, "low 8 bits of 32 indices", bitsOf("index", 0, 8, 0, step{8, 0, 8})),
			part("qh", Codes, 16, "high 3 bits of indices, signs of 1/8",
				bitsOf("high bits of index", 0, 3, 8, step{8, 0, 4}), bitsOf("sign of 1/8", 3, 1, 11, step{8, 0, 4})),
			scales("scales", 8, "16 scales of 3 bits, and the 16 bits of d")}},
	{Name: "iq2_xxs", Values: 256, Formula: "d · (scale + 1/2) / 4 · ±iq2xxs_grid[index][k mod 8]", group: 32, scale: highNibbles(9, 8, .25),
		grid: gridIQ2XXS, Parts: []Part{float16s("d", "scale of scales"),
			part("qs", Mixed, 64, "indices of 8 bits, signs, scales of 4 bits",
				bitsOf("index", 0, 8, 0, step{32, 0, 64}, step{8, 4, 8}), signs(32, 8, true, step{32, 0, 64}, step{8, 4, 7}, step{1, 8, 1}))}},
	{Name: "iq2_xs", Values: 256, Formula: "d · (scale + 1/2) / 4 · ±iq2xs_grid[index][k mod 8]", group: 16, scale: nibbles(66, .25), grid: gridIQ2XS,
		Parts: []Part{float16s("d", "scale of scales"),
			part("qs", Codes, 64, "32 indices of 9 bits, signs",
				bitsOf("index", 0, 9, 0, step{8, 0, 16}), signs(9, 9, true, step{8, 0, 16}, step{1, 8, 1})),
			scales("scales", 8, "16 scales of 4 bits")}},
	{Name: "iq2_s", Values: 256, Formula: "d · (scale + 1/2) / 4 · ±iq2s_grid[index][k mod 8]", group: 16, scale: nibbles(74, .25), grid: gridIQ2S,
		Parts: []Part{float16s("d", "scale of scales"),
			part("qs", Codes, 64, "low 8 bits of 32 indices, signs",
				bitsOf("index", 0, 8, 0, step{8, 0, 8}), signs(256, 10, false, step{1, 0, 1})),
			part("qh", Codes, 8, "high 2 bits of indices", bitsOf("high bits of index", 0, 2, 8, step{8, 0, 2})),
			scales("scales", 8, "16 scales of 4 bits")}},
	{Name: "iq3_xxs", Values: 256, Formula: "d · (scale + 1/2) / 2 · ±iq3xxs_grid[index][k mod 4]", group: 32, scale: highNibbles(69, 4, .5),
		grid: gridIQ3XXS, Parts: []Part{float16s("d", "scale of scales"),
			part("qs", Mixed, 96, "64 indices of 8 bits, signs, scales of 4 bits",
				bitsOf("index", 0, 8, 0, step{4, 0, 8}), signs(512, 8, true, step{32, 0, 32}, step{8, 4, 7}, step{1, 8, 1}))}},
	{Name: "iq3_s", Values: 256, Formula: "d · (2 · scale + 1) · ±iq3s_grid[index][k mod 4]", group: 32, scale: nibbles(106, 2), grid: gridIQ3S,
		Parts: []Part{float16s("d", "scale of scales"),
			part("qs", Codes, 64, "low 8 bits of 64 indices", bitsOf("index", 0, 8, 0, step{4, 0, 8})),
			part("qh", Codes, 8, "high bits of indices", bitsOf("high bit of index", 0, 1, 8, step{4, 0, 1})),
			part("signs", Codes, 32, "signs", signs(0, 9, false, step{1, 0, 1})), scales("scales", 4, "8 scales of 4 bits")}},
})

// nvfp4Note: llama.cpp may write a float32 beside a weight, blk.0.ffn_gate.scale (llama.cpp PR 19769 and 23563).
const nvfp4Note = "without the scale of the whole tensor, which the file may have as a tensor whose name ends in .scale"

// The levels of 4-bit codes: kvalues_iq4nl of src/ggml-common.h, and E2M1 of the OCP Microscaling Formats 1.0. ggml doubles the latter
// and halves their scales, which gives the same values.
var (
	iq4  = []float64{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}
	e2m1 = []float64{0, .5, 1, 1.5, 2, 3, 4, 6, 0, -.5, -1, -1.5, -2, -3, -4, -6}
)

// placed sets where each part begins, and the size of a block.
func placed(all []Type) []Type {
	for i := range all {
		t := &all[i]
		for k := range t.Parts {
			t.Parts[k].First = t.Bytes
			t.Bytes += t.Parts[k].Bytes
		}
	}
	return all
}

// part is a part; fields are the bits of its codes, if they are those of grids.
func part(name string, kind Kind, bytes int, holds string, fields ...bitField) Part {
	return Part{Name: name, Kind: kind, Bytes: bytes, Holds: holds, fields: fields}
}

func scales(name string, bytes int, holds string) Part { return part(name, Scales, bytes, holds) }
func float16s(name, holds string) Part                 { return scales(name, 2, holds+", float16") }

// trits is a part of codes of base 3; where is the one of value k, see trit.
func trits(name string, bytes, digits int, where string) Part {
	p := part(name, Codes, bytes, fmt.Sprintf("%d digits of base 3 in a byte", digits))
	p.where = where
	return p
}

// codes is a part of the low bits of codes; see Part.piece.
func codes(name string, bytes, bits, run int) Part {
	p := part(name, Codes, bytes, "codes of "+text.Count(bits, "bit"))
	p.bits = bits
	p.run = run
	return p
}

// highBits is a part of the bits of codes from shift on.
func highBits(name string, bytes, bits, run, shift int) Part {
	p := part(name, Codes, bytes, "high bits of codes")
	p.bits = bits
	p.run = run
	p.shift = shift
	return p
}
