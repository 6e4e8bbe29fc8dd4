package diff

import (
	"bytes"
	"cmp"
	"runtime"
	"slices"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Side is one of the two tensors.
type Side struct {
	Layout tensor.Layout
	DType  dtype.Type
	Data   []byte // the layout's storage
	// Guard wraps what reads Data, in the goroutine that reads it; nil if nothing can go wrong.
	Guard func(func() error) error
	// Release is called for bytes [from, to) of Data that are not needed any more; nil if nothing is to be done.
	Release func(from, to int)
}

// Options configure how two tensors are compared.
type Options struct {
	Limit int  // how many elements to name
	Brief bool // stop at the first element found to differ: Result then says only that there is one
	// Convert configures how tiles are gathered: kernels, threads and progress callback.
	Convert convert.Options
	// tile is the size of tiles in bytes; tests make it small.
	tile int
}

// Result is what was found. Elements are named by their index in logical order, the last dim fastest.
type Result struct {
	Differing int   // elements
	First     []int // the smallest indices of elements that differ, rising
	// Apart is the largest finite |a − b| of the elements that differ, or of all if none does, under a numeric rule. ApartAt
	// is the smallest index of an element with that distance.
	Apart     float64
	ApartAt   int
	NotFinite int // differing elements without such a distance: one of the two is NaN or infinite
}

// Run compares every element of a with that of b at the same coordinate. The dims of both are in the same order.
//
// Post: Differing is the number of coordinates c with not same(a.At(c), b.At(c)), whatever else the storages hold.
//
// It fails with Usage if shapes differ, types cannot be compared under the rule, or a layout leaves its storage.
func Run(a, b Side, rule Rule, o Options) (Result, error) {
	compared, err := check(a, b, rule)
	if err != nil || a.Layout.Numel() == 0 || a.DType.ItemSize() == 0 && b.DType.ItemSize() == 0 { // elements without bytes are equal
		return Result{}, err
	}
	a.Guard, b.Guard = guardOf(a), guardOf(b)
	guard := func(f func() error) error {
		return a.Guard(func() error { return b.Guard(f) })
	}
	if x, y, ok := oneRun(a, b); ok && compared.stored && len(x) <= cmp.Or(o.tile, tileBytes) {
		equal := false
		if err := guard(func() error { equal = bytes.Equal(x, y); return nil }); err != nil || equal {
			return Result{}, err
		}
	}
	again := repeatsOf(a.Layout, b.Layout)
	for _, s := range []*Side{&a, &b} {
		if s.Layout, err = again.first(s.Layout); err != nil {
			return Result{}, err
		}
	}
	t := newTiling(a, b, cmp.Or(o.tile, tileBytes))
	threads := min(threadsOf(o), t.count(), maxThreads)
	workers := make([]*worker, threads)
	err = convert.Parallel(threads, t.count(), guard, func(i int) func(int) error {
		workers[i] = newWorker(t, a, b, compared, rule, o)
		return func(k int) error { return workers[i].tile(t.at(k)) }
	})
	if err != nil {
		return Result{}, err
	}
	return again.all(merged(workers, o.Limit), o.Limit), nil
}

// oneRun returns the elements of both sides, if these are the same elements in the same order of memory, without gaps: so are most
// tensors of two checkpoints, and a tiling of each takes longer than to compare a few bytes.
func oneRun(a, b Side) (x, y []byte, ok bool) {
	s, plain := a.Layout.Strided()
	t, alsoPlain := b.Layout.Strided()
	if !plain || !alsoPlain || !a.Layout.Packed() || !b.Layout.Packed() {
		return nil, nil, false
	}
	for d, size := range s.Shape {
		if size > 1 && s.Strides[d] != t.Strides[d] {
			return nil, nil, false
		}
	}
	return a.run(), b.run(), true
}

// run is the bytes from the lowest element to the highest.
func (s Side) run() []byte {
	low, high, _ := s.Layout.Span()
	size := s.DType.ItemSize()
	return s.Data[low*size : (high+1)*size]
}

// Work is how many bytes of both sides Run compares: those of elements that repeat on both, because both broadcast a dim, count
// once. The shapes must be the same.
func Work(a, b Side) int64 {
	once := int64(ints.Product(repeatsOf(a.Layout, b.Layout).once))
	return once * int64(a.DType.ItemSize()+b.DType.ItemSize())
}

func guardOf(s Side) func(func() error) error {
	if s.Guard != nil {
		return s.Guard
	}
	return func(f func() error) error { return f() }
}

// maxThreads bounds the memory that tiles take: each thread has one for each side.
const maxThreads = 32

func threadsOf(o Options) int {
	if o.Convert.Threads > 0 {
		return o.Convert.Threads
	}
	return runtime.GOMAXPROCS(0)
}

func check(a, b Side, rule Rule) (comparison, error) {
	for _, s := range []Side{a, b} {
		if size := s.DType.ItemSize(); !s.Layout.InBounds() || size > 0 && len(s.Data)/size < s.Layout.Alloc() {
			return comparison{}, fault.New(fault.Usage, "layout %s leaves its storage of %d bytes", s.Layout, len(s.Data))
		}
	}
	if !SameShape(a.Layout, b.Layout) {
		return comparison{}, fault.New(fault.Usage, "shapes differ: %s and %s",
			tensor.Tuple(a.Layout.Shape()), tensor.Tuple(b.Layout.Shape()))
	}
	compared, ok := rule.compare(a.DType, b.DType)
	if !ok {
		return comparison{}, fault.New(fault.Usage, "%s and %s cannot be compared", a.DType, b.DType)
	}
	return compared, nil
}

// Aligned returns b with its dims in the order of a's, and whether they were matched by name: they are if both have the same
// names, and otherwise by position.
func Aligned(a, b tensor.Layout) (l tensor.Layout, byName bool) {
	names := a.Names()
	if slices.Equal(names, b.Names()) {
		return b, true
	}
	if !sameSet(names, b.Names()) {
		return b, false
	}
	dims := make([]tensor.Dim, len(names))
	for i, name := range names {
		dims[i] = b.Dim(slices.Index(b.Names(), name))
	}
	l, err := b.With(dims, b.Offset(), b.Alloc())
	if err != nil {
		panic(err) // the same dims were a layout before
	}
	return l, true
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// SameShape reports whether both have the same sizes, dim by dim in their order.
func SameShape(a, b tensor.Layout) bool { return slices.Equal(a.Shape(), b.Shape()) }

// Coord returns the coordinate of the element with that index in logical order.
func Coord(l tensor.Layout, index int) []int {
	coord := make([]int, l.Rank())
	for i := l.Rank() - 1; i >= 0; i-- {
		size := l.Dim(i).Size
		coord[i] = index % size
		index /= size
	}
	return coord
}
