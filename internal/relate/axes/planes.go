package axes

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Planes compares the planes of H and W that differ only in their index along an axis. The channels of an image have their edges in the same
// places, and levels of their own; different images share no edges; frames of one scene share edges and levels. Exposures of one scene are
// as channels. With dx = x[h,w+1] − x[h,w]:
//
//	Edges  = mean over planes x ≠ y of the correlation of |dx| and |dy|
//	Levels = mean |x[h,w] − y[h,w]| / mean |x[h,w] − x[any h,w]|
//
// Both are NaN of H and W, of an axis of size 1, and of constant planes.
type Planes struct {
	Edges  float64
	Levels float64
	Pairs  int // of planes that were compared
}

// Bounds of channels. Planes between those of channels and of different images say nothing: of 540 batches of photographs, random networks and
// videos none was given a wrong order, and of the photographs half were given one.
const (
	MinShared   = 0.3  // edges of channels, and
	minByChance = 1.1  // divided by √Pairs, for edges of two different images correlate by ±0.3
	MaxUnshared = 0.15 // edges of different images
	MinLevels   = 1.0  // levels of channels

	places    = 32 // runs of elements that are read in each plane
	placeRun  = 8  // elements of a run
	maxPlanes = 4  // planes along an axis
)

// AreChannels reports whether the planes are the channels of an image.
func (p Planes) AreChannels() bool {
	byChance := minByChance / math.Sqrt(float64(p.Pairs))
	return p.Edges >= max(MinShared, byChance) && p.Levels >= MinLevels
}

// plane is a sample of a plane.
type plane struct {
	index  []int     // in the array; 0 along H and W
	values []float64 // run after run
	steps  []float64 // differences of neighbors in runs
}

// comparePlanes samples the planes of an array whose H and W are the axes h and h+1.
func comparePlanes(shape []int, h, inner int, read Reader) []Planes {
	rng := rand.New(rand.NewPCG(3, 4))
	planes := somePlanes(shape, h, rng)
	along := h + 1
	if inner == h {
		along = h
	}
	run := min(shape[along], placeRun)
	for range places {
		place := make([]int, len(shape))
		place[h], place[h+1] = rng.IntN(shape[h]), rng.IntN(shape[h+1])
		place[along] = rng.IntN(shape[along] - run + 1)
		for i := range planes {
			if !planes[i].read(place, along, run, inner, read) {
				return nil
			}
		}
	}
	compared := make([]Planes, len(shape))
	for axis := range shape {
		compared[axis] = alongAxis(planes, axis, rng)
	}
	return compared
}

// somePlanes chooses a block of planes.
func somePlanes(shape []int, h int, rng *rand.Rand) []plane {
	planes := []plane{{index: make([]int, len(shape))}}
	for axis, size := range shape {
		if axis == h || axis == h+1 {
			continue
		}
		n := min(size, maxPlanes)
		first := rng.IntN(size - n + 1)
		var more []plane
		for _, p := range planes {
			for i := range n {
				index := slices.Clone(p.index)
				index[axis] = first + i
				more = append(more, plane{index: index})
			}
		}
		planes = more
	}
	return planes
}

// read adds a run of elements, which begins at a place of the plane.
func (p *plane) read(place []int, along, run, inner int, read Reader) bool {
	at := slices.Clone(p.index)
	for d, i := range place {
		at[d] += i
	}
	row := make([]float64, run)
	if inner == along {
		if !read(at, row) {
			return false
		}
	} else {
		for k := range row {
			if !read(at, row[k:k+1]) {
				return false
			}
			at[along]++
		}
	}
	p.values = append(p.values, row...)
	for k := range run - 1 {
		p.steps = append(p.steps, math.Abs(row[k+1]-row[k]))
	}
	return true
}

// alongAxis compares the planes that differ in their index along an axis only.
func alongAxis(planes []plane, axis int, rng *rand.Rand) Planes {
	var edges, between, spread float64
	pairs := 0
	for i, x := range planes {
		for _, y := range planes[:i] {
			r := correlation(x.steps, y.steps)
			if !differOnly(x.index, y.index, axis) || math.IsNaN(r) {
				continue
			}
			pairs++
			edges += r
			for k, v := range x.values {
				between += math.Abs(v - y.values[k])
				spread += math.Abs(v - x.values[rng.IntN(len(x.values))])
			}
		}
	}
	return Planes{edges / float64(pairs), between / spread, pairs}
}

// differOnly reports whether two indices differ along one axis and no other.
func differOnly(a, b []int, axis int) bool {
	for d := range a {
		if (a[d] != b[d]) != (d == axis) {
			return false
		}
	}
	return true
}

// correlation returns Pearson's coefficient; NaN if one of the lists is constant.
func correlation(x, y []float64) float64 {
	n := float64(len(x))
	var sumX, sumY, xx, yy, xy float64
	for i := range x {
		sumX = sumX + x[i]
		sumY = sumY + y[i]
		xx = xx + x[i]*x[i]
		yy = yy + y[i]*y[i]
		xy = xy + x[i]*y[i]
	}
	return (xy - sumX*sumY/n) / math.Sqrt((xx-sumX*sumX/n)*(yy-sumY*sumY/n))
}
