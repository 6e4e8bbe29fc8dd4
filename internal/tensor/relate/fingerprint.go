package relate

import (
	"encoding/binary"
	"math/bits"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Fingerprint identifies a multiset of elements, whatever their order. With h(x) a hash of an element's bits in little-endian order,
//
//	Sum = Σ h(x) mod 2⁶⁴    Mix = Σ h(x)² mod 2⁶⁴
//
// It is additive: that of a concatenation is the sum of those of its parts. Equal multisets have equal fingerprints; others differ but
// for a chance of about 2⁻¹⁰⁰, if nobody looks for a collision.
type Fingerprint struct {
	Count int // elements
	Size  int // bytes of an element
	Sum   uint64
	Mix   uint64
}

// Add returns the fingerprint of the elements of both. Both have the same Size, or one of them no elements.
func (f Fingerprint) Add(g Fingerprint) Fingerprint {
	return Fingerprint{f.Count + g.Count, max(f.Size, g.Size), f.Sum + g.Sum, f.Mix + g.Mix}
}

// Of returns the fingerprint of consecutive elements of a type; bytes after the last whole element are ignored.
func Of(data []byte, t dtype.Type) Fingerprint {
	size := t.ItemSize()
	if size == 0 {
		return Fingerprint{}
	}
	data = data[:len(data)-len(data)%size]
	swap := dtype.LittleEndian(t)
	if swap == nil {
		return little(data, size)
	}
	total, room := Fingerprint{Size: size}, make([]byte, max(1, 4096/size)*size)
	for len(data) > 0 {
		n := copy(room, data)
		swap(room[:n])
		total, data = total.Add(little(room[:n], size)), data[n:]
	}
	return total
}

// little is Of for little-endian elements of size bytes.
func little(data []byte, size int) Fingerprint {
	f := Fingerprint{Count: len(data) / size, Size: size}
	switch size {
	case 1:
		var counts [4][256]uint64 // equal neighbors are counted apart: a count need not wait for the one before
		for i, x := range data {
			counts[i%4][x]++
		}
		for x := range 256 {
			n, h := counts[0][x]+counts[1][x]+counts[2][x]+counts[3][x], hash(uint64(x))
			f.Sum, f.Mix = f.Sum+n*h, f.Mix+n*h*h
		}
	case 2:
		for ; len(data) >= 4; data = data[4:] {
			two := binary.LittleEndian.Uint32(data)
			h, g := hash(uint64(two&(1<<16-1))), hash(uint64(two>>16))
			f.Sum, f.Mix = f.Sum+h+g, f.Mix+h*h+g*g
		}
		if len(data) > 0 {
			h := hash(wide(data))
			f.Sum, f.Mix = f.Sum+h, f.Mix+h*h
		}
	case 4:
		for ; len(data) >= 8; data = data[8:] {
			two := binary.LittleEndian.Uint64(data)
			h, g := hash(two&(1<<32-1)), hash(two>>32)
			f.Sum, f.Mix = f.Sum+h+g, f.Mix+h*h+g*g
		}
		if len(data) > 0 {
			h := hash(wide(data))
			f.Sum, f.Mix = f.Sum+h, f.Mix+h*h
		}
	default:
		for ; len(data) >= size; data = data[size:] {
			h := hash(wide(data[:size]))
			f.Sum, f.Mix = f.Sum+h, f.Mix+h*h
		}
	}
	return f
}

// hash mixes a word: the halves of its product with a constant, xored.
func hash(x uint64) uint64 {
	high, low := bits.Mul64(x^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return high ^ low
}

// wide returns a little-endian element as a word: itself up to 8 bytes, a hash of longer ones.
func wide(item []byte) uint64 {
	if len(item) == 8 {
		return binary.LittleEndian.Uint64(item)
	}
	var x uint64
	for ; len(item) > 8; item = item[8:] {
		x = hash(x ^ binary.LittleEndian.Uint64(item))
	}
	for i, b := range item {
		x ^= uint64(b) << (8 * i)
	}
	return x
}
