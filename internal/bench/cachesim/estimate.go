package cachesim

import "math"

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
