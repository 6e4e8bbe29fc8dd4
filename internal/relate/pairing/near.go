package pairing

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// moments are what a tensor's numbers have in common with their multiples, with those of another engine, and with themselves in any order:
// all but the mean and the spread, which a factor and an addend change.
type moments struct {
	item   int
	count  int
	mean   float64
	spread float64
	skew   float64 // E(x − mean)³ / spread³
	tails  float64 // E|x − mean| / spread
}

const (
	momentsOf      = 1 << 16 // numbers that are read of a tensor
	maxCandidates  = 6       // tensors of the other side that are compared with one
	maxSkewApart   = 0.5     // estimated of few numbers, of which some may be outliers
	maxTailsApart  = 0.1
	maxBudget      = 1 << 15 // bytes, for whose budget two tensors are compared, if they have as many: some milliseconds
	maxTried       = 1 << 11 // pairs of tensors beyond one for each, the likeliest of all
	minNearNumbers = 16
)

// NearPairs returns pairs of tensors without a partner whose numbers may be near, in some order: those of as many elements and like moments,
// the likeliest first. Both members may be in several pairs.
func NearPairs(sides [2]Side, items [2][]relate.Item, left [2][]int) (pairs [][2]int) {
	if len(left[0]) == 0 || len(left[1]) == 0 {
		return nil
	}
	ofA := sides[0].moments(items[0], left[0])
	byCount := map[int][]moments{}
	for _, m := range sides[1].moments(items[1], left[1]) {
		byCount[m.count] = append(byCount[m.count], m)
	}
	type candidate struct {
		pair  [2]int
		apart float64
	}
	var all []candidate
	for _, a := range ofA {
		var some []candidate
		for _, b := range byCount[a.count] {
			skew := min(math.Abs(a.skew-b.skew), math.Abs(a.skew+b.skew)) // a factor may be negative
			tails := math.Abs(a.tails - b.tails)
			if skew <= maxSkewApart && tails <= maxTailsApart {
				some = append(some, candidate{[2]int{a.item, b.item}, skew/maxSkewApart + tails/maxTailsApart + a.unscaled(b)})
			}
		}
		sorting.By(some, func(x, y candidate) int { return cmp.Compare(x.apart, y.apart) })
		all = append(all, some[:min(len(some), maxCandidates)]...)
	}
	sorting.By(all, func(x, y candidate) int { return cmp.Compare(x.apart, y.apart) })
	for _, c := range all[:min(len(all), len(ofA)+maxTried)] {
		pairs = append(pairs, c.pair)
	}
	return pairs
}

// unscaled returns how far the means and spreads are apart: little, unless a factor or an addend was applied.
func (m moments) unscaled(o moments) float64 {
	return min(1, math.Abs(m.mean-o.mean)/m.spread) + min(1, math.Abs(m.spread-o.spread)/m.spread)
}

// BudgetOfNear returns the budget of the comparison of two tensors whose numbers may be near.
func BudgetOfNear(a, b View, work *relate.Work) *relate.Budget {
	return work.Budget(min(a.Bytes()+b.Bytes(), maxBudget))
}

// moments returns those of some tensors of real numbers that are not all equal.
func (s Side) moments(items []relate.Item, numbers []int) []moments {
	var lock sync.Mutex
	var found []moments
	s.eachTensor(items, numbers, func(item int, t *source.Tensor) error {
		read, ok := dtype.Float64(t.DType)
		if !ok || t.Layout.Numel() < minNearNumbers {
			return nil
		}
		x, err := s.read(item, t)
		if err != nil {
			return err
		}
		m := momentsOfValues(x, read)
		m.item = item
		if m.tails > 0 {
			lock.Lock()
			defer lock.Unlock()
			found = append(found, m)
		}
		return nil
	})
	sorting.By(found, func(x, y moments) int { return x.item - y.item })
	return found
}

// momentsOfValues estimates moments: of all numbers, or of some at random.
func momentsOfValues(x dense, read func([]byte) float64) moments {
	size := x.Type.ItemSize()
	count := len(x.Bytes) / size
	swap := dtype.LittleEndian(x.Type)
	r := rand.New(rand.NewPCG(1, 2))
	var sample []float64
	for k := range min(count, momentsOf) {
		at := k
		if count > momentsOf {
			at = r.IntN(count)
		}
		item := slices.Clone(x.Bytes[at*size:][:size])
		if swap != nil {
			swap(item)
		}
		v := read(item)
		if math.Abs(v) <= math.MaxFloat64 {
			sample = append(sample, v)
		}
	}
	n := float64(len(sample))
	mean := 0.0
	for _, v := range sample {
		mean += v / n
	}
	var first, second, third float64
	for _, v := range sample {
		d := v - mean
		first += math.Abs(d) / n
		second += d * d / n
		third += d * d * d / n
	}
	spread := math.Sqrt(second)
	return moments{count: count, mean: mean, spread: spread, skew: third / (spread * second), tails: first / spread}
}
