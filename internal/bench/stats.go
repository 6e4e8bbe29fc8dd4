package bench

import (
	"slices"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"
)

// confidence is the level of all intervals; the significance level is 1 − confidence.
const confidence = 0.95

// newTiming summarizes one or more positive samples, in nanoseconds.
func newTiming(samples []float64) Timing {
	t := Timing{SamplesNS: samples, Outliers: outliers(samples)}
	t.MedianNS, t.CINS = Median(samples)
	return t
}

// sample wraps a copy of the values, since benchmath sorts them.
func sample(values []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
}

// Median returns the median of the values and its confidence interval, from order statistics. With fewer than 6 values,
// too few for 95 %, the interval is their range.
func Median(values []float64) (center float64, ci [2]float64) {
	s := benchmath.AssumeNothing.Summary(sample(values), confidence)
	return s.Center, [2]float64{max(s.Lo, slices.Min(values)), min(s.Hi, slices.Max(values))}
}

// quartiles uses method 8 of Hyndman and Fan, Sample Quantiles in Statistical Packages, 1996.
func quartiles(values []float64) (q1, q3 float64) {
	s := stats.Sample{Xs: slices.Clone(values)}
	s.Sort()
	return s.Quantile(0.25), s.Quantile(0.75)
}

// outliers counts values beyond the outer fences of Tukey, Exploratory Data Analysis, 1977, section 2D:
//
//	q1 − 3·(q3 − q1)  and  q3 + 3·(q3 − q1)
func outliers(values []float64) (n int) {
	q1, q3 := quartiles(values)
	fence := 3 * (q3 - q1)
	for _, v := range values {
		if v < q1-fence || v > q3+fence {
			n++
		}
	}
	return n
}

// compare runs the two-sided Mann–Whitney U test. P is 1 if all samples are equal.
func compare(a, b Timing) benchmath.Comparison {
	return benchmath.AssumeNothing.Compare(sample(a.SamplesNS), sample(b.SamplesNS))
}

// differ reports whether two timings differ significantly.
func differ(a, b Timing) bool {
	c := compare(a, b)
	return c.P <= c.Alpha
}

// Over returns the median of the rounds' ratios t/other, and its interval. Sample i of every program is from round i, so a slow round
// cancels out.
func (t Timing) Over(other Timing) (center float64, ci [2]float64) {
	rounds := make([]float64, min(len(t.SamplesNS), len(other.SamplesNS)))
	for i := range rounds {
		rounds[i] = t.SamplesNS[i] / other.SamplesNS[i]
	}
	return Median(rounds)
}

// maxSpread is the maximum spread, and the maximum fraction of outliers, of a quiet run.
const maxSpread = 0.05

const (
	advice      = "times vary: close other programs; on a laptop, plug in and fix the CPU frequency; raise --samples"
	modelAdvice = "; or gate on the model, which is deterministic" // of walks
)

// newNoise rates a run by the samples of its roof, which is constant work, and by the outliers of its rows.
func newNoise(roof []float64, rows []Row) Noise {
	q1, q3 := quartiles(roof)
	center, _ := Median(roof)
	n := Noise{Spread: (q3 - q1) / 2 / center}
	for _, row := range rows {
		n.Outliers += row.Outliers
		n.Samples += len(row.SamplesNS)
	}
	if n.Spread > maxSpread || float64(n.Outliers) > maxSpread*float64(n.Samples) {
		n.Advice = advice
	}
	return n
}
