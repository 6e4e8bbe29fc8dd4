package relate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/random"
)

// usualKind draws the elements of a tensor of one of some types.
type usualKind struct {
	name string
	typ  []string
	draw func(r *rand.Rand, shape []int) []float64
}

// usual are the kinds of tensors that models and data sets have.
var usual = []usualKind{
	{"sorted integers", []string{"<i4", "<i8"}, func(r *rand.Rand, shape []int) []float64 {
		xs := drawn(shape, below(r, []int{4, 10, 100, 1000, 100000}[r.IntN(5)]))
		slices.Sort(xs)
		return xs
	}},
	{"token ids", []string{"<i8", "<i4", "<u2"}, func(r *rand.Rand, shape []int) []float64 {
		return drawn(shape, func(int) float64 { return math.Floor(50000 * math.Pow(r.Float64(), 4)) })
	}},
	{"segment ids", []string{"<i8", "uint8"}, func(r *rand.Rand, shape []int) []float64 {
		id, length := 0.0, 1+r.IntN(30)
		return drawn(shape, func(int) float64 { id += float64(1 / (1 + r.IntN(length))); return id })
	}},
	{"ternary", []string{"int8"}, func(r *rand.Rand, shape []int) []float64 {
		return drawn(shape, func(int) float64 { return float64(r.IntN(3) - 1) })
	}},
	{"image", []string{"uint8"}, func(r *rand.Rand, shape []int) []float64 {
		w := float64(shape[len(shape)-1])
		fx, fy, noise := r.Float64()/6, r.Float64()/6, 1+r.Float64()*8
		return drawn(shape, func(i int) float64 {
			x, y := math.Mod(float64(i), w), math.Floor(float64(i)/w)
			return max(0, min(255, math.Round(128+100*math.Sin(fx*x+1)*math.Cos(fy*y)+noise*r.NormFloat64())))
		})
	}},
	{"padding mask", []string{"bool", "<i8", "<f4"}, func(r *rand.Rand, shape []int) []float64 {
		w := shape[len(shape)-1]
		ends := drawn([]int{ints.Product(shape) / w}, below(r, w+1))
		return drawn(shape, func(i int) float64 { return float64(min(1, max(0, int(ends[i/w])-i%w))) })
	}},
	{"random mask", []string{"bool"}, func(r *rand.Rand, shape []int) []float64 {
		share := r.Float64()
		return drawn(shape, func(int) float64 { return math.Floor(r.Float64() + share) })
	}},
	{"nearly constant", []string{"<f4", "uint8"}, func(r *rand.Rand, shape []int) []float64 {
		return drawn(shape, func(int) float64 { return 1 + float64(r.IntN(40)/39*r.IntN(9)) })
	}},
	{"range", []string{"<i8", "<f4"}, func(r *rand.Rand, shape []int) []float64 {
		start, step := float64(r.IntN(1000)), float64(1+r.IntN(20))
		return drawn(shape, func(i int) float64 { return start + step*float64(i) })
	}},
	{"weights", []string{"<f4", "float16"}, func(r *rand.Rand, shape []int) []float64 {
		return drawn(shape, func(int) float64 { return r.NormFloat64() / 16 })
	}},
}

func drawn(shape []int, next func(i int) float64) (xs []float64) {
	for i := range ints.Product(shape) {
		xs = append(xs, next(i))
	}
	return xs
}

func below(r *rand.Rand, n int) func(int) float64 {
	return func(int) float64 { return float64(r.IntN(n)) }
}

// usualTensor draws a tensor of a kind.
func usualTensor(r *rand.Rand, kind int) Values {
	shape := make([]int, 1+r.IntN(4))
	for d := range shape {
		shape[d] = 1 + r.IntN([]int{300, 40, 12, 7}[len(shape)-1])
	}
	k := usual[kind]
	t := typeOf(k.typ[r.IntN(len(k.typ))])
	return Values{Bytes: bytesOf(t, k.draw(r, shape)), Type: t, Shape: shape}
}

// TestUsualUnrelated: no relation is told of tensors that are drawn one by one, of the kinds that models have, though sorted numbers, masks and
// ranges resemble each other. That both are the same numbers, or that one range has elements of another, is a fact. Of 10,000 pairs one or none
// was told by chance; a threshold that is too low tells one in five.
func TestUsualUnrelated(t *testing.T) {
	r := random.New(t)
	told := map[string]int{}
	n, stories := random.Cases(t, "TLAYOUT_TEST_UNRELATED_CASES", 600), 0
	for range n {
		kind := r.IntN(len(usual))
		other := kind
		if r.IntN(4) == 0 {
			other = r.IntN(len(usual))
		}
		a, b := usualTensor(r, kind), usualTensor(r, other)
		if r.IntN(2) == 0 { // as long as a
			b = Values{Type: b.Type, Shape: a.Shape}
			b.Bytes = bytesOf(b.Type, usual[other].draw(r, a.Shape))
		}
		rel := Find(a, b, Options{Threads: 1})
		fact := rel != nil && rel.Explained == 1 && rel.Scale == nil
		if rel == nil || fact && (usual[kind].name == "range" || rel.Kind == Same || rel.Kind == Converted) {
			continue
		}
		stories++
		told[usual[kind].name+" and "+usual[other].name]++
		t.Logf("%s %s %v and %s %s %v: %.0f%% of %d: %s", usual[kind].name, a.Type, a.Shape, usual[other].name, b.Type, b.Shape, 100*rel.Explained, rel.Count, rel.Sentence)
	}
	if stories > 1+n/5000 {
		t.Errorf("stories of %d pairs: %s", n, fmt.Sprint(told))
	}
}

// changes are what programs do to the numbers of a tensor; nil keeps them.
var changes = []struct {
	name string
	typ  string // of the result; "" is the same
	do   func(x float64) float64
}{
	{"the same order", "", nil},
	{"a cast", "<f4", nil},
	{"a factor", "<f4", func(x float64) float64 { return x / 255 }},
	{"a normalization", "<f4", func(x float64) float64 { return (x - 0.45) / 0.225 }},
	{"a quantization", "int8", func(x float64) float64 { return max(-128, min(127, math.Round(x*256))) }},
}

// TestUsualRelated: what programs do to weights, token ids and images is told each time: another order, a cast, and the factor and offset of a
// normalization or quantization.
func TestUsualRelated(t *testing.T) {
	r := random.New(t)
	n, missed := random.Cases(t, "TLAYOUT_TEST_RELATED_CASES", 500), 0
	for range n {
		kind := []string{"weights", "token ids", "image"}[r.IntN(3)]
		k := usual[slices.IndexFunc(usual, func(k usualKind) bool { return k.name == kind })]
		change := changes[r.IntN(len(changes))]
		if kind != "weights" && change.typ == "int8" {
			continue
		}
		shape := make([]int, 2+r.IntN(3))
		for d := range shape {
			shape[d] = []int{60, 24, 9}[len(shape)-2]/3 + r.IntN([]int{60, 24, 9}[len(shape)-2])
		}
		typ := typeOf(k.typ[0])
		xs := k.draw(r, shape)
		m := moved{ints.Range(len(xs)), shape}.transposed(r.Perm(len(shape)))
		if r.IntN(3) == 0 {
			m = m.flipped(r.IntN(len(shape)))
		}
		a := Values{Bytes: bytesOf(typ, xs), Type: typ, Shape: shape}
		read, to := numbersOf(typ), typ
		if change.typ != "" {
			to = typeOf(change.typ)
		}
		ys := make([]float64, len(m.from))
		for j, i := range m.from {
			if ys[j] = read(a.Bytes[i*typ.ItemSize():][:typ.ItemSize()]); change.do != nil {
				ys[j] = change.do(ys[j])
			}
		}
		p := pair{a: a, b: Values{Bytes: bytesOf(to, ys), Type: to, Shape: m.shape}, from: m.from}
		if v := p.verdict(Find(p.a, p.b, Options{Threads: 1})); v != "found" && v != "ambiguous" {
			missed++
			t.Logf("%s of %v in another order, and %s: %s", kind, shape, change.name, v)
		}
	}
	if missed > 1+n/1000 {
		t.Errorf("%d of %d relations were not found", missed, n)
	}
}
