package kernel

import (
	"math/rand/v2"
	"slices"
)

// arrangements of the rows of a matrix in memory: each returns the offsets of count rows of length bytes, and the bytes
// that they span.
var arrangements = map[string]func(count, length int) (rows []int, extent int){
	"dense":      func(count, length int) ([]int, int) { return spaced(count, length, length) },
	"gaps":       func(count, length int) ([]int, int) { return spaced(count, length, length+5) },
	"lines":      func(count, length int) ([]int, int) { return spaced(count, length, (length+63)&^63) },
	"descending": descending,
	"shuffled":   shuffled,
}

// repeated is for sources only: every third row is the same.
func repeated(count, length int) (rows []int, extent int) {
	rows, extent = spaced(count, length, length+3)
	for i := range rows {
		if i%3 == 0 {
			rows[i] = rows[count/2]
		}
	}
	return rows, extent
}

// overlapping is for sources only: rows overlap by half, not by whole elements of 4 bytes or more.
func overlapping(count, length int) (rows []int, extent int) {
	return spaced(count, length, length/2/4*4+1)
}

func spaced(count, length, stride int) (rows []int, extent int) {
	for i := range count {
		rows = append(rows, i*stride)
	}
	return rows, max(0, (count-1)*stride+length)
}

func descending(count, length int) (rows []int, extent int) {
	rows, extent = spaced(count, length, length+1)
	slices.Reverse(rows)
	return rows, extent
}

func shuffled(count, length int) (rows []int, extent int) {
	rows, extent = spaced(count, length, length+7)
	r := rand.New(rand.NewPCG(1, uint64(count)))
	r.Shuffle(count, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows, extent
}

// noise fills a slice with reproducible random bytes.
func noise(b []byte) {
	state := uint64(len(b))
	for i := range b {
		state = state*6364136223846793005 + 1442695040888963407
		b[i] = byte(state >> 56)
	}
}
