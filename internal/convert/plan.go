package convert

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Loop repeats its inner loops N times, moving the source by Src elements and the destination by Dst each time.
type Loop struct {
	N, Src, Dst int

	name string // only in an explained plan
}

// Name returns the names of the digits that the loop counts, outermost first: N, C//4 or, folded, H·W.
func (l Loop) Name() string { return l.name }

// Box is a nest of loops, outermost first, starting at a first element. It equals
//
//	for k0 in 0…n0: for k1 in 0…n1: …: dst[Dst + Σ k·dst] = src[Src + Σ k·src]
//
// and writes Pad elements of padding in the destination after every run of the innermost loop.
type Box struct {
	Src, Dst int
	Loops    []Loop
	Pad      int

	held []string // dims that it holds only partly; only in an explained plan
}

// Plan copies every element of a tensor from its source layout to its destination layout, offsets in elements.
//
// Invariants: every offset is inside its storage; no two copies write the same element.
type Plan struct {
	Boxes    []Box
	ItemSize int  // bytes
	Alloc    int  // elements of the destination's storage
	Pitch    int  // elements from one padded run to the next; 0 if boxes write no padding
	Gaps     bool // the destination's storage has positions that neither elements nor the boxes' padding are written to

	matrices *matrixCache
}

// maxBoxes bounds the plan's size for layouts whose block sizes have no small common multiple.
const maxBoxes = 1 << 16

// NewPlan pairs the dims of both layouts by name.
//
// Post: the boxes visit the pair (src.At(i), dst.At(i)) of every coordinate i once, and no other.
//
// It fails with Usage if dims or sizes differ or the destination's elements would overlap, and with Unsupported if the
// block sizes of both layouts have no small common multiple, or the strides and a swizzle no small common period.
func NewPlan(dst, src tensor.Layout, itemSize int) (*Plan, error) {
	dims, err := pairDims(dst, src, false)
	if err != nil {
		return nil, err
	}
	p, _, err := planOf(dims, dst, src, itemSize)
	return p, err
}

// planOf nests the parts of all dims into boxes. ends is the number of boxes after each nest: one more each, unless a layout is swizzled.
func planOf(dims [][]Box, dst, src tensor.Layout, itemSize int) (p *Plan, ends []int, err error) {
	nests := 1
	for _, parts := range dims {
		nests *= len(parts)
	}
	memory := &struct { // allocated at once, for a plan of one box
		Plan
		matrices matrixCache
		boxes    [1]Box
		loops    [8]Loop
	}{}
	p = &memory.Plan
	*p = Plan{ItemSize: itemSize, Alloc: dst.Alloc(), Gaps: dst.Alloc() != dst.Numel(), Boxes: slices.Grow(memory.boxes[:0], nests), matrices: &memory.matrices}
	z := swizzles{src.Swizzle(), dst.Swizzle()}
	ends = make([]int, nests)
	for k := range ends {
		b := Box{Src: src.Offset(), Dst: dst.Offset(), Loops: memory.loops[:0]}
		if k > 0 {
			b.Loops = make([]Loop, 0, 2*len(dims))
		}
		p.Boxes, err = z.pieces(p.Boxes, b.nest(dims, k, nests).forwards())
		if err != nil {
			return nil, nil, err
		}
		ends[k] = len(p.Boxes)
	}
	p.padRuns()
	return p, ends, nil
}

// nest adds to an empty box the k-th of nests combinations of one part per dim. The last dim counts fastest.
func (b Box) nest(dims [][]Box, k, nests int) Box {
	for _, parts := range dims {
		nests /= len(parts)
		part := &parts[k/nests%len(parts)]
		b.Src = b.Src + part.Src
		b.Dst = b.Dst + part.Dst
		b.Loops = append(b.Loops, part.Loops...)
		b.held = append(b.held, part.held...)
	}
	return b
}

// forwards returns the box with loops that step backwards in the destination run from their end.
func (b Box) forwards() Box {
	for i := range b.Loops {
		if l := &b.Loops[i]; l.Dst < 0 {
			b.Src = b.Src + (l.N-1)*l.Src
			b.Dst = b.Dst + (l.N-1)*l.Dst
			l.Src = -l.Src
			l.Dst = -l.Dst
		}
	}
	return b
}

// pairDims pairs the digits of every dim of src with those of the same dim in dst. It returns the parts of each dim; every box has one of
// them. They are named for an explanation.
func pairDims(dst, src tensor.Layout, named bool) ([][]Box, error) {
	if err := checkPair(dst, src); err != nil {
		return nil, err
	}
	memory := &struct { // for up to eight dims of one part each
		splitter
		dims  [8][]Box
		boxes [8]Box
		loops [16]Loop
	}{}
	s := &memory.splitter
	s.boxes = memory.boxes[:0]
	s.loops = memory.loops[:0]
	s.named = named
	dims := slices.Grow(memory.dims[:0], src.Rank())[:src.Rank()]
	boxes := 1
	for i := range dims {
		d := src.Dim(i)
		parts, err := s.splitDim(d, namesake(dst, d).Digits)
		if err == nil && len(parts)*boxes > maxBoxes {
			err = tooManyPieces()
		}
		if err != nil {
			return nil, fault.In("dim "+d.Name, err)
		}
		dims[i] = parts
		boxes = boxes * len(parts)
	}
	return dims, nil
}

// namesake returns the dim of a layout with the name of d, or one without digits.
func namesake(l tensor.Layout, d tensor.Dim) tensor.Dim {
	for i := range l.Rank() {
		if other := l.Dim(i); other.Name == d.Name {
			return other
		}
	}
	return tensor.Dim{}
}

func tooManyPieces() error {
	return fault.New(fault.Unsupported, "block sizes of the two layouts have no small common multiple").
		WithHint("convert in two steps, through a layout without blocks")
}

func checkPair(dst, src tensor.Layout) error {
	for i := range dst.Rank() {
		to := dst.Dim(i)
		from := namesake(src, to)
		if from.Digits == nil || dst.Rank() != src.Rank() {
			return fault.New(fault.Usage, "the layouts have different dims: from %v, to %v", src.Names(), dst.Names())
		}
		if to.Size != from.Size {
			return fault.New(fault.Usage, "dim %s has size %d in one layout and %d in the other", to.Name, from.Size, to.Size)
		}
	}
	if !src.InBounds() {
		return fault.New(fault.Usage, "the source layout %s exceeds its storage of %d elements", src, src.Alloc())
	}
	if !dst.InBounds() {
		return fault.New(fault.Usage, "the target layout %s exceeds its storage of %d elements", dst, dst.Alloc())
	}
	if dst.Occupancy().Overlapping != tensor.No {
		return fault.New(fault.Usage, "elements of the target layout %s would overwrite each other", dst)
	}
	return nil
}

// InPlace reports whether every element has the same offset on both sides, so that no copy is needed.
func (p *Plan) InPlace() bool {
	return !slices.ContainsFunc(p.Boxes, func(b Box) bool {
		return b.Src != b.Dst || slices.ContainsFunc(b.Loops, func(l Loop) bool { return l.Src != l.Dst })
	})
}

// pass rewrites a nest of loops in place, keeping what it copies.
type pass struct {
	name string
	run  func([]Loop) []Loop
}

// passes are idempotent; their order matters.
var passes = []pass{{"drop", dropUnits}, {"sort", sortByDst}, {"fold", fold}}

// simplify runs the passes, in place.
func simplify(loops []Loop) []Loop {
	for _, pass := range passes {
		loops = pass.run(loops)
	}
	return loops
}

// dropUnits removes loops that run once.
func dropUnits(loops []Loop) []Loop {
	return slices.DeleteFunc(loops, func(l Loop) bool { return l.N == 1 })
}

// sortByDst orders the loops so that the destination is written in rising order of addresses.
func sortByDst(loops []Loop) []Loop {
	slices.SortStableFunc(loops, func(a, b Loop) int {
		return cmp.Or(cmp.Compare(b.Dst, a.Dst), cmp.Compare(b.Src, a.Src))
	})
	return loops
}

// fold merges two loops if the outer one continues where the inner one ends, in both layouts:
//
//	{a, n·s→n·d}{n, s→d} = {a·n, s→d}
//
// Parts of one loop, which a swizzle cut, get its name again.
func fold(loops []Loop) []Loop {
	folded := loops[:0]
	for _, inner := range loops {
		if n := len(folded); n > 0 {
			if outer := &folded[n-1]; outer.Src == inner.N*inner.Src && outer.Dst == inner.N*inner.Dst {
				name := outer.name
				if name != inner.name && !strings.HasSuffix(name, "·"+inner.name) {
					name += "·" + inner.name
				}
				*outer = Loop{outer.N * inner.N, inner.Src, inner.Dst, name}
				continue
			}
		}
		folded = append(folded, inner)
	}
	return folded
}

// maxPad is the longest step, in elements, whose padding is written together with the run before it.
const maxPad = 64

// padRuns checks whether all positions without an element follow runs of one length, at steps of one pitch, as in a block of 4 channels
// that holds 3. If so, it records them in the boxes: they are written together with the elements, and the plan has no gaps left.
//
//	pitch 4:   |c0 c1 c2 —|c0 c1 c2 —|c0 c1 c2 —|
//
// All boxes begin at a multiple of the pitch, so that no two of them share one: both would write its first element.
func (p *Plan) padRuns() {
	if !p.Gaps || !isItem(p.ItemSize) {
		return
	}
	pitches := commonPitches(p)
	if len(pitches) < 2 || pitches[len(pitches)-2] > maxPad {
		return
	}
	pitch := pitches[len(pitches)-2]
	pads := make([]int, len(p.Boxes))
	covered := 0
	for i, b := range p.Boxes {
		run, turns, ok := b.runs(pitch)
		if !ok {
			return
		}
		pads[i] = pitch - run
		covered += turns * pitch
	}
	if covered != p.Alloc {
		return
	}
	for i := range p.Boxes {
		p.Boxes[i].Pad = pads[i]
	}
	p.Pitch = pitch
	p.Gaps = false
}

// KeepGaps makes Run leave the positions without an element as they are, instead of filling them.
func (p *Plan) KeepGaps() {
	for i := range p.Boxes {
		p.Boxes[i].Pad = 0
	}
	p.Pitch = 0
	p.Gaps = false
}

// runs returns the length and number of the destination's runs, each at a multiple of pitch. ok is false otherwise, and if they are runs of
// the source too, which are copied whole.
func (b Box) runs(pitch int) (run, turns int, ok bool) {
	run = 1
	turns = 1
	for _, l := range b.Loops {
		if l.Dst >= pitch {
			turns *= l.N
			continue
		}
		isRun := l.Dst == 1 && l.Src != 1
		if !isRun || run > 1 {
			return 0, 0, false
		}
		run = l.N
	}
	return run, turns, b.Dst%pitch == 0
}

// Elems returns the number of elements that the plan moves.
func (p *Plan) Elems() int {
	n := 0
	for _, b := range p.Boxes {
		n += elemsOf(b.Loops)
	}
	return n
}

// Runs returns the number of runs of elements that are consecutive on both sides, and the elements of the shortest and the longest. A run that
// continues in another box is two.
func (p *Plan) Runs() (runs, shortest, longest int) {
	for _, b := range p.Boxes {
		n := 1
		loops := simplify(slices.Clone(b.Loops))
		if last := len(loops) - 1; last >= 0 && loops[last].Src == 1 && loops[last].Dst == 1 {
			n = loops[last].N
			loops = loops[:last]
		}
		src := n
		dst := n
		long := n // what must a loop's step be for its run to follow that of the inner loops' last iteration?
		count := elemsOf(loops)
		for k, l := range slices.Backward(loops) {
			if l.Src == src && l.Dst == dst {
				count -= (l.N - 1) * elemsOf(loops[:k])
				long = 2 * n
			}
			src = src + (l.N-1)*l.Src
			dst = dst + (l.N-1)*l.Dst
		}
		if runs += count; shortest == 0 || n < shortest {
			shortest = n
		}
		longest = max(longest, long)
	}
	return runs, shortest, longest
}
