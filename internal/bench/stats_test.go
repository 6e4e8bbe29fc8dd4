package bench

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// shuffled returns 1 to n in some order.
func shuffled(n int) []float64 {
	values := make([]float64, n)
	for i, at := range rand.New(rand.NewPCG(1, uint64(n))).Perm(n) {
		values[i] = float64(at + 1)
	}
	return values
}

// The interval of the median consists of order statistics, and covers the true median with a probability of
//
//	Σ over k from lo to hi−1 of C(n,k) / 2ⁿ
//
// That is at least 95 %, and less with one sample fewer on both sides. Below 6 samples it is the range.
func TestMedianInterval(t *testing.T) {
	for n := 1; n <= 60; n++ {
		timing := newTiming(shuffled(n))
		lo, hi := int(timing.CINS[0]), int(timing.CINS[1])
		if timing.MedianNS != float64(n+1)/2 {
			t.Errorf("median of 1 to %d is %v", n, timing.MedianNS)
		}
		if n < 6 {
			if lo != 1 || hi != n {
				t.Errorf("interval of 1 to %d is %v", n, timing.CINS)
			}
			continue
		}
		if got := coverage(n, lo, hi); got < 0.95 {
			t.Errorf("interval %d to %d of %d samples covers %v", lo, hi, n, got)
		}
		if got := coverage(n, lo+1, hi-1); got >= 0.95 {
			t.Errorf("interval %d to %d of %d samples is wider than necessary: %v", lo, hi, n, got)
		}
	}
}

func coverage(n, lo, hi int) float64 {
	sum := new(big.Int)
	for k := lo; k < hi; k++ {
		sum.Add(sum, new(big.Int).Binomial(int64(n), int64(k)))
	}
	p, _ := new(big.Rat).SetFrac(sum, new(big.Int).Lsh(big.NewInt(1), uint(n))).Float64()
	return p
}

// Samples keep their order, whatever is computed from them.
func TestSamplesKeepTheirOrder(t *testing.T) {
	samples := shuffled(20)
	if slices.IsSorted(samples) {
		t.Fatal("the test's samples are sorted")
	}
	timing := newTiming(samples)
	compare(timing, timing)
	timing.Over(timing)
	newNoise(samples, []Row{{Timing: timing}})
	if want := shuffled(20); !slices.Equal(samples, want) || !slices.Equal(timing.SamplesNS, want) {
		t.Errorf("samples became %v", samples)
	}
}

// Outliers are beyond the outer fences, on both sides; a value on a fence is not an outlier. Of 1 to 11 the quartiles are
// at ranks 1/3 + (11 + 1/3)/4 = 19/6 and 1/3 + 3·(11 + 1/3)/4 = 53/6, so the fences are 3·34/6 = 17 beyond.
func TestOutliers(t *testing.T) {
	low, high := 19.0/6-17, 53.0/6+17
	for _, c := range []struct {
		name string
		ends [2]float64 // replace 1 and 11
		want int
	}{
		{"none", [2]float64{1, 11}, 0},
		{"inside of both", [2]float64{low + 0.01, high - 0.01}, 0},
		{"beyond the lower", [2]float64{low - 0.01, 11}, 1},
		{"beyond the upper", [2]float64{1, high + 0.01}, 1},
		{"beyond both", [2]float64{low - 100, high + 100}, 2},
	} {
		values := []float64{7, c.ends[1], 2, 3, 4, 5, c.ends[0], 6, 8, 9, 10}
		if got := outliers(values); got != c.want {
			t.Errorf("%s: %d outliers, want %d", c.name, got, c.want)
		}
	}
	if got := outliers([]float64{5, 5, 5, 5, 5, 5, 5, 6}); got != 1 {
		t.Errorf("one of eight differs: %d outliers", got)
	}
}

// P is that of the U test by definition: the fraction of all ways to split the samples that are at least as far to one side,
// for both sides.
func TestCompare(t *testing.T) {
	const n, m = 5, 6
	differing := 0
	for seed := range 50 {
		all := rand.New(rand.NewPCG(2, uint64(seed))).Perm(n + m)
		values := make([]float64, n+m)
		for i, v := range all {
			values[i] = float64(v)
			if i < n {
				values[i] += float64(seed%7) + 0.5 // one sample is a little slower, and no two are the same
			}
		}
		a, b := newTiming(values[:n]), newTiming(values[n:])
		want := permutationP(values, n)
		if got := compare(a, b).P; math.Abs(got-want) > 1e-9 {
			t.Errorf("P of %v is %v, by definition %v", values, got, want)
		}
		if differ(a, b) != (want <= 0.05) {
			t.Errorf("%v with P = %v: differ is %v", values, want, differ(a, b))
		}
		if differ(a, b) {
			differing++
		}
	}
	if differing == 0 || differing == 50 {
		t.Errorf("%d of 50 pairs differ: the test saw one side only", differing)
	}
}

func permutationP(values []float64, n int) float64 {
	u := func(first int) (wins int) {
		for i, x := range values {
			for j, y := range values {
				if first>>i&1 == 1 && first>>j&1 == 0 && x > y {
					wins++
				}
			}
		}
		return wins
	}
	here := u(1<<n - 1)
	ways, low, high := 0, 0, 0
	for first := range 1 << len(values) {
		if bits.OnesCount(uint(first)) != n {
			continue
		}
		ways++
		if u(first) <= here {
			low++
		}
		if u(first) >= here {
			high++
		}
	}
	return min(1, 2*float64(min(low, high))/float64(ways))
}

// Equal samples are tied, although the U test is not defined for them.
func TestCompareEqual(t *testing.T) {
	same := newTiming([]float64{7, 7, 7, 7, 7, 7})
	if c := compare(same, same); c.P != 1 || differ(same, same) {
		t.Errorf("P is %v", c.P)
	}
}

// A ratio is computed round by round: a machine that slows down does not affect it, and rounds of only one side do not count.
func TestRatioPairsRounds(t *testing.T) {
	var num, den []float64
	for round := range 12 {
		slow := math.Pow(1.5, float64(round*5%12))
		num, den = append(num, 300*slow), append(den, 100*slow)
	}
	r, ci := newTiming(append(num, 1e9, 1e9)).Over(newTiming(den))
	if math.Abs(r-3) > 1e-9 || math.Abs(ci[0]-3) > 1e-9 || math.Abs(ci[1]-3) > 1e-9 {
		t.Errorf("ratio %v, interval %v, want 3", r, ci)
	}
	if n := newTiming(num); n.CINS[1] < 2*n.CINS[0] {
		t.Errorf("the sides vary too little for this test: %v", n.CINS)
	}
}

// Spread is half the interquartile range over the median; above 5 % of it, or of outliers, there is advice.
func TestNoise(t *testing.T) {
	calm := []float64{100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100}
	wide := []float64{85, 88, 91, 94, 97, 100, 103, 106, 109, 112, 115} // quartiles at 91.5 and 108.5
	rows := func(outliers int) []Row {
		return []Row{
			{Timing: Timing{SamplesNS: make([]float64, 60), Outliers: outliers}},
			{Timing: Timing{SamplesNS: make([]float64, 40)}},
		}
	}
	for _, c := range []struct {
		name   string
		roof   []float64
		rows   []Row
		spread float64
		advice bool
	}{
		{"calm", calm, rows(5), 0, false},
		{"wide", wide, rows(0), 0.085, true},
		{"outliers", calm, rows(6), 0, true},
	} {
		got := newNoise(c.roof, c.rows)
		if math.Abs(got.Spread-c.spread) > 1e-9 || got.Samples != 100 || got.Outliers != c.rows[0].Outliers {
			t.Errorf("%s: %+v, want spread %v", c.name, got, c.spread)
		}
		if (got.Advice != "") != c.advice {
			t.Errorf("%s: advice %q", c.name, got.Advice)
		}
	}
}
