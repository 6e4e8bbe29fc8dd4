package dump

import (
	"cmp"
	"encoding/binary"
	"math/rand/v2"
)

// word is the size of the largest elements, in bytes.
const word = 8

// emptyBytes has the share of bytes without information at each place of a word: zeros, or signs of the byte before. Words end with the dump.
type emptyBytes [word]float64

// emptyBytesOf samples the bytes of a dump.
func emptyBytesOf(data []byte) (empty emptyBytes) {
	var count, zeros, signs [word]float64
	r := rand.New(rand.NewPCG(6, 6))
	for range min(len(data)-1, 2*samples) {
		i := 1 + r.IntN(len(data)-1)
		place := (i + word - len(data)%word) % word
		count[place]++
		if data[i] == 0 {
			zeros[place]++
		}
		if data[i] == byte(int8(data[i-1])>>7) {
			signs[place]++
		}
	}
	for place := range empty {
		empty[place] = max(zeros[place], signs[place]) / max(count[place], 1)
	}
	return empty
}

// minEmpty is the share of a place's bytes without information where all of them have none, but for a few values; maxFilled is that of a place
// that has some: of dark pictures, most bytes are zero at all places.
const (
	minEmpty  = 0.999
	maxFilled = 0.95
)

// hollow reports whether elements of a size are empty at half of the places in a word or more, and not at the others: they are parts of wider ones,
// whose values are whole numbers.
func (e emptyBytes) hollow(size int) bool {
	empty := 0
	filled := 0
	for first := 0; first < word; first += size {
		lowest := 1.0
		for _, share := range e[first : first+size] {
			lowest = min(lowest, share)
		}
		if lowest > minEmpty {
			empty++
		}
		if lowest < maxFilled {
			filled++
		}
	}
	return filled > 0 && empty*size*2 >= word
}

// Ascending returns the size in bytes of numbers that only grow, as indices, offsets and times do, 4 or 8; 0 for other dumps. Positive floats are in
// the order of the integers with their bits.
func Ascending(data []byte) int {
	if ascending(data[len(data)%4:], 4, func(b []byte) uint64 { return uint64(binary.LittleEndian.Uint32(b)) }) {
		return 4
	}
	if ascending(data[len(data)%8:], 8, binary.LittleEndian.Uint64) {
		return 8
	}
	return 0
}

// ascending reports whether no element of a sample is larger than the next one, and some are smaller.
func ascending(data []byte, size int, number func(b []byte) uint64) bool {
	n := len(data) / size
	if n < minHeight*minHeight {
		return false
	}
	r := rand.New(rand.NewPCG(7, 7))
	grow := 0
	for range samples {
		i := r.IntN(n-1) * size
		switch cmp.Compare(number(data[i:]), number(data[i+size:])) {
		case 1:
			return false
		case -1:
			grow++
		}
	}
	return grow > minGrowing
}

// minGrowing is how many numbers of a sample are smaller than the next one, at least, where none is larger: sorted ids grow in one of four places, a
// dump of zeros in none.
const minGrowing = samples / 20
