package cachesim

import (
	"math"
	"math/rand/v2"
)

// minSample is the minimum number of classes in a sample.
const minSample = 8

// sample selects the lines to simulate. Line n is in class n mod M; M is a power of two that divides the number of sets of every level, so
// all lines of a set are in one class. Classes never evict each other's lines: each can be simulated exactly without the others.
type sample struct {
	mask    int     // M − 1
	index   []int   // of each class among the simulated; −1 for others
	touches []int   // of each class
	misses  [][]int // of each level: of each simulated class, by index
}

// NewSample returns a Sim that simulates one in part classes of lines and estimates Misses from them: the lines whose number
// mod M is in a fixed random choice, where M is the largest power of two that divides the number of sets of every level. With
// part = 8 it takes a half to a quarter of the time. At least 8 classes are simulated, so everything is exact for M ≤ 8, for
// instance if a level has an odd number of sets. part is at least 1.
//
// Counts.Error is 1, and Misses are only an upper bound, if too few of the classes touched are simulated: with few lines, or
// with strides that are multiples of M lines. Then use New. The error is estimated from the differences of the simulated
// classes; it misses what only other classes do, in caches that a few strides just fill.
func NewSample(g Geometry, part int) *Sim {
	sets := 0
	for _, l := range g.Levels {
		sets |= l.Sets()
	}
	m := sets & -sets
	return newSim(g, newSample(rand.New(rand.NewPCG(1, 2)).Perm(m), max(minSample, m/part)))
}

// newSample simulates the first n classes of an order, or all if there are fewer.
func newSample(order []int, n int) sample {
	m := len(order)
	p := sample{mask: m - 1, index: make([]int, m), touches: make([]int, m)}
	for i, class := range order {
		p.index[class] = i
		if i >= n {
			p.index[class] = -1
		}
	}
	return p
}

// addLevel adds a level's counters.
func (p *sample) addLevel() { p.misses = append(p.misses, make([]int, len(p.touches))) }

// minClasses is the minimum number of classes for an estimate of their spread.
const minClasses = 4

// estimate extrapolates the misses of the simulated classes to all classes, by touches: the ratio estimate of Cochran,
// Sampling Techniques, 3rd edition (Wiley, 1977), chapter 6, for the classes that were touched at all.
//
//	total = X · Σy/Σx      error = t · N · √( (1 − n/N)/n · Σ(y − x·Σy/Σx)² / (n − 1) )
//
// x and y are touches and misses of a simulated class; n classes are simulated, N were touched, X times in all; 1 − n/N is
// the finite population correction, t the quantile of Student's distribution with n−1 degrees of freedom.
type estimate struct {
	x      []float64 // by index among the simulated; 0 for a class that was not touched
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
		if i := p.index[class]; i >= 0 {
			e.x[i] = float64(x)
			e.sum += float64(x)
			e.n++
		}
	}
	return e
}

// extrapolate returns the misses of one level and their relative error at 95 %: 0 if all classes touched are simulated, 1 if fewer
// than minClasses are.
func (e estimate) extrapolate(misses []int) (total int, relative float64) {
	y := 0
	for _, m := range misses {
		y += m
	}
	if e.n == e.all {
		return y, 0
	}
	if e.n < minClasses {
		return e.total, 1
	}
	ratio := float64(y) / e.sum
	squares := 0.0
	for i, x := range e.x {
		d := float64(misses[i]) - x*ratio
		squares += d * d
	}
	half := student(e.n-1) * e.all * math.Sqrt((1-e.n/e.all)/e.n*squares/(e.n-1))
	estimated := float64(e.total) * ratio
	return int(math.Round(estimated)), half / estimated
}

// student returns the 97.5 % quantile of Student's distribution with nu ≥ 3 degrees of freedom, within 1 %: Abramowitz and Stegun, Handbook
// of Mathematical Functions, 26.7.5.
func student(nu float64) float64 {
	const (
		z  = 1.959964 // quantile of the normal distribution
		z3 = z * z * z
		z5 = z3 * z * z
		z7 = z5 * z * z
	)
	return z + (z3+z)/(4*nu) + (5*z5+16*z3+3*z)/(96*nu*nu) + (3*z7+19*z5+17*z3-15*z)/(384*nu*nu*nu)
}
