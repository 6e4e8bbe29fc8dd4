package cachesim

import (
	"math"
	"math/rand/v2"
)

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

// least is how many classes there are at least to tell a spread from.
const least = 4

// estimate draws the misses of all classes from those of some, by how often each was touched: the ratio estimate of
// Cochran, Sampling Techniques, 3rd edition (Wiley, 1977), chapter 6, for the classes that were touched at all.
//
//	total = X · Σy/Σx      error = t · N · √( (1 − n/N)/n · Σ(y − x·Σy/Σx)² / (n − 1) )
//
// x and y are touches and misses of a class that is simulated, and there are n of those; N classes were touched X
// times; 1 − n/N is the correction for a finite population, t the quantile of Student's distribution with n−1 degrees.
type estimate struct {
	x      []float64 // by place; 0 for a class that was not touched, or is not simulated
	sum    float64   // Σx
	total  int       // X
	n, all float64   // n and N
}

func (p *sample) estimate() estimate {
	e := estimate{x: make([]float64, len(p.touches))}
	for class, x := range p.touches {
		if x == 0 {
			continue
		}
		e.total += x
		e.all++
		if place := p.place[class]; place >= 0 {
			e.x[place] = float64(x)
			e.sum += float64(x)
			e.n++
		}
	}
	return e
}

// of returns the misses of one level, and the relative error of them to expect at 95 %: 0 where every class that was
// touched is simulated, 1 where fewer than least are.
func (e estimate) of(misses []int) (total int, relative float64) {
	y := 0
	for _, m := range misses {
		y += m
	}
	switch {
	case e.n == e.all:
		return y, 0
	case e.n < least:
		return e.total, 1
	}
	ratio, squares := float64(y)/e.sum, 0.0
	for place, x := range e.x {
		d := float64(misses[place]) - x*ratio
		squares += d * d
	}
	half := student(e.n-1) * e.all * math.Sqrt((1-e.n/e.all)/e.n*squares/(e.n-1))
	estimated := float64(e.total) * ratio
	return int(math.Round(estimated)), half / estimated
}

// student is the 97.5 % quantile of Student's distribution with nu degrees of freedom, from 3 on within 1 %: Abramowitz
// and Stegun, Handbook of Mathematical Functions, 26.7.5.
func student(nu float64) float64 {
	const (
		z  = 1.959964 // the same of the normal distribution
		z3 = z * z * z
		z5 = z3 * z * z
		z7 = z5 * z * z
	)
	return z + (z3+z)/(4*nu) + (5*z5+16*z3+3*z)/(96*nu*nu) + (3*z7+19*z5+17*z3-15*z)/(384*nu*nu*nu)
}
