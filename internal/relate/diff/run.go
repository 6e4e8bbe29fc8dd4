package diff

import (
	"cmp"
	"runtime"
	"slices"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Side is one of the two tensors.
type Side struct {
	Layout tensor.Layout
	DType  dtype.Type
	Data   []byte        // the layout's storage
	Pages  convert.Pages // pages of Data; nil if not mapped
}

// Options configure how two tensors are compared.
type Options struct {
	Limit int  // number of elements to name
	Brief bool // stop at the first difference: Result then only says that there is one
	// Convert configures how tiles are gathered: kernels, threads, progress callback, and the guard of both sides.
	Convert convert.Options
	// tile is the size of tiles in bytes; tests make it small.
	tile int
}

// Result is the outcome of a comparison. Elements are named by their index in logical order, the last dim fastest.
type Result struct {
	Differing int   // elements
	First     []int // the smallest indices of elements that differ, rising
	// Apart is the largest finite |a − b| of the elements that differ, or of all if none does, under a numeric rule. ApartAt
	// is the smallest index of an element with that distance.
	Apart     float64
	ApartAt   int
	NotFinite int // differing elements without such a distance: one of the two is NaN or infinite
}

// Run compares every element of a with the element of b at the same coordinate. The dims of both are in the same order.
//
// Post: Differing is the number of coordinates c with not same(a.At(c), b.At(c)), independent of other storage contents.
//
// It fails with Usage if shapes differ, types are not comparable under the rule, or a layout exceeds its storage, and with Unsupported
// where convert.NewPlan does.
func Run(a, b Side, rule Rule, o Options) (Result, error) {
	compared, err := check(a, b, rule)
	if err != nil {
		return Result{}, err
	}
	if noBytes := max(a.DType.ItemSize(), b.DType.ItemSize()) == 0; noBytes || a.Layout.Numel() == 0 { // all elements are equal
		return Result{}, nil
	}
	opts := o.Convert
	opts.Threads = min(cmp.Or(opts.Threads, runtime.GOMAXPROCS(0)), maxThreads)
	order := orderOf(a.Layout, b.Layout)
	sides, err := order.readings(a, b)
	if err != nil {
		return Result{}, err
	}
	workers := make([]*worker, opts.Threads)
	err = convert.Meet(sides[0], sides[1], cmp.Or(o.tile, tileBytes), opts, func(thread int) func(at, n int, x, y []byte) error {
		workers[thread] = &worker{comparison: compared, rule: rule, order: &order, brief: o.Brief, found: found{first: smallest{limit: o.Limit}},
			a: scratch{item: a.DType.ItemSize()}, b: scratch{item: b.DType.ItemSize()}}
		return workers[thread].run
	})
	if err != nil {
		return Result{}, err
	}
	return order.all(merged(workers, o.Limit), o.Limit), nil
}

// tileBytes is the size of tiles: those of both sides fit in a core's own cache together.
const tileBytes = 256 << 10

// maxThreads bounds the memory for tiles: each thread has one per side.
const maxThreads = 32

// Work returns how many bytes of both sides Run compares; elements that repeat on both, because both broadcast a dim, count once. The
// shapes must be equal.
func Work(a, b Side) int64 {
	order := orderOf(a.Layout, b.Layout)
	return int64(order.elems()) * int64(a.DType.ItemSize()+b.DType.ItemSize())
}

func check(a, b Side, rule Rule) (comparison, error) {
	for _, s := range []Side{a, b} {
		if size := s.DType.ItemSize(); !s.Layout.InBounds() || size > 0 && len(s.Data)/size < s.Layout.Alloc() {
			return comparison{}, fault.New(fault.Usage, "layout %s exceeds its storage of %d bytes", s.Layout, len(s.Data))
		}
	}
	if !slices.Equal(a.Layout.Shape(), b.Layout.Shape()) {
		return comparison{}, fault.New(fault.Usage, "shapes differ: %s and %s",
			tensor.Tuple(a.Layout.Shape()), tensor.Tuple(b.Layout.Shape()))
	}
	compared, ok := rule.compare(a.DType, b.DType)
	if !ok {
		return comparison{}, fault.New(fault.Usage, "cannot compare %s with %s", a.DType, b.DType)
	}
	return compared, nil
}

// Aligned returns b with its dims in the order of a's. byName means that both have the same names; otherwise dims are matched by position.
func Aligned(a, b tensor.Layout) (l tensor.Layout, byName bool) {
	names := b.Names()
	dims := make([]tensor.Dim, a.Rank())
	if slices.Equal(a.Names(), names) {
		return b, true
	}
	if a.Rank() != b.Rank() {
		return b, false
	}
	for i, name := range a.Names() {
		at := slices.Index(names, name)
		if at < 0 {
			return b, false
		}
		dims[i] = b.Dim(at)
	}
	l, err := b.With(dims, b.Offset(), b.Alloc())
	return l, err == nil
}

// Coord returns the coordinate of the element with an index in logical order.
func Coord(l tensor.Layout, index int) []int {
	coord := make([]int, l.Rank())
	for i := l.Rank() - 1; i >= 0; i-- {
		size := l.Dim(i).Size
		coord[i] = index % size
		index /= size
	}
	return coord
}
