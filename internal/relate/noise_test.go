package relate

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/random"
)

// noises are what another engine does to numbers.
var noises = []struct {
	name string
	do   func(r *rand.Rand, x, largest float64) float64
}{
	{"relative 1e-6", func(r *rand.Rand, x, _ float64) float64 { return x * (1 + 1e-6*r.NormFloat64()) }},
	{"relative 1e-4", func(r *rand.Rand, x, _ float64) float64 { return x * (1 + 1e-4*r.NormFloat64()) }},
	{"relative 1e-3", func(r *rand.Rand, x, _ float64) float64 { return x * (1 + 1e-3*r.NormFloat64()) }},
	{"relative 1e-2", func(r *rand.Rand, x, _ float64) float64 { return x * (1 + 1e-2*r.NormFloat64()) }},
	{"absolute 1e-2", func(r *rand.Rand, x, largest float64) float64 { return x + largest/3*1e-2*r.NormFloat64() }},
	{"bfloat16", func(_ *rand.Rand, x, _ float64) float64 { return rounded(typeOf("bfloat16"), x) }},
	{"float16", func(_ *rand.Rand, x, _ float64) float64 { return rounded(typeOf("float16"), x) }},
	{"int8", func(_ *rand.Rand, x, largest float64) float64 { return math.Round(x/largest*127) * (largest / 127) }},
}

// engineOutputs are the tensors that engines are compared by.
var engineOutputs = map[string]func(r *rand.Rand, shape []int) []float64{
	"weights": func(r *rand.Rand, shape []int) []float64 {
		return drawn(shape, func(int) float64 { return r.NormFloat64() / 16 })
	},
	"activations": func(r *rand.Rand, shape []int) []float64 {
		return drawn(shape, func(int) float64 { return max(0, r.NormFloat64()+0.2) })
	},
	"logits": func(r *rand.Rand, shape []int) []float64 {
		return drawn(shape, func(int) float64 { return 4*r.NormFloat64() - 3 })
	},
	"image": func(r *rand.Rand, shape []int) []float64 {
		w := float64(shape[len(shape)-1])
		fx, fy := 0.1+r.Float64()/3, 0.1+r.Float64()/3
		return drawn(shape, func(i int) float64 {
			x, y := math.Mod(float64(i), w), math.Floor(float64(i)/w)
			return 0.5 + 0.4*math.Sin(fx*x+1)*math.Cos(fy*y) + 0.03*r.NormFloat64()
		})
	},
}

// noisyPair draws a tensor of an engine and another engine's, moved by at most a mistake and a gap.
func noisyPair(r *rand.Rand, kind, noise int) (p pair) {
	for {
		shape := make([]int, 1+r.IntN(5))
		for d := range shape {
			shape[d] = 2 + r.IntN([]int{3000, 60, 20, 11, 7}[len(shape)-1])
		}
		n := ints.Product(shape)
		if n < 96 || n > 6000 {
			continue
		}
		first, second := orderMoves[r.IntN(len(orderMoves))], gaps[r.IntN(5)]
		if len(shape) > 4 && second.name == "blocked" {
			continue
		}
		m, ok := first.make(r, moved{ints.Range(n), shape})
		if m, ok2 := second.make(r, m); ok && ok2 {
			p = pair{from: m.from, names: []string{first.name + second.name}, how: slices.Sorted(maps.Keys(engineOutputs))[kind]}
			typ := typeOf("<f4")
			xs := engineOutputs[p.how](r, shape)
			largest := 0.0
			for i, x := range xs {
				xs[i] = float64(float32(x))
				largest = max(largest, math.Abs(x))
			}
			ys := make([]float64, len(m.from))
			for j, i := range m.from {
				if i >= 0 {
					ys[j] = noises[noise].do(r, xs[i], largest)
				}
			}
			p.a = Values{Bytes: bytesOf(typ, xs), Type: typ, Shape: shape}
			p.b = Values{Bytes: bytesOf(typ, ys), Type: typ, Shape: m.shape}
			return p
		}
	}
}

// TestNoise: the order is found through what another engine does to numbers. More than 4 % and two are not found only if a mistake is none
// of the hypotheses: two at once, such as a pitch after a reading under another shape.
func TestNoise(t *testing.T) {
	r := random.New(t)
	n := random.Cases(t, "TLAYOUT_TEST_NOISE_CASES", 120)
	for noise, x := range noises {
		counts := map[string]map[string]int{}
		for range n {
			p := noisyPair(r, r.IntN(len(engineOutputs)), noise)
			v := p.verdict(Find(p.a, p.b, Options{Threads: 1}))
			if counts[p.how] == nil {
				counts[p.how] = map[string]int{}
			}
			counts[p.how][v]++
			if v == "wrong" || v == "none" {
				t.Logf("%s: %s: %s", v, x.name, p)
			}
		}
		t.Logf("%-14s %v", x.name, counts)
		found, wrong := 0, 0
		for _, c := range counts {
			found = found + c["found"] + c["ambiguous"]
			wrong = wrong + c["wrong"]
		}
		if 25*(n-found) > n+50 || 1000*wrong > n {
			t.Errorf("%s: %d of %d found, %d wrong", x.name, found, n, wrong)
		}
	}
}

// alike are pairs of tensors that have the same statistics and are not each other's elements.
var alike = map[string]func(r *rand.Rand, shape []int) (xs, ys []float64){
	"weights of one layer, initialized twice": func(r *rand.Rand, shape []int) (xs, ys []float64) {
		draw := engineOutputs["weights"]
		return draw(r, shape), draw(r, shape)
	},
	"activations of two images, by channel": func(r *rand.Rand, shape []int) (xs, ys []float64) {
		inner := ints.Product(shape[1:])
		means := drawn([]int{shape[0]}, func(int) float64 { return 2 * r.NormFloat64() })
		draw := func(i int) float64 { return max(0, means[i/inner]+r.NormFloat64()) }
		return drawn(shape, draw), drawn(shape, draw)
	},
	"embeddings of few tokens": func(r *rand.Rand, shape []int) (xs, ys []float64) {
		w := min(12, shape[len(shape)-1])
		table := drawn([]int{5, w}, func(int) float64 { return r.NormFloat64() })
		rows := ints.CeilDiv(ints.Product(shape), w)
		first, second := drawn([]int{rows}, below(r, 5)), drawn([]int{rows}, below(r, 5))
		return drawn(shape, func(i int) float64 { return table[int(first[i/w])*w+i%w] + r.NormFloat64()/100 }),
			drawn(shape, func(i int) float64 { return table[int(second[i/w])*w+i%w] + r.NormFloat64()/100 })
	},
	"two images": func(r *rand.Rand, shape []int) (xs, ys []float64) {
		draw := engineOutputs["image"]
		return draw(r, shape), draw(r, shape)
	},
	"sorted, noisy": func(r *rand.Rand, shape []int) (xs, ys []float64) {
		draw := engineOutputs["logits"]
		xs, ys = draw(r, shape), draw(r, shape)
		slices.Sort(xs)
		slices.Sort(ys)
		return xs, ys
	},
	"scores of one attention mask": func(r *rand.Rand, shape []int) (xs, ys []float64) {
		w := shape[len(shape)-1]
		draw := func(i int) float64 {
			if i%w > i/w%w {
				return -1e4
			}
			return r.NormFloat64()
		}
		return drawn(shape, draw), drawn(shape, draw)
	},
}

// TestNoisyUnrelated: tensors of the same statistics are told no order.
func TestNoisyUnrelated(t *testing.T) {
	r := random.New(t)
	n, stories := random.Cases(t, "TLAYOUT_TEST_ALIKE_CASES", 400), 0
	kinds := slices.Sorted(maps.Keys(alike))
	for range n {
		shape := make([]int, 1+r.IntN(4))
		for d := range shape {
			shape[d] = 2 + r.IntN([]int{300, 40, 12, 7}[len(shape)-1])
		}
		kind := kinds[r.IntN(len(kinds))]
		xs, ys := alike[kind](r, shape)
		typ := typeOf([]string{"<f4", "float16", "bfloat16"}[r.IntN(3)])
		a, b := Values{Bytes: bytesOf(typ, xs), Type: typ, Shape: shape}, Values{Bytes: bytesOf(typ, ys), Type: typ, Shape: shape}
		if rel := Find(a, b, Options{Threads: 1}); rel != nil {
			stories++
			t.Logf("%s of %s %v: %.0f%% of %d: %s %+v", kind, typ, shape, 100*rel.Explained, rel.Count, rel.Sentence, rel.Tolerance)
		}
	}
	if stories > 1+n/5000 {
		t.Errorf("%d stories of %d pairs", stories, n)
	}
}
