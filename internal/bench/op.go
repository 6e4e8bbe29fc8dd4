package bench

import (
	"math"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// op is an operation over a tensor that lies in some layout.
//
// It visits the elements in the order of its pattern, whatever the layout: Channel operations load a pixel's channels,
// Spatial ones a row of a plane, into a short vector that stays near, and compute on that. Results are dense, row by
// row, in the logical order of their dims, so that only the reading depends on the layout:
//
//	sum, argmax [N,D,H,W]   conv1x1 [N,D,H,W,K]   meanvar [C,2]   maxpool [N,C,D,H/2,W/2]   depthwise [N,C,D,H,W]
//
// N and D may be missing. D is treated like further images.
type op interface {
	// run makes one pass over the tensor's storage. It allocates nothing.
	run(src []byte)
	// clear overwrites the results, so that check finds what the next run leaves out.
	clear()
	// check compares all results of the last run with the reference, exactly.
	check(want reference) error
}

// outputs is where results go. One does for all operations, which run one after the other.
type outputs struct {
	f32 []float32
	f64 []float64
}

// newOp fails where suits does.
func newOp(p Pattern, l tensor.Layout, it item, out *outputs) (op, error) {
	if err := suits(p, l, it); err != nil {
		return nil, err
	}
	m := newMoves(l, it.size)
	if it.size == 8 {
		return newOperation(p, m, gatherFloat64, &out.f64), nil
	}
	return newOperation(p, m, narrowGathers[it.dtype.String()], &out.f32), nil
}

// scan fills out, which holds exactly the results.
type scan[F float] interface {
	run(out []F, src []byte)
}

// operation is the op of a scan.
type operation[F float] struct {
	scan    scan[F]
	pattern Pattern
	results int
	out     *[]F // of at least as many
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
		return newPixels(m, load, Filters, newConv1x1[F](len(m.c)).pixel), images * pixels * Filters
	case MeanVar:
		return newMeanVar(m, load), len(m.c) * 2
	case MaxPool:
		return newMaxPool(m, load), images * len(m.c) * (len(m.h) / 2) * (len(m.w) / 2)
	case Depthwise:
		return newDepthwise(m, load), images * len(m.c) * pixels
	}
	panic("bench: " + string(p) + " is no operation")
}

func (o *operation[F]) run(src []byte) { o.scan.run((*o.out)[:o.results], src) }

func (o *operation[F]) clear() {
	for i := range (*o.out)[:o.results] {
		(*o.out)[i] = F(math.NaN())
	}
}

func (o *operation[F]) check(want reference) error {
	if len(want.values) != o.results {
		return fault.New(fault.Resource, "%s has %d results, its definition %d", o.pattern, o.results, len(want.values))
	}
	for i, got := range (*o.out)[:o.results] {
		if right := F(want.values[i]); got != right {
			return fault.New(fault.Resource, "%s%s is %v, by its definition %v", o.pattern, want.at(i), got, right)
		}
	}
	return nil
}
