package cachesim

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// The quantiles equal tabulated ones within 1 %, from 3 degrees of freedom on.
func TestStudent(t *testing.T) {
	for nu, want := range map[float64]float64{3: 3.1824, 4: 2.7764, 7: 2.3646, 15: 2.1314, 30: 2.0423, 120: 1.9799} {
		if got := student(nu); math.Abs(got/want-1) > 0.01 {
			t.Errorf("student(%g) = %g, want %g", nu, got, want)
		}
	}
}

// A small sample, computed by hand: of 10 classes touched 10·100 times, five have 50, 50, 60, 40 and 50 misses. The
// estimate is 500; Σd² = 200, so the error is 2.7764 · 10 · √(0.5/5 · 200/4) / 500. Classes that are not touched
// do not count.
func TestEstimateByHand(t *testing.T) {
	p := newSample([]int{0, 2, 4, 6, 8, 1, 3, 5, 7, 9, 10, 11, 12, 13, 14, 15}, 5)
	for class := range 10 {
		p.touches[class] = 100
	}
	e := p.estimate()
	total, relative := e.extrapolate([]int{50, 50, 60, 40, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	if want := 2.7764 * 10 * math.Sqrt(5) / 500; e.total != 1000 || total != 500 || math.Abs(relative/want-1) > 0.01 {
		t.Errorf("%d of %d with error %g, want 500 of 1000 with %g", total, e.total, relative, want)
	}
}

// If fewer than four of the classes touched are simulated, the error is 1; if all are, it is 0.
func TestEstimateOfFew(t *testing.T) {
	order := []int{0, 1, 2, 3, 4, 5, 6, 7}
	for _, c := range []struct {
		touched []int
		want    float64
	}{{[]int{5, 6, 7}, 1}, {[]int{2, 5, 7}, 1}, {[]int{0, 1, 2, 7}, 1}, {[]int{0, 1, 2}, 0}, {nil, 0}} {
		p := newSample(order, 4)
		for _, class := range c.touched {
			p.touches[class] = 9
		}
		total, relative := p.estimate().extrapolate(make([]int, 8))
		if relative != c.want || c.want == 1 && total != 9*len(c.touched) {
			t.Errorf("touched %v: %d with error %g, want %g", c.touched, total, relative, c.want)
		}
	}
}

// The true figure is within the error for about 95 of 100 samples, of classes that differ in touches and in misses.
func TestEstimateCovers(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	const classes, samples = 64, 4000
	x, y, whole := make([]int, classes), make([]int, classes), 0
	for i := range x {
		x[i] = 500 + dice.IntN(1000)
		y[i] = x[i] * (20 + dice.IntN(60)) / 100
		whole += y[i]
	}
	inside := 0
	for range samples {
		p := newSample(dice.Perm(classes), 8)
		copy(p.touches, x)
		misses := make([]int, classes)
		for class, i := range p.index {
			if i >= 0 {
				misses[i] = y[class]
			}
		}
		if total, relative := p.estimate().extrapolate(misses); math.Abs(float64(whole-total)) <= relative*float64(total) {
			inside++
		}
	}
	if inside < samples*92/100 || inside > samples*98/100 {
		t.Errorf("%d of %d samples are within their error", inside, samples)
	}
}

// The classes of a sample are the same on every machine.
func TestSampleIsFixed(t *testing.T) {
	var got []int
	for class, i := range NewSample(Reference, 8).sample.index {
		if i >= 0 {
			got = append(got, class)
		}
	}
	if want := []int{4, 17, 21, 26, 29, 44, 50, 54}; !reflect.DeepEqual(got, want) {
		t.Errorf("classes %v, want %v", got, want)
	}
}
