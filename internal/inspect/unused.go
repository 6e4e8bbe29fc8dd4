package inspect

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// Waste is how many bytes of a storage are in no tensor, exactly or at least that many.
type Waste struct {
	Storage int   // number in a checkpoint's storages
	Bytes   int64 // that are certainly in no tensor
	Exact   bool  // else there may be more, even if Bytes is 0
	Why     string
}

// Bounds of what is counted element by element.
const (
	maxMarkedUnits = 1 << 28 // of a storage: a bit each
	maxMarkedElems = 1 << 24 // of its tensors with gaps
)

// WasteOf finds the storages with bytes that no tensor uses, and those of which that cannot be told. Between the elements of a
// strided tensor bytes are unused too, unless another tensor has them. It reads no data.
//
// Post: Bytes is the number of bytes b of the storage with no tensor t and coordinate c such that b is in element t[c], wherever it
// is exact.
func WasteOf(k *source.Checkpoint) (all []Waste) {
	views := make([][]int, len(k.Storages))
	for i, t := range k.Tensors {
		views[t.Storage] = append(views[t.Storage], i)
	}
	refused := make([]string, len(k.Storages))
	for _, r := range k.Refused {
		for _, s := range r.Storages {
			refused[s] = cmp.Or(refused[s], r.Name, "a tensor")
		}
	}
	for s := range k.Storages {
		w := wasteIn(k, s, views[s])
		if refused[s] != "" && !(w.Exact && w.Bytes == 0) {
			w = Waste{Storage: s, Why: "what " + some(refused[s:s+1]) + " uses is not known"}
		}
		if w.Bytes > 0 || !w.Exact {
			all = append(all, w)
		}
	}
	return all
}

// stretch is the bytes [low, high).
type stretch struct{ low, high int64 }

// wasteIn counts for one storage: the bytes of tensors without gaps as stretches, and only if there are others in a set of bits.
func wasteIn(k *source.Checkpoint, s int, views []int) Waste {
	var dense []stretch
	var gapped []tensor.Layout
	var sizes []int64
	unit, elems, atMost := int64(0), 0, int64(0)
	for _, i := range views {
		t := k.Tensors[i]
		size := int64(t.Type.ItemSize())
		l, err := onceEach(t.View).Layout(nil, tensor.Unbounded)
		low, high, ok := l.Span()
		if err != nil || !ok || size == 0 {
			continue
		}
		unit = gcd(unit, size)
		if unique := l.Occupancy().Unique; unique == high-low+1 {
			dense = append(dense, stretch{int64(low) * size, int64(high+1) * size})
			continue
		}
		gapped, sizes = append(gapped, l), append(sizes, size)
		elems, atMost = elems+l.Numel(), atMost+int64(min(l.Numel(), high-low+1))*size
	}
	w := Waste{Storage: s, Bytes: k.Storages[s].Bytes - covered(dense), Exact: true}
	switch {
	case len(gapped) == 0:
	case k.Storages[s].Bytes/unit <= maxMarkedUnits && elems <= maxMarkedElems:
		w.Bytes = k.Storages[s].Bytes - marked(dense, gapped, sizes, unit)
	default:
		w.Bytes, w.Exact = max(0, w.Bytes-atMost), false
		w.Why = "its tensors with gaps have too many elements to count"
	}
	return w
}

// onceEach is a view of the same addresses, of which a dim of stride 0 has one.
func onceEach(s tensor.Strided) tensor.Strided {
	s.Shape = slices.Clone(s.Shape)
	for i, stride := range s.Strides {
		if stride == 0 {
			s.Shape[i] = min(s.Shape[i], 1)
		}
	}
	return s
}

// covered is how many bytes are in a stretch. It sorts them.
func covered(all []stretch) (n int64) {
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Compare(a.low, b.low) })
	end := int64(0)
	for _, s := range all {
		if low := max(s.low, end); s.high > low {
			n, end = n+s.high-low, s.high
		}
	}
	return n
}

// marked is how many bytes are in a stretch or an element, of which all sizes and offsets are multiples of unit bytes.
func marked(dense []stretch, gapped []tensor.Layout, sizes []int64, unit int64) int64 {
	end := int64(0)
	for _, s := range dense {
		end = max(end, s.high)
	}
	for i, l := range gapped {
		_, high, _ := l.Span()
		end = max(end, int64(high+1)*sizes[i])
	}
	seen := make([]uint64, end/unit/64+1)
	mark := func(from, to int64) {
		for u := from / unit; u < to/unit; u++ {
			seen[u/64] |= 1 << (u % 64)
		}
	}
	for _, s := range dense {
		mark(s.low, s.high)
	}
	for i, l := range gapped {
		for _, at := range l.Logical() {
			mark(int64(at)*sizes[i], int64(at+1)*sizes[i])
		}
	}
	n := 0
	for _, word := range seen {
		n += bits.OnesCount64(word)
	}
	return int64(n) * unit
}

// gcd is the greatest common divisor; gcd(0, b) = b.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
