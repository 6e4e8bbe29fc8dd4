package relate

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/x448/float16"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

const casesVariable = "TLAYOUT_TEST_RELATE_CASES"

// cases returns how many cases a test draws: n in the thorough run, a sixteenth of them by default.
func cases(t *testing.T, variable string, n int) int {
	t.Helper()
	drawn := random.Cases(t, variable, n)
	if os.Getenv(variable) == "" && !random.Thorough() {
		return drawn / 16
	}
	return drawn
}

// unit returns the bytes that byte order reverses together; 1: it does not apply.
func unit(t dtype.Type) int {
	switch {
	case t.Order() == dtype.NoOrder:
		return 1
	case t.Kind() == dtype.Complex:
		return t.ItemSize() / 2
	case t.Kind() == dtype.Text:
		return 4
	}
	return t.ItemSize()
}

// moved is B before its values change: its element j is A's element from[j], or padding where from[j] is −1.
type moved struct {
	from  []int
	shape []int
}

// transposed permutes the dims of B: dim k becomes what dim order[k] was.
func (m moved) transposed(order []int) moved {
	steps := make([]int, len(m.shape))
	step := 1
	for d, n := range slices.Backward(m.shape) {
		steps[d] = step
		step *= n
	}
	out := moved{shape: make([]int, len(order))}
	for k, d := range order {
		out.shape[k] = m.shape[d]
	}
	for j := range m.from {
		at := 0
		for k, n := range slices.Backward(out.shape) {
			at += j % n * steps[order[k]]
			j /= n
		}
		out.from = append(out.from, m.from[at])
	}
	return out
}

// flipped reverses a dim.
func (m moved) flipped(d int) moved {
	out := moved{make([]int, len(m.from)), m.shape}
	inner := ints.Product(m.shape[d+1:])
	n := m.shape[d]
	for j := range m.from {
		i := j / inner % n
		out.from[j] = m.from[j+(n-1-2*i)*inner]
	}
	return out
}

// padded pads a dim to a size.
func (m moved) padded(d, size int) moved {
	out := moved{shape: slices.Clone(m.shape)}
	out.shape[d] = size
	inner := ints.Product(m.shape[d+1:])
	for j := range ints.Product(out.shape) {
		outer, i, rest := j/inner/size, j/inner%size, j%inner
		if i < m.shape[d] {
			out.from = append(out.from, m.from[(outer*m.shape[d]+i)*inner+rest])
		} else {
			out.from = append(out.from, -1)
		}
	}
	return out
}

// blocked cuts a dim into blocks, which become the innermost dim.
func (m moved) blocked(d, block int) moved {
	out := m.padded(d, ints.CeilDiv(m.shape[d], block)*block)
	out.shape = slices.Concat(out.shape[:d], []int{out.shape[d] / block, block}, out.shape[d+1:])
	order := ints.Range(len(out.shape))
	order = append(slices.Delete(order, d+1, d+2), d+1)
	return out.transposed(order)
}

// A move is a mistake: it changes where elements are.
type move struct {
	name string
	make func(r *rand.Rand, m moved) (moved, bool)
}

var orderMoves = []move{
	{"", func(_ *rand.Rand, m moved) (moved, bool) { return m, true }},
	{"permuted", func(r *rand.Rand, m moved) (moved, bool) { return m.transposed(r.Perm(len(m.shape))), true }},
	{"relabeled", func(r *rand.Rand, m moved) (moved, bool) {
		return m.transposed(r.Perm(len(m.shape))), true
	}},
	{"exchanged", func(r *rand.Rand, m moved) (moved, bool) {
		order := ints.Range(len(m.shape))
		a, b := r.IntN(len(order)), r.IntN(len(order))
		order[a], order[b] = order[b], order[a]
		return m.transposed(order), a != b
	}},
	{"fortran", func(r *rand.Rand, m moved) (moved, bool) {
		order := ints.Range(len(m.shape))
		slices.Reverse(order)
		return m.transposed(order), len(order) > 1
	}},
	{"reread", func(r *rand.Rand, m moved) (moved, bool) {
		order := ints.Range(len(m.shape)) // at most one dim elsewhere if there are many
		if len(order) <= 5 {
			order = r.Perm(len(order))
		} else {
			d := r.IntN(len(order))
			order = slices.Insert(slices.Delete(order, d, d+1), r.IntN(len(order)), d)
		}
		read, back := make([]int, len(order)), make([]int, len(order))
		for k, d := range order {
			read[k], back[d] = m.shape[d], k
		}
		return moved{m.from, read}.transposed(back), true
	}},
	{"reversed", func(r *rand.Rand, m moved) (moved, bool) {
		for d := range m.shape {
			m = m.flipped(d)
		}
		return m, true
	}},
	{"flipped", func(r *rand.Rand, m moved) (moved, bool) { return m.flipped(r.IntN(len(m.shape))), true }},
}

// gaps are mistakes that may follow one of another order.
var gaps = []move{
	{"", func(_ *rand.Rand, m moved) (moved, bool) { return m, true }},
	{"", func(_ *rand.Rand, m moved) (moved, bool) { return m, true }},
	{"flip", func(r *rand.Rand, m moved) (moved, bool) { return m.flipped(r.IntN(len(m.shape))), true }},
	{"blocked", func(r *rand.Rand, m moved) (moved, bool) {
		d, block := r.IntN(len(m.shape)), []int{2, 4, 8, 16}[r.IntN(4)]
		return m.blocked(d, block), m.shape[d] > block/2
	}},
	{"pitch", func(r *rand.Rand, m moved) (moved, bool) {
		d := len(m.shape) - 1
		return m.padded(d, m.shape[d]+1+r.IntN(8)), m.shape[d] > 1 && len(m.shape) > 1
	}},
	{"shift", func(r *rand.Rand, m moved) (moved, bool) {
		by := 1 + r.IntN(min(64, len(m.from)/3+1))
		return moved{slices.Concat(slices.Repeat([]int{-1}, by), m.from[:len(m.from)-by]), m.shape}, true
	}},
	{"header", func(r *rand.Rand, m moved) (moved, bool) {
		by := 1 + r.IntN(min(64, len(m.from)/3+1))
		return moved{slices.Concat(slices.Repeat([]int{-1}, by), m.from), []int{by + len(m.from)}}, true
	}},
	{"part", func(r *rand.Rand, m moved) (moved, bool) {
		n := len(m.from)/2 + r.IntN(len(m.from)/2)
		return moved{m.from[:n], []int{n}}, n > 1
	}},
}

var plainTypes = []string{"bool", "int8", "uint8", "<i2", ">u2", "<i4", "<u4", "<i8", "<u8", "float16", "bfloat16", "<f4", ">f4", "<f8",
	"<c8", "<c16", "float8_e4m3fn", "float8_e5m2", "S5", "<U2"}

func typeOf(name string) dtype.Type {
	t, err := dtype.Parse(name)
	if err != nil {
		panic(err)
	}
	return t
}

// encode returns the little-endian bytes of a number; a number that rounding changes is returned as it is read back.
func encode(t dtype.Type, x float64) []byte {
	var raw uint64
	switch size := t.ItemSize(); {
	case t.Kind() == dtype.Bool:
		raw = uint64(min(math.Abs(math.Trunc(x)), 1))
	case t.Kind() == dtype.Int || t.Kind() == dtype.Uint:
		raw = uint64(int64(math.RoundToEven(x)))
	case t.Kind() == dtype.Complex:
		half := map[int]string{8: "<f4", 16: "<f8"}[size]
		return slices.Concat(encode(typeOf(half), x), encode(typeOf(half), math.Sqrt(math.Abs(x))))
	case t.String() == "bfloat16":
		f := math.Float32bits(float32(x))
		raw = uint64((f + 0x7fff + f>>16&1) >> 16)
	case size == 2:
		raw = uint64(float16.Fromfloat32(float32(x)).Bits())
	case size == 4:
		raw = uint64(math.Float32bits(float32(x)))
	case size == 8:
		raw = math.Float64bits(x)
	default:
		raw = hash(math.Float64bits(x)) >> 57 // float8, without a sign
	}
	return binary.LittleEndian.AppendUint64(nil, raw)[:t.ItemSize()]
}

// sampleOf draws n numbers: of many, few, smooth or mostly zero.
func sampleOf(r *rand.Rand, n int, t dtype.Type) (xs []float64, how string) {
	spread := 1.0
	if t.Kind() == dtype.Int || t.Kind() == dtype.Uint {
		spread = math.Ldexp(1, min(8*t.ItemSize()-1, 30)-2)
	}
	how = []string{"many", "many", "many", "few", "smooth", "sparse"}[r.IntN(6)]
	palette := make([]float64, 3+r.IntN(14))
	for k := range palette {
		palette[k] = r.NormFloat64() * spread / 2
	}
	width := 3 + r.IntN(40)
	for i := range n {
		x := r.NormFloat64() * spread / 2
		switch how {
		case "few":
			x = palette[r.IntN(len(palette))]
		case "smooth":
			x = spread * (math.Sin(float64(i%width)/9) + float64(i/width)/50 + r.Float64()/20) / 2
		case "sparse":
			if r.IntN(10) < 8 {
				x = 0
			}
		}
		x = max(-spread, min(spread, x))
		if t.Kind() == dtype.Uint {
			x = math.Abs(x)
		}
		xs = append(xs, x)
	}
	return xs, how
}

func bytesOf(t dtype.Type, xs []float64) []byte {
	var data []byte
	for _, x := range xs {
		if t.Kind() == dtype.Bytes || t.Kind() == dtype.Text {
			item := make([]byte, t.ItemSize())
			for k := 0; k < len(item); k += map[dtype.Kind]int{dtype.Bytes: 1, dtype.Text: 4}[t.Kind()] {
				item[k] = byte('a' + hash(math.Float64bits(x)+uint64(k))%20)
			}
			data = append(data, item...)
			continue
		}
		data = append(data, encode(t.LittleEndian(), x)...)
	}
	if swap := dtype.LittleEndian(t); swap != nil {
		swap(data)
	}
	return data
}

// numbersOf returns a function that reads a real number.
func numbersOf(t dtype.Type) func(item []byte) float64 {
	word := valueOf(t, false)
	return func(item []byte) float64 { return math.Float64frombits(word(item)) }
}

// pair is a random case.
type pair struct {
	a, b  Values
	from  []int
	names []string // of the mistakes
	how   string
	noise float64
}

func (p pair) String() string {
	return fmt.Sprintf("%s of %s %v (%s, %.0f%% unmatched): %s %v", strings.Join(p.names, " and "), p.a.Type, p.a.Shape, p.how, 100*p.noise,
		p.b.Type, p.b.Shape)
}

// randomPair draws a tensor and up to two mistakes.
func randomPair(r *rand.Rand) (p pair) {
	for {
		shape := make([]int, 1+r.IntN(6))
		for d := range shape {
			shape[d] = 1 + r.IntN([]int{3000, 60, 20, 11, 7, 6}[len(shape)-1])
		}
		n := ints.Product(shape)
		if n < 8 || n > 6000 {
			continue
		}
		m := moved{ints.Range(n), shape}
		var ok1, ok2 bool
		first, second := orderMoves[r.IntN(len(orderMoves))], gaps[r.IntN(len(gaps))]
		m, ok1 = first.make(r, m)
		if m, ok2 = second.make(r, m); !ok1 || !ok2 || len(m.from) < 2 {
			continue
		}
		if first.name != "permuted" && len(m.from) == n {
			m.shape = shape // the label of A
		}
		p = pair{from: m.from, names: slices.DeleteFunc([]string{first.name, second.name}, func(s string) bool { return s == "" })}
		t := typeOf(plainTypes[r.IntN(len(plainTypes))])
		xs, how := sampleOf(r, n, t)
		p.how = how
		p.a = Values{Bytes: bytesOf(t, xs), Type: t, Shape: shape}
		p.noise = []float64{0, 0, 0.02, 0.08}[r.IntN(4)]
		p.change(r, m, xs, len(p.names) < 2)
		return p
	}
}

// change makes B of A's values: as they are, or with a mistake of values.
func (p *pair) change(r *rand.Rand, m moved, xs []float64, may bool) {
	t := p.a.Type
	ys, other := slices.Clone(xs), t
	number := dtype.IsNumber(t) && t.Kind() != dtype.Complex && t.Kind() != dtype.Bool && t.ItemSize() > 0 && !strings.HasPrefix(t.String(), "float8")
	what := r.IntN(6)
	swapped := false
	switch {
	case !may:
	case what == 0 && unit(t) > 1 && p.how != "few":
		swapped = true
		p.names = append(p.names, "byte order")
	case what == 1 && number:
		other = typeOf(map[string]string{"int8": "<i4", "uint8": "<f4", "int16": "<i8", "uint16": "<f8", "int32": "<i8", "uint32": "<i8",
			"int64": "<i4", "uint64": "<f8", "float16": "<f4", "bfloat16": "<f4", "float32": []string{"float16", "<f8", "bfloat16"}[r.IntN(3)],
			"float64": []string{"<f4", "float16"}[r.IntN(2)]}[t.String()])
		read := numbersOf(t) // what A's elements are after its own rounding
		for i := range ys {
			ys[i] = read(p.a.Bytes[i*t.ItemSize() : (i+1)*t.ItemSize()])
		}
		p.names = append(p.names, "dtype")
	case what == 2 && number:
		factor, offset := []float64{1.0 / 255, 2, -1, 0.3, 100}[r.IntN(5)], []float64{0, 0, 1, -0.5}[r.IntN(4)]
		if t.Kind() != dtype.Float {
			other = typeOf("<f4")
		}
		read := numbersOf(t)
		for i := range ys {
			x := read(p.a.Bytes[i*t.ItemSize() : (i+1)*t.ItemSize()])
			ys[i] = factor*x + offset
		}
		p.names = append(p.names, "scale")
	}
	if len(p.names) == 0 {
		p.names = []string{"none"}
	}
	var zs []float64
	unmatched := 0 // at most a tenth
	fresh, _ := sampleOf(r, len(m.from), t)
	for j, i := range m.from {
		switch {
		case i < 0 && slices.Contains(p.names, "pitch"), i < 0 && slices.Contains(p.names, "blocked"):
			zs = append(zs, 0)
		case i < 0:
			zs = append(zs, fresh[j])
		case r.Float64() < p.noise && 10*(unmatched+1) <= len(xs)*9/10 && 10*(unmatched+1) <= len(m.from):
			unmatched++
			zs = append(zs, fresh[j])
		default:
			zs = append(zs, ys[i])
		}
	}
	data := bytesOf(other, zs)
	if swapped {
		for k := 0; k < len(data); k += unit(other) {
			slices.Reverse(data[k : k+unit(other)])
		}
	}
	p.b = Values{Bytes: data, Type: other, Shape: m.shape}
}

// verdict compares what was found with what was made.
func (p pair) verdict(rel *Relation) string {
	if rel == nil {
		return "none"
	}
	if rel.Kind == Shuffled {
		return "shuffled"
	}
	m, ok := newNest(rel.Skip, rel.Base, rel.Loops, len(p.a.Bytes)/p.a.Type.ItemSize())
	if !ok {
		return "wrong"
	}
	for j, want := range p.from {
		i, in := m.at(j)
		if in && i != want || !in && want >= 0 {
			if rel.Ambiguous {
				return "ambiguous"
			}
			return "wrong"
		}
	}
	return "found"
}

// TestRandomMistakes: the map that is found is the one that was made, as a function, or ambiguity is said. Smooth data
// may be periodic, so that another map explains them too.
func TestRandomMistakes(t *testing.T) {
	r := random.New(t)
	counts, found, wrong := map[string]map[string]int{}, 0, 0
	n := cases(t, casesVariable, 400)
	for range n {
		p := randomPair(r)
		rel := Find(p.a, p.b, Options{Threads: 1})
		v := p.verdict(rel)
		name := strings.Join(p.names, "+")
		if counts[name] == nil {
			counts[name] = map[string]int{}
		}
		counts[name][v]++
		if v == "found" || v == "ambiguous" {
			found++
		}
		if v == "wrong" || v == "none" || v == "shuffled" {
			t.Logf("%s: %s\n%+v", v, p, rel)
		}
		if v == "wrong" {
			wrong++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%-24s %v", name, counts[name])
	}
	if t.Logf("%d of %d, %d wrong", found, n, wrong); 10*(n-found) > n+30 || 1000*wrong > n {
		t.Error("more than 10 % and three were not found, or more than 0.1 % wrong")
	}
}

// TestUnrelated: tensors of independent values have no relation, whatever their shapes and types; nor has one in random order, but that its
// elements are the same.
func TestUnrelated(t *testing.T) {
	r := random.New(t)
	stories := 0
	n := cases(t, casesVariable, 100)
	for range n {
		p := randomPair(r)
		typ := p.b.Type
		xs, how := sampleOf(r, ints.Product(p.b.Shape), typ)
		p.b.Bytes = bytesOf(typ, xs)
		rel := Find(p.a, p.b, Options{Threads: 1})
		sameSignal := p.how == "smooth" && how == p.how && rel != nil && rel.Tolerance != nil && slices.IsSorted(rel.Order)
		if rel != nil && !sameSignal { // of one width, with noise of their own
			stories++
			t.Logf("%s %v (%s) and %s %v (%s): %+v %+v", p.a.Type, p.a.Shape, p.how, typ, p.b.Shape, how, rel, rel.Tolerance)
		}
		size := typ.ItemSize()
		shuffled := Values{slices.Clone(p.b.Bytes), typ, p.b.Shape, nil}
		r.Shuffle(len(xs), func(i, j int) {
			for k := range size {
				x, y := &shuffled.Bytes[i*size+k], &shuffled.Bytes[j*size+k]
				*x, *y = *y, *x
			}
		})
		if rel := Find(p.b, shuffled, Options{Threads: 1}); rel != nil && rel.Kind != Shuffled {
			stories++
			t.Logf("%s %v (%s), shuffled: %+v", typ, p.b.Shape, how, rel)
		}
	}
	t.Logf("%d stories of %d pairs", stories, 2*n)
	if stories > 0 {
		t.Error("a story of unrelated tensors")
	}
}
