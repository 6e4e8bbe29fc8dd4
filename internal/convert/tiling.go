package convert

import (
	"slices"
	"sort"

	"github.com/tlayout/tlayout/internal/ints"
)

// tiling cuts the destination's storage into tiles. It decomposes an offset in mixed radix, by the steps of the plan's loops; a tile is a
// range of every digit:
//
//	offset = Σ digit·pitch, pitches falling, each a multiple of the next, the last one 1
//
// NHWC to NCHW has the pitches (C·H·W, H·W, 1): a tile of it holds some pixels of some channels of some images, so
// that the source, whose channels are contiguous, is read in whole lines although the destination is not.
type tiling struct {
	pitch []int // elements
	radix []int // number of values of each digit
	size  []int // values of each digit in a tile
}

// tile is a range of every digit: n values from lo on.
type tile struct{ lo, n []int }

// newTiling cuts the storage of a plan, or of plans that write the same positions, into tiles of at most elems elements, but at least one.
func newTiling(elems int, plans ...*Plan) tiling {
	t := tiling{pitch: commonPitches(plans...)}
	p := plans[0]
	above := p.Alloc
	for _, pitch := range t.pitch {
		t.radix = append(t.radix, above/pitch)
		above = pitch
	}
	t.size = slices.Repeat([]int{1}, len(t.radix))
	if p.Pitch > 0 { // keep runs and their padding together
		t.size[len(t.size)-1] = t.radix[len(t.size)-1]
	}
	t.grow(max(elems, 1), plans)
	for i := range t.size { // avoid a thin remainder
		t.size[i] = evened(t.radix[i], t.size[i])
	}
	return t
}

// commonPitches returns the steps that split the addresses of every box of all plans into digits.
func commonPitches(plans ...*Plan) (pitches []int) {
	var steps []int
	for _, p := range plans {
		for _, l := range p.largest().Loops {
			steps = append(steps, l.Dst)
		}
	}
	slices.SortFunc(steps, func(a, b int) int { return b - a })
	for _, step := range steps {
		crossed := slices.ContainsFunc(plans, func(p *Plan) bool { return p.Alloc%step != 0 || !p.separable(step) })
		nested := len(pitches) == 0 || pitches[len(pitches)-1]%step == 0
		if step > 1 && nested && !crossed {
			pitches = append(pitches, step)
		}
	}
	return append(slices.Compact(pitches), 1)
}

// separable reports whether every loop either moves by whole pitches or, together with all smaller ones, stays within one.
func (p *Plan) separable(pitch int) bool {
	for _, b := range p.Boxes {
		within := b.Dst % pitch
		for _, l := range b.Loops {
			if l.Dst < pitch {
				within += (l.N - 1) * l.Dst
			} else if l.Dst%pitch != 0 {
				return false
			}
		}
		if within >= pitch {
			return false
		}
	}
	return true
}

// largest returns the box with the most elements, or the zero Box.
func (p *Plan) largest() Box {
	if len(p.Boxes) == 0 {
		return Box{}
	}
	return slices.MaxFunc(p.Boxes, func(a, b Box) int { return elemsOf(a.Loops) - elemsOf(b.Loops) })
}

func elemsOf(loops []Loop) int {
	n := 1
	for _, l := range loops {
		n *= l.N
	}
	return n
}

func (t *tiling) elems() int { return tile{n: t.size}.elems() }

// digitOf returns the digit that a step of the destination moves.
func (t *tiling) digitOf(step int) int {
	return slices.IndexFunc(t.pitch, func(pitch int) bool { return pitch <= step })
}

// count returns the number of tiles.
func (t *tiling) count() int {
	n := 1
	for i := range t.radix {
		n *= t.parts(i)
	}
	return n
}

// parts returns the number of parts of a digit.
func (t *tiling) parts(digit int) int { return ints.CeilDiv(t.radix[digit], t.size[digit]) }

// at returns the k-th tile, in the order of their first elements.
func (t *tiling) at(k int) tile {
	w := tile{make([]int, len(t.size)), make([]int, len(t.size))}
	for i := len(t.size) - 1; i >= 0; i-- {
		w.lo[i] = k % t.parts(i) * t.size[i]
		w.n[i] = min(t.size[i], t.radix[i]-w.lo[i])
		k /= t.parts(i)
	}
	return w
}

// packed returns the pitches of a buffer that holds only the tile.
func (w tile) packed() []int {
	pitch := make([]int, len(w.n))
	run := 1
	for i := len(w.n) - 1; i >= 0; i-- {
		pitch[i] = run
		run *= w.n[i]
	}
	return pitch
}

func (w tile) elems() int { return ints.Product(w.n) }

// boxes returns the parts of a plan's boxes in a tile, with destinations in the tile.
func (t *tiling) boxes(p *Plan, w tile) []Box {
	boxes := t.cut(p, w)
	packed := w.packed()
	for i := range boxes {
		b := &boxes[i]
		at := b.Dst
		b.Dst = 0
		for d, pitch := range t.pitch {
			b.Dst += (at/pitch - w.lo[d]) * packed[d]
			at %= pitch
		}
		for k, l := range b.Loops {
			d := t.digitOf(l.Dst)
			b.Loops[k].Dst = l.Dst / t.pitch[d] * packed[d]
		}
		b.Loops = simplify(b.Loops)
	}
	return boxes
}

// cut returns the parts of a plan's boxes in a tile. Their loops are not simplified.
func (t *tiling) cut(p *Plan, w tile) (inside []Box) {
	for _, b := range p.Boxes {
		parts := []Box{{Src: b.Src, Pad: b.Pad}}
		at := b.Dst
		loops := b.Loops
		for i, pitch := range t.pitch {
			n := sort.Search(len(loops), func(k int) bool { return loops[k].Dst < pitch }) // number of loops that move the digit
			digit := Box{Dst: at / pitch * pitch, Loops: loops[:n]}
			parts = product(parts, clip(digit, w.lo[i]*pitch, (w.lo[i]+w.n[i])*pitch))
			if len(parts) == 0 {
				break
			}
			at = at % pitch
			loops = loops[n:]
		}
		inside = append(inside, parts...)
	}
	return inside
}

// product nests every part of a digit inside every box.
func product(boxes, parts []Box) []Box {
	out := make([]Box, 0, len(boxes)*len(parts))
	for _, b := range boxes {
		for _, p := range parts {
			out = append(out, Box{Src: b.Src + p.Src, Dst: b.Dst + p.Dst, Loops: slices.Concat(b.Loops, p.Loops), Pad: b.Pad})
		}
	}
	return out
}

// segments calls f for each contiguous run of storage in the tile, with its first element in the storage, its first element
// in the packed tile, and its length.
func (t *tiling) segments(w tile, f func(storage, packed, n int) error) error {
	run := 1
	for i, n := range slices.Backward(w.n) {
		if run *= n; n < t.radix[i] {
			break
		}
	}
	for k := 0; k < w.elems(); k += run {
		storage := 0
		rest := k
		for i, n := range slices.Backward(w.n) {
			storage += (w.lo[i] + rest%n) * t.pitch[i]
			rest /= n
		}
		if err := f(storage, k, run); err != nil {
			return err
		}
	}
	return nil
}

// grow doubles the tile, along the destination or a source, whichever has the shortest runs, until it holds elems elements.
func (t *tiling) grow(elems int, plans []*Plan) {
	for {
		at, run := t.nextDst()
		for _, p := range plans {
			if src, srcRun := t.nextSrc(rising(p.largest().Loops)); src >= 0 && (srcRun < run || at < 0) {
				at = src
				run = srcRun
			}
		}
		if at < 0 {
			return
		}
		grown := min(2*t.size[at], t.radix[at])
		if t.elems()/t.size[at] > elems/grown {
			fits := elems / (t.elems() / t.size[at])
			t.size[at] = max(fits, t.size[at])
			return
		}
		t.size[at] = grown
	}
}

// rising returns the loops ordered by their steps in the source.
func rising(loops []Loop) []*Loop {
	sorted := make([]*Loop, len(loops))
	for i := range loops {
		sorted[i] = &loops[i]
	}
	slices.SortStableFunc(sorted, func(a, b *Loop) int { return ints.Abs(a.Src) - ints.Abs(b.Src) })
	return sorted
}

// nextDst returns the innermost digit that the tile holds only partly, or -1, and the run of elements up to it.
func (t *tiling) nextDst() (digit, run int) {
	run = 1
	for i := len(t.size) - 1; i >= 0; i-- {
		run *= t.size[i]
		if t.size[i] < t.radix[i] {
			return i, run
		}
	}
	return -1, run
}

// nextSrc returns the digit of the innermost loop of the source that the tile holds only partly, and the run up to it.
func (t *tiling) nextSrc(bySrc []*Loop) (digit, run int) {
	run = 1
	for _, l := range bySrc {
		i := t.digitOf(l.Dst)
		if t.size[i] == t.radix[i] {
			run *= l.N
			continue
		}
		turns := max(1, t.size[i]*t.pitch[i]/l.Dst)
		if run *= min(turns, l.N); turns < l.N {
			return i, run
		}
	}
	return -1, run
}

// evened returns the size of the parts when total is cut into the fewest nearly equal parts of at most limit, in whole cache lines if
// possible: multiples of 64, 32 or 16.
func evened(total, limit int) int {
	parts := ints.CeilDiv(total, limit)
	if parts == 1 {
		return total
	}
	even := ints.CeilDiv(total, parts)
	unit := 64
	for unit > limit {
		unit /= 2
	}
	if unit < 16 {
		return even
	}
	return min(total, ints.CeilDiv(even, unit)*unit, limit/unit*unit)
}

// clip returns the parts of a nest whose destinations are in [lo, hi), as few as the nest allows: iterations of the outer loop that are
// wholly inside stay together.
//
//	outer iterations          |--k--|--k--|--k--|--k--|
//	[lo, hi)                     |=================|
//	parts                        |rest|---whole---|re|
//
// Post: the parts visit the pairs (src, dst) of the nest with lo ≤ dst < hi, each once.
func clip(b Box, lo, hi int) []Box {
	last := b.Last()
	if b.Dst >= hi || last < lo {
		return nil
	}
	if b.Dst >= lo && last < hi {
		return []Box{b}
	}
	outer := b.Loops[0]
	inner := b.Loops[1:]
	rest := last - b.Dst - (outer.N-1)*outer.Dst
	end := min(outer.N, (hi-1-b.Dst)/outer.Dst+1)
	var parts []Box
	for k := max(0, ints.CeilDiv(lo-rest-b.Dst, outer.Dst)); k < end; {
		turn := Box{Src: b.Src + k*outer.Src, Dst: b.Dst + k*outer.Dst, Loops: inner}
		if turn.Dst < lo || turn.Dst+rest >= hi {
			parts = append(parts, clip(turn, lo, hi)...)
			k++
			continue
		}
		n := min(outer.N-k, (hi-1-rest-turn.Dst)/outer.Dst+1)
		if n > 1 {
			turn.Loops = append([]Loop{{N: n, Src: outer.Src, Dst: outer.Dst}}, inner...)
		}
		parts = append(parts, turn)
		k += n
	}
	return parts
}

// Last returns the highest destination.
func (b Box) Last() int {
	last := b.Dst
	for _, l := range b.Loops {
		last += (l.N - 1) * l.Dst
	}
	return last
}
