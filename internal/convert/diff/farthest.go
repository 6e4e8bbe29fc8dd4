package diff

import (
	"math"
)

// farthest keeps the largest finite distance, of equal ones the smallest index.
type farthest struct {
	distance float64
	index    int
}

// wants reports whether a distance may be the largest.
func (f *farthest) wants(distance float64) bool {
	return distance > 0 && distance >= f.distance && distance <= math.MaxFloat64
}

func (f *farthest) add(distance float64, index int) {
	if f.wants(distance) && (distance > f.distance || index < f.index) {
		f.distance, f.index = distance, index
	}
}
