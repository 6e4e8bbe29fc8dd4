package pairing

import (
	"slices"
	"sync"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/relate/diff"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Cut is a tensor as rows: its slices along a dim. Of three dims, as experts have them, and of few vectors, each outermost slice is cut as a tensor of
// its own, too.
type Cut struct {
	Item  int // number of the tensor
	Outer int // of an outermost slice, which lacks the dim, or Entire
	Dim   int // Entire: all is one row
}

const (
	Entire = -1

	maxLost       = 10      // of so many numbers, one may be too small for another type
	maxOuter      = 4096    // outermost slices of three dims that are cut, as of experts
	maxOuterOfTwo = 8       // and of two dims, as of two biases in one
	maxProbes     = 1 << 20 // rows of targets that are looked for among those of sources, of all of them together
	minProbes     = 16      // of each cut
)

// dense is the elements of a tensor in row-major order.
type dense struct {
	relate.Values
	item int
}

// read returns the elements of a tensor; they must be read within its Guard.
func (s Side) read(item int, t *source.Tensor) (dense, error) {
	x, err := Whole(t).rows(s.Convert)
	return dense{x, item}, err
}

// as returns the elements rounded to another type of floats; ok is false if they are not floats, too large to be copied, or mostly too small for the
// type: zeros of rounded numbers say nothing.
func (x dense) as(t dtype.Type) (y dense, ok bool) {
	if isOfType(x.Type, t) {
		return x, true
	}
	t = t.LittleEndian()
	read, readable := dtype.Float64(x.Type)
	back, _ := dtype.Float64(t)
	write, writable := dtype.FromFloat64(t)
	areFloats := x.Type.Kind() == dtype.Float && t.Kind() == dtype.Float
	size := x.Type.ItemSize()
	n := len(x.Bytes) / max(1, size)
	if !readable || !writable || !areFloats {
		return y, false
	}
	if n*t.ItemSize() > diff.MaxDense {
		return y, false
	}
	y = x
	y.Type = t
	y.Bytes = make([]byte, n*t.ItemSize())
	swap := dtype.LittleEndian(x.Type)
	item := make([]byte, size)
	lost := 0
	for k := range n {
		copy(item, x.Bytes[k*size:])
		if swap != nil {
			swap(item)
		}
		number := read(item)
		rounded := y.Bytes[k*t.ItemSize():][:t.ItemSize()]
		write(rounded, number)
		if number != 0 && back(rounded) == 0 {
			lost++
		}
	}
	return y, lost*maxLost <= n
}

// cuts returns the ways to cut a tensor, without that into one row.
func (x dense) cuts() (all []Cut) {
	shape := x.Shape
	for d, n := range shape {
		if n > 1 {
			all = append(all, Cut{x.item, Entire, d})
		}
	}
	if len(shape) < 2 || len(shape) > 3 {
		return all
	}
	limit := maxOuter
	if len(shape) == 2 {
		limit = maxOuterOfTwo
	}
	if shape[0] > limit || shape[0] < 2 {
		return all
	}
	for e := range shape[0] {
		for d := range shape[1:] {
			all = append(all, Cut{x.item, e, d})
		}
	}
	return all
}

// rows returns the fingerprints of a cut's rows.
func (x dense) rows(c Cut) []relate.Fingerprint {
	shape := x.Shape
	data := x.Bytes
	if c.Outer != Entire {
		size := len(data) / shape[0]
		data = data[c.Outer*size:][:size]
		shape = shape[1:]
	}
	if c.Dim == Entire {
		return []relate.Fingerprint{relate.Of(data, x.Type)}
	}
	return relate.Cut(data, x.Type, shape, c.Dim)
}

// strided returns the view of a tensor's storage that a cut is, and the dim of its rows.
func (c Cut) strided(t *source.Tensor) (v tensor.Strided, dim int, ok bool) {
	v, ok = t.Layout.Strided()
	if !ok {
		return v, 0, false
	}
	if c.Outer != Entire {
		v = tensor.Strided{Shape: v.Shape[1:], Strides: v.Strides[1:], Offset: v.Offset + c.Outer*v.Strides[0]}
	}
	if c.Dim == Entire {
		v.Shape = append([]int{1}, v.Shape...)
		v.Strides = append([]int{0}, v.Strides...)
		return v, 0, true
	}
	return v, c.Dim, true
}

// wanted are rows of targets, by which sources are found that have some of them.
type wanted struct {
	cuts  map[relate.Fingerprint][]Cut
	types map[string]dtype.Type // of the targets
	lock  sync.Mutex
	hits  map[Cut]map[Cut]int // of a target's cut, by the source's
}

// want returns the rows of the targets: of many, some of each cut.
func (s Side) want(items []relate.Item, targets []int) *wanted {
	w := &wanted{cuts: map[relate.Fingerprint][]Cut{}, types: map[string]dtype.Type{}, hits: map[Cut]map[Cut]int{}}
	s.eachOf(items, targets, func(x dense) {
		cuts := x.cuts()
		w.lock.Lock()
		w.types[x.Type.LittleEndian().String()] = x.Type.LittleEndian()
		w.lock.Unlock()
		for _, c := range cuts {
			rows := x.rows(c)
			probes := max(minProbes, maxProbes/len(targets)/len(cuts))
			w.lock.Lock()
			for k := 0; k < len(rows); k += ints.CeilDiv(len(rows), probes) {
				row := rows[k]
				known := w.cuts[row]
				isNew := len(known) == 0 || known[len(known)-1] != c
				if isNew && (!row.Constant() || row.Count == 1) {
					w.cuts[row] = append(known, c)
				}
			}
			w.lock.Unlock()
		}
	})
	return w
}

// look looks for the rows among those of sources, as they are and rounded to the types of the targets.
func (w *wanted) look(s Side, items []relate.Item, sources []int) {
	s.eachOf(items, sources, func(x dense) {
		for _, t := range w.types {
			y, ok := x.as(t)
			if ok {
				w.lookAmong(y)
			}
		}
	})
}

func (w *wanted) lookAmong(x dense) {
	for _, c := range append(x.cuts(), Cut{x.item, Entire, Entire}) {
		for _, row := range x.rows(c) {
			for _, target := range w.cuts[row] {
				w.hit(target, c)
			}
		}
	}
}

func (w *wanted) hit(target, by Cut) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.hits[target] == nil {
		w.hits[target] = map[Cut]int{}
	}
	w.hits[target][by]++
}

// maxSources bounds the cuts of sources that a target may be made of.
const maxSources = 1 << 13

// sourcesOf returns the cuts of sources that have rows of a target's, those with most first, and otherwise in the order of the items.
func (w *wanted) sourcesOf(target Cut) (found []Cut) {
	for c := range w.hits[target] {
		found = append(found, c)
	}
	sorting.By(found, func(c, d Cut) int {
		return compare(w.hits[target][d]-w.hits[target][c], c.Item-d.Item, c.Outer-d.Outer, c.Dim-d.Dim)
	})
	return found[:min(len(found), maxSources)]
}

// compare returns the first difference.
func compare(differences ...int) int {
	k := slices.IndexFunc(differences, func(n int) bool { return n != 0 })
	if k < 0 {
		return 0
	}
	return differences[k]
}

// eachOf calls do for the elements of some items, several at once. One that cannot be read is left out: that was reported.
func (s Side) eachOf(items []relate.Item, numbers []int, do func(dense)) {
	s.eachTensor(items, numbers, func(item int, t *source.Tensor) error {
		x, err := s.read(item, t)
		if err == nil && len(x.Bytes) > 0 {
			do(x)
		}
		return err
	})
}

// eachTensor calls do for some items, several at once, within the Guard of each, and releases their memory.
func (s Side) eachTensor(items []relate.Item, numbers []int, do func(item int, t *source.Tensor) error) {
	names := make([]string, len(numbers))
	for k, i := range numbers {
		names[k] = items[i].Name
	}
	s.each(names, func(k int, t *source.Tensor) error { //nolint:errcheck // Contents returned it
		defer t.Release(0, int(t.Header.DataBytes))
		return t.Guard(func() error { return do(numbers[k], t) })
	})
}
