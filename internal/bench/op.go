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
// It visits the elements in the order of its pattern, whatever the layout: Channel operations load a pixel's channels,
// Spatial ones a row of a plane, into a short vector that stays in L1, and compute on that. Results are dense and row-major
// in the logical order of their dims, so that only the reads depend on the layout:
//
//	sum, argmax [N,D,H,W]   conv1x1 [N,D,H,W,K]   meanvar [C,2]   maxpool [N,C,D,H/2,W/2]   depthwise [N,C,D,H,W]
//
// N and D may be missing. D counts as further images.
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

// scan computes the results into out, which has their exact length.
type scan[F float] interface {
	run(out []F, src []byte)
}

// operation is the op of a scan.
type operation[F float] struct {
	scan    scan[F]
	pattern Pattern
	results int
	out     *[]F // at least results long
}

func newOperation[F float](p Pattern, m moves, load gather[F], out *[]F) op {
	o := &operation[F]{pattern: p, out: out}
	o.scan, o.results = newScan(p, m, load)
	if len(*out) < o.results {
		*out = make([]F, o.results)
	}
	return o
}

// newScan returns the pattern's scan and its number of results.
func newScan[F float](p Pattern, m moves, load gather[F]) (scan[F], int) {
	images, pixels := len(m.n)*len(m.d), len(m.h)*len(m.w)
	switch p {
	case Sum:
		return newPixels(m, load, 1, sum[F]), images * pixels
	case ArgMax:
		return newPixels(m, load, 1, argMax[F]), images * pixels
	case Conv1x1:
		return newPixels(m, load, filters, newConv1x1[F](len(m.c)).pixel), images * pixels * filters
	case MeanVar:
		return newMeanVar(m, load), len(m.c) * 2
	case MaxPool:
		return newMaxPool(m, load), images * len(m.c) * (len(m.h) / 2) * (len(m.w) / 2)
	case Depthwise:
		return newDepthwise(m, load), images * len(m.c) * pixels
	}
	panic("bench: " + string(p) + " is not an operation")
}

func (o *operation[F]) run(src []byte) { o.scan.run((*o.out)[:o.results], src) }

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

// moves lists, for every dim, the byte offset that each index adds. A missing dim has only index 0. The layout's offset is
// part of n.
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

// gatherBfloat16 uses that a bfloat16 is the upper half of a float32.
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
