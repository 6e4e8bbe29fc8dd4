package ggml

import "fmt"

// Type is a type of blocks. Its blocks are little-endian.
type Type struct {
	Name    string
	Values  int    // of a block
	Formula string // value of a code, in the names of the parts; empty if codes are not decoded
	Parts   []Part // all bytes of a block, in order
	Mins    bool   // a group has a min
	Note    string // what a reader has to know besides; usually empty

	group  int                                                // consecutive values with one scale
	scale  func(block []byte, group int) (scale, min float64) // nil if codes are not decoded
	levels []float64                                          // by code; nil for code − zero
	zero   int
	signed bool // codes are int8
}

// Kind is what bytes hold.
type Kind int

// The kinds of parts.
const (
	Scales Kind = iota // scales and mins
	Codes              // bits of codes
	Mixed              // codes, with scales in some of their bits
	Sums               // sums of codes, which the values do not depend on
)

// Part is consecutive bytes of a block: a field of ggml's structure.
type Part struct {
	Name  string
	Kind  Kind
	Bytes int
	Holds string // in words

	at    int // first byte; see Type.First
	bits  int // of each code
	run   int // consecutive values in consecutive bytes, before the next bits of the same bytes; 0: no codes that are decoded
	shift int // of its bits in the code
}

// Piece is some bits of a code in a byte of the block, or a digit of base 3.
type Piece struct {
	Byte  int
	First int // lowest bit; of base 3, the digit, 0 the most significant of five
	Bits  int // 0 for a digit of base 3
}

// Code is a value of a block, and what it is computed from: Value = float32(Scale · Level) + Min.
type Code struct {
	Pieces []Piece // lowest bits first
	Code   int     // the stored bits
	Level  float64 // what the code stands for
	Scale  float64 // of its group, multiplied with that of the block
	Min    float64 // value of level 0; −0 for types without it, which changes no sum
	Value  float32
}

// Bytes returns the size of a block.
func (t *Type) Bytes() int {
	return t.bytesOf(Scales) + t.bytesOf(Codes) + t.bytesOf(Mixed) + t.bytesOf(Sums)
}

// BytesOf returns the bytes of a block that hold a kind; ok is false if parts hold several.
func (t *Type) BytesOf(k Kind) (n int, ok bool) { return t.bytesOf(k), t.bytesOf(Mixed) == 0 }

func (t *Type) bytesOf(k Kind) (n int) {
	for _, p := range t.Parts {
		if p.Kind == k {
			n += p.Bytes
		}
	}
	return n
}

// Decodes reports whether codes and values of the type are known. Those of iq1, iq2 and iq3 are entries of tables.
func (t *Type) Decodes() bool { return t.scale != nil }

// String is "q4_0: 32 values in 18 bytes".
func (t *Type) String() string {
	return fmt.Sprintf("%s: %d values in %d bytes", t.Name, t.Values, t.Bytes())
}

// First returns the first byte of the part in its block.
func (p Part) First() int { return p.at }

// piece returns where the part's bits of value k are. A run of values has one bit position in consecutive bytes; the next run has the
// next position in the same bytes; when those are full, the next bytes follow.
func (p Part) piece(k int) Piece {
	runs := 8 / p.bits
	return Piece{Byte: p.at + k/(p.run*runs)*p.run + k%p.run, First: k / p.run % runs * p.bits, Bits: p.bits}
}

// Where is the piece of value k as a formula: "4 bits of byte 2 + k mod 16, from bit (k div 16)·4". It is empty for parts whose codes are
// not decoded.
func (p Part) Where() string {
	if p.run == 0 {
		return ""
	}
	runs := 8 / p.bits
	where, bit := fmt.Sprintf("byte %d", p.at), fmt.Sprintf("k div %d", p.run)
	switch {
	case p.run == 1 && runs == 1:
		return where + " + k"
	case p.run == 1:
		where, bit = fmt.Sprintf("%s + k div %d", where, runs), fmt.Sprintf("k mod %d", runs)
	case p.Bytes > p.run:
		where, bit = fmt.Sprintf("%s + (k div %d)·%d + k mod %d", where, p.run*runs, p.run, p.run), fmt.Sprintf("%s mod %d", bit, runs)
	default:
		where = fmt.Sprintf("%s + k mod %d", where, p.run)
	}
	if p.bits == 1 {
		return fmt.Sprintf("bit %s of %s", bit, where)
	}
	return fmt.Sprintf("%d bits of %s, from bit (%s)·%d", p.bits, where, bit, p.bits)
}

// Pieces returns where the code of value k is, lowest bits first.
func (t *Type) Pieces(k int) []Piece {
	if t.Name == "tq1_0" {
		return []Piece{trit(k)}
	}
	var low, high []Piece
	for _, p := range t.Parts {
		switch {
		case p.run == 0:
		case p.shift == 0:
			low = append(low, p.piece(k))
		default:
			high = append(high, p.piece(k))
		}
	}
	return append(low, high...)
}

// trit returns the digit of value k of tq1_0, five of which are in a byte of qs, four in one of qh.
func trit(k int) Piece {
	switch {
	case k < 160:
		return Piece{Byte: k % 32, First: k / 32}
	case k < 240:
		k -= 160
		return Piece{Byte: 32 + k%16, First: k / 16}
	default:
		k -= 240
		return Piece{Byte: 48 + k%4, First: k / 4}
	}
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

// String is "byte 2 bits 4-7", "byte 2" for all of them, or "byte 2 trit 0".
func (p Piece) String() string {
	switch {
	case p.Bits == 8:
		return fmt.Sprintf("byte %d", p.Byte)
	case p.Bits == 0:
		return fmt.Sprintf("byte %d trit %d", p.Byte, p.First)
	case p.Bits == 1:
		return fmt.Sprintf("byte %d bit %d", p.Byte, p.First)
	}
	return fmt.Sprintf("byte %d bits %d-%d", p.Byte, p.First, p.First+p.Bits-1)
}

// Decode returns value k of a block.
//
// Pre: Decodes, 0 ≤ k < Values, and block has Bytes.
func (t *Type) Decode(block []byte, k int) Code {
	c := Code{Pieces: t.Pieces(k)}
	shift := 0
	for _, p := range c.Pieces {
		c.Code |= p.read(block) << shift
		shift += p.Bits
	}
	c.Level = t.level(c.Code)
	c.Scale, c.Min = t.scale(block, k/t.group)
	// A product of float32 and level is exact in float64, so that it is rounded once, as ggml's is.
	c.Value = float32(c.Scale*c.Level) + float32(c.Min)
	return c
}

func (t *Type) level(code int) float64 {
	switch {
	case t.levels != nil:
		return t.levels[code]
	case t.signed:
		return float64(int8(code))
	}
	return float64(code - t.zero)
}
