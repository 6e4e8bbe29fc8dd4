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

// Constant reports whether all elements are equal, or there are none: then Sum² = Count · Mix.
func (f Fingerprint) Constant() bool { return f.Sum*f.Sum == uint64(f.Count)*f.Mix }

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
	total := Fingerprint{Size: size}
	buffer := make([]byte, max(1, 4096/size)*size)
	for len(data) > 0 {
		n := copy(buffer, data)
		swap(buffer[:n])
		total = total.Add(little(buffer[:n], size))
		data = data[n:]
	}
	return total
}

// little is Of for little-endian elements of size bytes.
func little(data []byte, size int) Fingerprint {
	f := Fingerprint{Count: len(data) / size, Size: size}
	whole := len(data) &^ 7
	switch size {
	case 1:
		var sums, mixes [256]uint64
		for x := range 256 {
			h := hash(uint64(x))
			sums[x] = h
			mixes[x] = h * h
		}
		for _, x := range data {
			f.Sum = f.Sum + sums[x]
			f.Mix = f.Mix + mixes[x]
		}
		return f
	case 2:
		for i := 0; i < whole; i += 8 {
			x := binary.LittleEndian.Uint64(data[i : i+8])
			g := hash(x & 0xffff)
			h := hash(x >> 16 & 0xffff)
			p, q := hash(x>>32&0xffff), hash(x>>48)
			f.Sum = f.Sum + g + h + p + q
			f.Mix = f.Mix + g*g + h*h + p*p + q*q
		}
	case 4:
		for i := 0; i < whole; i += 8 {
			x := binary.LittleEndian.Uint64(data[i : i+8])
			g := hash(x & 0xffffffff)
			h := hash(x >> 32)
			f.Sum = f.Sum + g + h
			f.Mix = f.Mix + g*g + h*h
		}
	default:
		whole = 0
	}
	for rest := data[whole:]; len(rest) >= size; rest = rest[size:] {
		h := hash(wide(rest[:size]))
		f.Sum = f.Sum + h
		f.Mix = f.Mix + h*h
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
	switch len(item) {
	case 4:
		return uint64(binary.LittleEndian.Uint32(item))
	case 8:
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
