package ggml

import (
	"fmt"
	"strings"
)

// Type is a type of blocks. Its blocks are little-endian.
type Type struct {
	Name    string
	Values  int    // of a block
	Bytes   int    // of a block
	Formula string // a value, from the fields of its block
	Parts   []Part // all bytes of a block, in order
	Mins    bool   // a group has a min
	Note    string // what a reader has to know besides; usually empty

	group  int // consecutive values with one scale
	scale  scaler
	levels []float64 // by code; nil for code − zero
	grid   *grid     // of levels, nil for none
	zero   int
	signed bool // codes are int8
}

// Kind is what bytes hold.
type Kind string

// The kinds of parts. Scales may be mins; sums are of codes, and no value depends on them.
const (
	Scales Kind = "scales"
	Codes  Kind = "codes"
	Mixed  Kind = "codes and scales"
	Sums   Kind = "sums"
)

// Part is consecutive bytes of a block: a field of ggml's structure.
type Part struct {
	Name  string `json:"name"`          // its name
	Kind  Kind   `json:"field_kind"`    // what a field of a block holds: scales (and mins), codes, codes and scales, or sums
	First int    `json:"byte_in_block"` // first byte of a field, or of a code's bits, in the block
	Bytes int    `json:"field_bytes"`   // size of a field of a block, in bytes
	Holds string `json:"field_holds"`   // kind, number and type of what a field of a block holds, in words

	bits  int // of each code
	run   int // consecutive values in consecutive bytes, before the next bits of the same bytes; 0: where and fields say it
	shift int // of its bits in the code
	where string

	fields []bitField
}

// Piece is some bits of a code in a byte of the block, or a digit of base 3.
type Piece struct {
	Byte  int `json:"byte_in_block"` // first byte of a field, or of a code's bits, in the block
	First int `json:"first_bit"`     // lowest bit of the code in this byte; of base 3, the digit, 0 the most significant
	Bits  int `json:"bit_count"`     // bits of the code in this byte; 0 for a digit of base 3
	Shift int `json:"in_code"`       // lowest of these bits in the code
}

// Code is a value of a block, and what it is computed from: Value = float32(Scale · Level) + Min.
type Code struct {
	Pieces []Piece // in the order of their parts
	Code   int     // the stored bits; of a grid, the index of a point, and above it the sign
	Level  float64 // what the code stands for
	Scale  float64 // of its group, multiplied with that of the block
	Min    float64 // value of level 0; −0 for types without it, which changes no sum
	Value  float32
}

// BytesOf returns the bytes of a block that hold a kind.
func (t *Type) BytesOf(k Kind) (n int) {
	for _, p := range t.Parts {
		if p.Kind == k {
			n += p.Bytes
		}
	}
	return n
}

// String is "q4_0: 32 values in 18 bytes".
func (t *Type) String() string {
	return fmt.Sprintf("%s: %d values in %d bytes", t.Name, t.Values, t.Bytes)
}

// Span is the part's bytes, "0-1".
func (p Part) Span() string {
	if p.Bytes == 1 {
		return fmt.Sprint(p.First)
	}
	return fmt.Sprintf("%d-%d", p.First, p.First+p.Bytes-1)
}

// piece returns where the part's bits of value k are. A run of values has one bit position in consecutive bytes; the next run has the
// next position in the same bytes; when those are full, the next bytes follow.
func (p Part) piece(k int) Piece {
	runs := 8 / p.bits
	return Piece{Byte: p.First + k/(p.run*runs)*p.run + k%p.run, First: k / p.run % runs * p.bits, Bits: p.bits, Shift: p.shift}
}

// pieces returns where the part's bits of value k are, those of tq1_0 excepted.
func (p Part) pieces(k int) (all []Piece) {
	if p.run > 0 {
		return []Piece{p.piece(k)}
	}
	for _, f := range p.fields {
		all = append(all, f.pieces(p.First, k)...)
	}
	return all
}

// Where is the piece of value k as a formula: "4 bits of byte 2 + k mod 16, from bit (k div 16)·4". It is empty for parts without codes.
func (p Part) Where() string {
	if p.run == 0 {
		var all []string
		for _, f := range p.fields {
			all = append(all, f.where(p.Name))
		}
		return p.where + strings.Join(all, "; ")
	}
	if p.run == 1 && p.bits == 8 {
		return fmt.Sprintf("byte %d + k", p.First)
	}
	at, bit := p.formulas()
	if p.bits == 1 {
		return fmt.Sprintf("bit %s of byte %d + %s", bit, p.First, at)
	}
	return fmt.Sprintf("%d bits of byte %d + %s, from bit (%s)·%d", p.bits, p.First, at, bit, p.bits)
}

// formulas returns the byte of value k in its part, and its position in that byte, counted in codes.
func (p Part) formulas() (at, bit string) {
	runs := 8 / p.bits
	if p.run == 1 {
		return fmt.Sprintf("k div %d", runs), fmt.Sprintf("k mod %d", runs)
	}
	if p.Bytes > p.run {
		return fmt.Sprintf("(k div %d)·%d + k mod %d", p.run*runs, p.run, p.run), fmt.Sprintf("k div %d mod %d", p.run, runs)
	}
	return fmt.Sprintf("k mod %d", p.run), fmt.Sprintf("k div %d", p.run)
}

// trit returns the digit of value k of tq1_0: five are in a byte of qs, four in one of qh.
func trit(k int) Piece {
	if k < 160 {
		return Piece{Byte: k % 32, First: k / 32}
	}
	if k < 240 {
		return Piece{Byte: 32 + k%16, First: (k - 160) / 16}
	}
	return Piece{Byte: 48 + k%4, First: (k - 240) / 4}
}

// read returns the piece's bits. A byte of base 3 is a fraction of 256: each digit is the integer part of 3 times the rest.
func (p Piece) read(block []byte) int {
	b := block[p.Byte]
	if p.Bits > 0 {
		return int(b) >> p.First & (1<<p.Bits - 1)
	}
	for range p.First {
		b *= 3
	}
	return int(b) * 3 >> 8
}

// String is "byte 2 bits 4-7", "byte 2" for all of them, or "byte 2 digit 0".
func (p Piece) String() string {
	switch p.Bits {
	case 8:
		return fmt.Sprintf("byte %d", p.Byte)
	case 0:
		return fmt.Sprintf("byte %d digit %d", p.Byte, p.First)
	case 1:
		return fmt.Sprintf("byte %d bit %d", p.Byte, p.First)
	}
	return fmt.Sprintf("byte %d bits %d-%d", p.Byte, p.First, p.First+p.Bits-1)
}

// level returns what the code of value k stands for.
func (t *Type) level(code, k int) float64 {
	if t.grid != nil {
		return t.grid.level(code, k)
	}
	if t.levels != nil {
		return t.levels[code]
	}
	if t.signed {
		return float64(int8(code))
	}
	return float64(code - t.zero)
}

// Decode returns value k of a block.
//
// Pre: 0 ≤ k < Values, and block has Bytes.
func (t *Type) Decode(block []byte, k int) Code {
	var c Code
	if t.Name == "tq1_0" {
		c.Pieces = []Piece{trit(k)}
		c.Code = c.Pieces[0].read(block)
	}
	for _, p := range t.Parts {
		for _, piece := range p.pieces(k) {
			c.Pieces = append(c.Pieces, piece)
			c.Code |= piece.read(block) << piece.Shift
		}
	}
	c.Level = t.level(c.Code, k)
	c.Scale, c.Min = t.scale(block, k/t.group)
	// A product of float32 and level is exact in float64, so that it is rounded once, as ggml's is.
	c.Value = float32(c.Scale*c.Level) + float32(c.Min)
	return c
}
