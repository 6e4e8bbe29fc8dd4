package cachesim

import "math/rand/v2"

// fewest is how many classes a sample has at least.
const fewest = 8

// sample says which lines are simulated. Line n is of class n mod M; M is a power of two that divides the number of
// sets of every level, so that all lines of a set are of one class. Classes never displace each other's lines: some can
// be simulated exactly without the others.
type sample struct {
	mask    int     // M − 1
	place   []int   // of each class among those simulated; −1 where it is not
	touches []int   // of each class
	misses  [][]int // of each level: of each class that is simulated, by place
}

// NewSample returns a Sim that simulates one class of lines in part, and estimates Misses from those: the lines whose
// number mod M is in a fixed random choice, where M is the largest power of two that divides the number of sets of
// every level. It takes a half to a quarter of the time for part = 8. At least 8 classes are simulated, so that all is
// exact where M is 8 or less, as it is where some level has an odd number of sets. part is at least 1.
//
// Counts.Error is 1, and Misses are no more than a bound, where too few of the classes that were touched are simulated.
// It happens with few lines, and with strides that are multiples of M lines: New is the way then. The error comes from
// what the simulated classes differ by: what only others do, in caches that a few strides just fill, it cannot know.
func NewSample(g Geometry, part int) *Sim {
	sets := 0
	for _, l := range g.Levels {
		sets |= l.Sets()
	}
	m := sets & -sets
	return newSim(g, newSample(rand.New(rand.NewPCG(1, 2)).Perm(m), max(fewest, m/part)))
}

// newSample has the first classes of an order of all, n of them or all there are.
func newSample(order []int, n int) sample {
	m := len(order)
	p := sample{mask: m - 1, place: make([]int, m), touches: make([]int, m)}
	for i, class := range order {
		if p.place[class] = i; i >= n {
			p.place[class] = -1
		}
	}
	return p
}

// addLevel makes room for another level's misses.
func (p *sample) addLevel() { p.misses = append(p.misses, make([]int, len(p.touches))) }
