package convert

import (
	"cmp"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// swizzles permute the offsets of both sides. A box of permuted offsets is not a nest of loops, but parts of it are: while the bits that a
// swizzle reads do not change, it changes others by a constant.
type swizzles struct{ src, dst tensor.Swizzle }

func (z swizzles) none() bool { return z.src.IsZero() && z.dst.IsZero() }

// maxPeriodElems bounds the elements of one period, which are permuted one by one.
const maxPeriodElems = 1 << 18

// pieces appends to boxes those of the offsets that the swizzles permute a box of plain offsets to. It rewrites b's loops.
//
// A loop is cut in two where it exceeds a period of the swizzles, after which they repeat themselves; the outer part then
// stays a loop. In a row-major matrix of 64 columns with Sw<3,3,3>, whose period is 8 rows, these are the boxes of the
// rows 0, 8, 16, …, of the rows 1, 9, 17, …, and so on: the loops over the bits of a column step forwards or backwards.
//
// Post: their loops are simplified; they visit (src.Apply(s), dst.Apply(d)) of every pair (s, d) that b visits, once; no
// step in the destination is negative.
func (z swizzles) pieces(boxes []Box, b Box) ([]Box, error) {
	loops := simplify(b.Loops)
	if z.none() {
		return append(boxes, Box{Src: b.Src, Dst: b.Dst, Loops: loops}), nil
	}
	parts := []periodic{{Box: Box{Src: b.Src, Dst: b.Dst}}}
	for _, l := range loops {
		parts = z.cut(parts, l)
	}
	for _, p := range parts {
		if elemsOf(p.bound) > maxPeriodElems {
			return nil, noCommonPeriod()
		}
		z.order(p.bound)
		for _, permuted := range z.permute(p.Src, p.Dst, p.bound) {
			permuted.Loops = simplify(slices.Concat(p.Loops, permuted.Loops))
			boxes = append(boxes, permuted)
		}
		if len(boxes) > maxBoxes {
			return nil, noCommonPeriod()
		}
	}
	return boxes, nil
}

func noCommonPeriod() error {
	return fault.New(fault.Unsupported, "the strides and the swizzle have no small common period").
		WithHint("convert in two steps, through the same strides without the swizzle")
}

// periodic is a box whose Loops step by periods of the swizzles, with the inner loops around an element that do not.
type periodic struct {
	Box
	bound []Loop
}

// cut adds a loop to every part: its whole periods, and the rest.
func (z swizzles) cut(parts []periodic, l Loop) []periodic {
	turn := max(periodOf(l.Src, z.src), periodOf(l.Dst, z.dst))
	whole := l.N / turn
	rest := l.N % turn
	var out []periodic
	for _, p := range parts {
		if whole > 0 {
			q := periodic{Box{Src: p.Src, Dst: p.Dst, Loops: slices.Clone(p.Loops)}, slices.Clone(p.bound)}
			q.Loops = append(q.Loops, Loop{whole, turn * l.Src, turn * l.Dst, l.name})
			out = append(out, q.bind(Loop{turn, l.Src, l.Dst, l.name}))
		}
		if rest > 0 {
			q := periodic{Box{Src: p.Src + whole*turn*l.Src, Dst: p.Dst + whole*turn*l.Dst, Loops: slices.Clone(p.Loops)}, slices.Clone(p.bound)}
			out = append(out, q.bind(Loop{rest, l.Src, l.Dst, l.name}))
		}
	}
	return out
}

// periodOf returns the number of steps after which a swizzle repeats.
func periodOf(step int, z tensor.Swizzle) int {
	if bit := step & -step; bit != 0 && bit < z.Period() { // the lowest bit; a period is a power of two
		return z.Period() / bit
	}
	return 1
}

// bind adds a bound loop, as one loop per bit as far as possible: 8 steps are three loops of 2.
func (p periodic) bind(l Loop) periodic {
	for l.N%2 == 0 {
		p.bound = append(p.bound, Loop{2, l.Src, l.Dst, l.name})
		l = Loop{l.N / 2, 2 * l.Src, 2 * l.Dst, l.name}
	}
	if l.N > 1 {
		p.bound = append(p.bound, l)
	}
	return p
}

// order sorts the bound loops so that the bits that a swizzle reads are outside those that it changes.
func (z swizzles) order(loops []Loop) {
	slices.SortStableFunc(loops, func(a, b Loop) int {
		if z.src.IsZero() {
			return cmp.Compare(ints.Abs(b.Dst), ints.Abs(a.Dst))
		}
		return cmp.Compare(ints.Abs(b.Src), ints.Abs(a.Src))
	})
}

// permute returns the boxes of a nest of loops, element by element: iterations of the outer loop whose boxes differ by one step become a
// loop again.
func (z swizzles) permute(src, dst int, loops []Loop) []Box {
	if len(loops) == 0 {
		return []Box{{Src: z.src.Apply(src), Dst: z.dst.Apply(dst)}}
	}
	outer := loops[0]
	inner := loops[1:]
	var boxes []Box
	first := z.permute(src, dst, inner) // of the turns from k-n to k-1, which differ by step
	n := 1
	step := Loop{}
	for k := 1; k <= outer.N; k++ {
		var next []Box
		if k < outer.N {
			next = z.permute(src+k*outer.Src, dst+k*outer.Dst, inner)
			if by, even := stepTo(next, first, n); even && (n == 1 || by == step) {
				n = n + 1
				step = by
				continue
			}
		}
		boxes = append(boxes, repeated(first, Loop{n, step.Src, step.Dst, outer.name})...)
		first = next
		n = 1
	}
	return boxes
}

// stepTo returns the step from the boxes of one iteration to those n iterations later; even is false if they differ otherwise.
func stepTo(next, first []Box, n int) (step Loop, even bool) {
	if len(next) != len(first) {
		return Loop{}, false
	}
	src, dst := next[0].Src-first[0].Src, next[0].Dst-first[0].Dst
	for i, b := range next {
		if b.Src-first[i].Src != src || b.Dst-first[i].Dst != dst || !slices.Equal(b.Loops, first[i].Loops) {
			return Loop{}, false
		}
	}
	return Loop{Src: src / n, Dst: dst / n}, src%n == 0 && dst%n == 0
}

// repeated adds a loop around boxes. It counts backwards if its step is negative in the destination.
func repeated(boxes []Box, l Loop) []Box {
	if l.N == 1 {
		return boxes
	}
	src, dst := 0, 0 // offset of its start
	if l.Dst < 0 {
		src = (l.N - 1) * l.Src
		dst = (l.N - 1) * l.Dst
		l.Src = -l.Src
		l.Dst = -l.Dst
	}
	for i := range boxes {
		b := &boxes[i]
		b.Src = b.Src + src
		b.Dst = b.Dst + dst
		b.Loops = append([]Loop{l}, b.Loops...)
	}
	return boxes
}
