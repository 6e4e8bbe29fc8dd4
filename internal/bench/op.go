package bench

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/x448/float16"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// op is an operation over a tensor in some layout.
//
// It visits the elements in the order of its pattern, whatever the layout: Sum loads a pixel's channels, Depthwise a row of a
// plane, into a short vector that stays in L1, and computes on that. Results are dense and row-major in the logical order of
// their dims, so that only the reads depend on the layout: [N,D,H,W] of Sum, [N,C,D,H,W] of Depthwise. N and D may be missing.
// D counts as further images.
type op interface {
	// run makes one pass over the tensor's storage. It allocates nothing.
	run(src []byte)
	// clear overwrites the results, so that check finds what the next run omits.
	clear()
	// check compares all results of the last run with the reference, bit by bit.
	check(want reference) error
}

// outputs holds results. Operations run one at a time and share it.
type outputs struct {
	f32 []float32
	f64 []float64
}

// newOp fails if suits does.
func newOp(p Pattern, l tensor.Layout, enc encoding, out *outputs) (op, error) {
	if err := suits(p, l, enc); err != nil {
		return nil, err
	}
	m := newMoves(l, enc.size)
	if enc.size == 8 {
		return newOperation(p, m, gatherFloat64, &out.f64), nil
	}
	return newOperation(p, m, narrowGathers[enc.dtype.String()], &out.f32), nil
}

// operation is the op of a scan, which computes the results into out, of their exact length.
type operation[F float] struct {
	scan    func(out []F, src []byte)
	pattern Pattern
	results int
	out     *[]F // at least results long
}

func newOperation[F float](p Pattern, m moves, load gather[F], out *[]F) op {
	o := &operation[F]{pattern: p, out: out, results: len(m.n) * len(m.d) * len(m.h) * len(m.w)}
	if p == Sum {
		o.scan = newSums(m, load).run
	} else {
		o.scan, o.results = newDepthwise(m, load).run, o.results*len(m.c)
	}
	if len(*out) < o.results {
		*out = make([]F, o.results)
	}
	return o
}

func (o *operation[F]) run(src []byte) { o.scan((*o.out)[:o.results], src) }

func (o *operation[F]) clear() {
	for i := range (*o.out)[:o.results] {
		(*o.out)[i] = F(math.NaN())
	}
}

func (o *operation[F]) check(want reference) error {
	if len(want.values) != o.results {
		return fault.New(fault.Resource, "%s has %d results, want %d", o.pattern, o.results, len(want.values))
	}
	for i, got := range (*o.out)[:o.results] {
		if right := F(want.values[i]); got != right {
			return fault.New(fault.Resource, "%s%s is %v, want %v", o.pattern, want.at(i), got, right)
		}
	}
	return nil
}

// sums adds up every pixel's channels.
type sums[F float] struct {
	moves
	load     gather[F]
	channels []F // one pixel
}

func newSums[F float](m moves, load gather[F]) *sums[F] {
	return &sums[F]{m, load, make([]F, len(m.c))}
}

func (s *sums[F]) run(out []F, src []byte) {
	for _, n := range s.n {
		for _, d := range s.d {
			for _, h := range s.h {
				for _, w := range s.w {
					s.load(s.channels, src, n+d+h+w, s.c)
					out[0] = sum(s.channels)
					out = out[1:]
				}
			}
		}
	}
}

// sum adds in four chains, so that additions do not wait for each other.
func sum[F float](channels []F) F {
	var a, b, c, d F
	for ; len(channels) >= 4; channels = channels[4:] {
		a += channels[0]
		b += channels[1]
		c += channels[2]
		d += channels[3]
	}
	for _, x := range channels {
		a += x
	}
	return a + b + c + d
}

// depthwise holds the three rows around a row of results, with a zero before and after each.
type depthwise[F float] struct {
	moves
	load               gather[F]
	weights            []window[F] // per channel
	above, here, below []F
}

// window holds weight i, j at 3·i + j.
type window[F float] [9]F

func newDepthwise[F float](m moves, load gather[F]) *depthwise[F] {
	width := len(m.w) + 2
	k := &depthwise[F]{m, load, make([]window[F], len(m.c)), make([]F, width), make([]F, width), make([]F, width)}
	for c := range k.weights {
		for i := range k.weights[c] {
			k.weights[c][i] = F(weight(9*c + i))
		}
	}
	return k
}

func (k *depthwise[F]) run(out []F, src []byte) {
	for _, n := range k.n {
		for i, c := range k.c {
			for _, d := range k.d {
				k.plane(out, src, n+c+d, &k.weights[i])
				out = out[len(k.h)*len(k.w):]
			}
		}
	}
}

// plane loads each row once and keeps it for the three rows of results that use it.
func (k *depthwise[F]) plane(out []F, src []byte, at int, weights *window[F]) {
	clear(k.here)
	k.loadRow(src, at, 0)
	for h := range k.h {
		k.above, k.here, k.below = k.here, k.below, k.above
		k.loadRow(src, at, h+1)
		weights.row(out[:len(k.w)], k.above, k.here, k.below)
		out = out[len(k.w):]
	}
}

// loadRow loads row h of the plane into below, zeros past the last row.
func (k *depthwise[F]) loadRow(src []byte, at, h int) {
	if h < len(k.h) {
		k.load(k.below[1:], src, at+k.h[h], k.w)
	} else {
		clear(k.below)
	}
}

// row: out[x] = Σ over j of w[j]·above[x+j] + w[3+j]·here[x+j] + w[6+j]·below[x+j]. Rows are longer than out by two.
func (w *window[F]) row(out, above, here, below []F) {
	n := len(out)
	a0, a1, a2 := above[:n], above[1:][:n], above[2:][:n]
	h0, h1, h2 := here[:n], here[1:][:n], here[2:][:n]
	b0, b1, b2 := below[:n], below[1:][:n], below[2:][:n]
	for x := range out {
		above := w[0]*a0[x] + w[1]*a1[x] + w[2]*a2[x]
		here := w[3]*h0[x] + w[4]*h1[x] + w[5]*h2[x]
		below := w[6]*b0[x] + w[7]*b1[x] + w[8]*b2[x]
		out[x] = above + here + below
	}
}

// moves lists, for every dim, the byte offset that each index adds. A missing dim has only index 0. The layout's offset is included in n.
type moves struct{ n, c, d, h, w []int }

func newMoves(l tensor.Layout, itemSize int) moves {
	m := moves{n: []int{0}, c: []int{0}, d: []int{0}, h: []int{0}, w: []int{0}}
	tables := []*[]int{&m.n, &m.c, &m.d, &m.h, &m.w}
	for i := range l.Rank() {
		d := l.Dim(i)
		*tables[slices.Index(opDims, d.Name)] = byteMoves(d, itemSize)
	}
	for k := range m.n {
		m.n[k] += l.Offset() * itemSize
	}
	return m
}

// float is the type in which an operation computes.
type float interface{ float32 | float64 }

// gather loads elements of a type from any offsets:
//
//	dst[i] = src[at + moves[i]]
//
// at and moves are bytes; dst is at least as long as moves.
type gather[F float] func(dst []F, src []byte, at int, moves []int)

// loads fails with Unsupported for types without a gather.
func loads(enc encoding) error {
	name := enc.dtype.String()
	if narrowGathers[name] == nil && name != "float64" || enc.dtype.Order() == dtype.Big {
		return fault.New(fault.Unsupported, "operations do not support %s (%s)", name, enc.dtype.Typestr()).
			WithHint("they support little-endian float16, bfloat16, float32 and float64, and uint8; walks support every type")
	}
	return nil
}

// narrowGathers load the types that operations compute in float32.
var narrowGathers = map[string]gather[float32]{
	"float16": gatherFloat16, "bfloat16": gatherBfloat16, "float32": gatherFloat32, "uint8": gatherUint8,
}

func gatherFloat64(dst []float64, src []byte, at int, moves []int) {
	dst = dst[:len(moves)]
	for i, m := range moves {
		p := at + m
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(src[p : p+8]))
	}
}

func gatherFloat32(dst []float32, src []byte, at int, moves []int) {
	dst = dst[:len(moves)]
	for i, m := range moves {
		p := at + m
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[p : p+4]))
	}
}

func gatherFloat16(dst []float32, src []byte, at int, moves []int) {
	dst = dst[:len(moves)]
	for i, m := range moves {
		p := at + m
		dst[i] = float16.Frombits(binary.LittleEndian.Uint16(src[p : p+2])).Float32()
	}
}

// gatherBfloat16 relies on a bfloat16 being the upper half of a float32.
func gatherBfloat16(dst []float32, src []byte, at int, moves []int) {
	dst = dst[:len(moves)]
	for i, m := range moves {
		p := at + m
		dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(src[p:p+2])) << 16)
	}
}

func gatherUint8(dst []float32, src []byte, at int, moves []int) {
	dst = dst[:len(moves)]
	for i, m := range moves {
		dst[i] = float32(src[at+m])
	}
}
