package ggml

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor/notation"
)

func pieces(t *Type, k int) []Piece { return t.Decode(make([]byte, t.Bytes), k).Pieces }

// TestPieces: where codes are, by the formulas of ggml's dequantize_row_*, counted by hand.
func TestPieces(t *testing.T) {
	for _, x := range []struct {
		kind string
		k    int
		want string
	}{
		{"q4_0", 0, "[byte 2 bits 0-3]"}, {"q4_0", 15, "[byte 17 bits 0-3]"}, {"q4_0", 16, "[byte 2 bits 4-7]"}, {"q4_0", 31, "[byte 17 bits 4-7]"},
		{"q4_K", 0, "[byte 16 bits 0-3]"}, {"q4_K", 32, "[byte 16 bits 4-7]"}, {"q4_K", 64, "[byte 48 bits 0-3]"}, {"q4_K", 255, "[byte 143 bits 4-7]"},
		{"nvfp4", 8, "[byte 4 bits 4-7]"}, {"nvfp4", 16, "[byte 12 bits 0-3]"}, {"mxfp4", 16, "[byte 1 bits 4-7]"}, {"q8_0", 31, "[byte 33]"},
		{"q5_0", 9, "[byte 3 bit 1 byte 15 bits 0-3]"}, {"q6_K", 96, "[byte 32 bits 4-7 byte 128 bits 6-7]"},
		{"q3_K", 160, "[byte 0 bit 5 byte 64 bits 2-3]"}, {"tq1_0", 161, "[byte 33 digit 0]"}, {"tq1_0", 255, "[byte 51 digit 3]"},
		{"iq2_xxs", 1, "[byte 2 byte 6 bit 1]"}, {"iq2_xxs", 39, "[byte 10 byte 14 bits 0-6]"},
		{"iq2_xxs", 15, "[byte 3 byte 6 bit 7 byte 7 bits 0-5]"},
		{"iq2_xs", 8, "[byte 4 byte 5 bit 0 byte 5 bit 1]"}, {"iq3_s", 9, "[byte 4 byte 66 bit 2 byte 75 bit 1]"},
		{"iq1_s", 31, "[byte 5 byte 35 bits 1-3 byte 35 bit 7]"}, {"iq1_m", 8, "[byte 1 byte 32 bits 4-6 byte 32 bit 7]"},
	} {
		if got := fmt.Sprint(pieces(Find(x.kind), x.k)); got != x.want {
			t.Errorf("%s, value %d: %s, expected %s", x.kind, x.k, got, x.want)
		}
	}
}

// TestWhere: the formula of each part is that of its pieces.
func TestWhere(t *testing.T) {
	for _, x := range [][2]string{
		{"q4_0", "4 bits of byte 2 + k mod 16, from bit (k div 16)·4"}, {"q8_0", "byte 2 + k"},
		{"q4_K", "4 bits of byte 16 + (k div 64)·32 + k mod 32, from bit (k div 32 mod 2)·4"},
		{"q5_0", "bit k mod 8 of byte 2 + k div 8; 4 bits of byte 6 + k mod 16, from bit (k div 16)·4"},
		{"q3_K", "bit k div 32 of byte 0 + k mod 32; 2 bits of byte 32 + (k div 128)·32 + k mod 32, from bit (k div 32 mod 4)·2"},
		{"iq2_xxs", "index: 8 bits of qs from bit (k div 32)·64 + (k div 8 mod 4)·8; " +
			"sign: bit 32 + (k div 32)·64 + (k div 8 mod 4)·7 + k mod 8 of qs, for k mod 8 = 7 parity of the 7 bits before"},
		{"iq3_s", "index: 8 bits of qs from bit (k div 4)·8; high bit of index: bit k div 4 of qh; sign: bit k of signs"},
		{"tq1_0", "digit k div 32 of byte k mod 32, for k ≥ 160 digit (k − 160) div 16 of byte 32 + k mod 16; " +
			"for k ≥ 240 digit (k − 240) div 4 of byte 48 + k mod 4"},
	} {
		var all []string
		for _, p := range Find(x[0]).Parts {
			if where := p.Where(); where != "" {
				all = append(all, where)
			}
		}
		if got := strings.Join(all, "; "); got != x[1] {
			t.Errorf("%s: %s, expected %s", x[0], got, x[1])
		}
	}
}

// TestOrders: the names of 4-bit codes are the order of the codes in their part of a block.
func TestOrders(t *testing.T) {
	for _, name := range []string{"q4_0", "iq4_nl", "mxfp4", "q4_K", "nvfp4"} {
		kind := Find(name)
		order, err := notation.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		l, err := order.Format.Bind([]int{1, kind.Values})
		if err != nil {
			t.Fatal(err)
		}
		first := kind.Parts[len(kind.Parts)-1].First
		for k := range kind.Values {
			p := pieces(kind, k)[0]
			if got := l.At(0, k); got != (p.Byte-first)*2+p.First/4 {
				t.Errorf("%s: code %d is at nibble %d, in %s of the block", name, k, got, p)
			}
		}
	}
}

// TestEveryBit: each bit of the bytes that hold codes belongs to one value, of grids to the values of a point, and to none of the other bytes.
func TestEveryBit(t *testing.T) {
	scaleBits := map[string]int{"iq1_s": 8 * 3, "iq2_xxs": 8 * 4, "iq3_xxs": 8 * 4} // in bytes of codes
	for i := range types {
		kind := &types[i]
		used := map[[2]int]int{} // by byte and bit, or digit
		for k := range kind.Values {
			for _, p := range pieces(kind, k) {
				for bit := range max(1, p.Bits) {
					used[[2]int{p.Byte, p.First + bit}]++
				}
			}
		}
		for at, n := range used {
			if n != 1 && kind.grid == nil {
				t.Errorf("%s: byte %d bit %d belongs to %d values", kind.Name, at[0], at[1], n)
			}
		}
		bits := 8*(kind.BytesOf(Codes)+kind.BytesOf(Mixed)) - scaleBits[kind.Name]
		if kind.Name == "tq1_0" {
			bits = 4 * 64 // digits: of 48 bytes five, of 4 bytes four
		}
		if len(used) != bits || kind.group == 0 || kind.Values%kind.group != 0 {
			t.Errorf("%s: values have %d bits, its codes %d", kind.Name, len(used), bits)
		}
	}
}

// TestCodesOfGrids: the pieces of a code are its bits, from 0 on, each once; those below its sign are an index of the grid.
func TestCodesOfGrids(t *testing.T) {
	for i := range types {
		kind := &types[i]
		for k := range kind.Values {
			if kind.grid == nil {
				break
			}
			code, n := 0, 0
			for _, p := range pieces(kind, k) {
				code |= (1<<p.Bits - 1) << p.Shift
				n += p.Bits
			}
			index := n - 1
			if slices.Contains([]string{"iq2_xxs", "iq2_xs", "iq3_xxs"}, kind.Name) && k%8 == 7 {
				index = n - 7
			}
			if code != 1<<n-1 || 1<<index != len(points()[kind.grid.name]) {
				t.Fatalf("%s, value %d: %v", kind.Name, k, pieces(kind, k))
			}
		}
	}
}

// TestNotFinite: a scale that is NaN or infinite is shown as that, and so are the values.
func TestNotFinite(t *testing.T) {
	q4 := Find("q4_0")
	block := make([]byte, q4.Bytes)
	copy(block, []byte{0x01, 0x7e})
	if c := q4.Decode(block, 3); !math.IsNaN(c.Scale) || !math.IsNaN(float64(c.Value)) || c.Level != -8 {
		t.Errorf("a scale of NaN: %+v", c)
	}
	copy(block, []byte{0x00, 0x7c})
	if c := q4.Decode(block, 3); !math.IsInf(c.Scale, 1) || !math.IsInf(float64(c.Value), -1) {
		t.Errorf("an infinite scale: %+v", c)
	}
}
