package cute

import (
	"fmt"
	"math"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// composeBy is A∘B for a layout, a number n, which stands for n:1, or a tiler, which applies by mode.
func composeBy(a Layout, b argument, r *reasons) (Layout, error) {
	switch b.kind {
	case keep:
		return a, nil
	case number:
		return compose(a, single(b.n, 1), r)
	case typed:
		return compose(a, b.layout, r)
	}
	return byMode("composition", a, b.parts, r, func(m Layout, part argument) (Layout, error) { return composeBy(m, part, r) })
}

// compose is A∘B, the layout R with R(i) = A(B(i)) and B's shape, up to modes that split (02_layout_algebra.md, Composition).
// A is coalesced. Each leaf s:d of B takes every d-th element of A, and keeps the first s.
//
// The modes of B are composed one by one, as in pycute and layout.hpp. Their sum is A(B(i)) unless they carry over a mode of A
// together, which neither of the two checks: then there is a warning with a coordinate at which the two differ.
func compose(a, b Layout, r *reasons) (Layout, error) {
	c := &composer{a: coalesce(a, nil), r: r}
	c.modes = c.a.leaves()
	c.filled = make([]int, len(c.modes))
	if !c.a.equal(a) {
		r.add("A = %s, coalesced %s", a, c.a)
	}
	got, err := c.layout(b)
	if err != nil {
		return Layout{}, err
	}
	c.noteDomain(b)
	c.checkCarries(b, got)
	return got, nil
}

type composer struct {
	a      Layout // coalesced
	modes  []mode // its leaves
	filled []int  // by mode of A: the largest coordinate that the modes of B reach together
	r      *reasons
}

func (c *composer) layout(b Layout) (Layout, error) {
	if b.modes == nil {
		return c.leaf(b.leaf)
	}
	modes := make([]Layout, len(b.modes))
	for k, m := range b.modes {
		got, err := c.layout(m)
		if err != nil {
			return Layout{}, err
		}
		modes[k] = got
	}
	return join(modes...)
}

// leaf composes A with one leaf s:d of B. For each mode n:e of A but the last:
//
//	take  = min(⌈n/|d|⌉, s), a mode take:d·e of the result
//	s     = s / take, which must be whole: the shape divisibility condition
//	d     = ⌈|d|/n⌉ with the sign of d; n and d must divide each other: the stride divisibility condition
//
// and the last mode of A gives s:d·e with what is left.
func (c *composer) leaf(b mode) (Layout, error) {
	if b.stride == 0 {
		c.r.add("%s → %s: a stride of 0 stays at one element", b, b)
		return single(b.size, 0), nil
	}
	var out []mode
	var how []string
	s, d := b.size, b.stride
	last := len(c.modes) - 1
	for k, n := range c.modes[:last] {
		if err := c.check(b, k, s, d); err != nil {
			return Layout{}, err
		}
		step := ints.Abs(d)
		next := ints.CeilDiv(n.size, step)
		if take := min(next, s); take > 1 {
			e, ok := tensor.Mul(d, n.stride)
			if !ok {
				return Layout{}, overflow(fmt.Sprintf("stride %d·%d", d, n.stride))
			}
			out, how = append(out, mode{take, e}), append(how, taken(take, n, next, d, e))
			c.fill(k, take, step)
			s /= take
		} else if s > 1 {
			how = append(how, fmt.Sprintf("stride %d skips mode %s, %d/%d = %d", d, n, step, n.size, ints.CeilDiv(step, n.size)))
		}
		d = ints.CeilDiv(step, n.size) * sign(d)
	}
	if s != 1 || out == nil {
		e, ok := tensor.Mul(d, c.modes[last].stride)
		if !ok {
			return Layout{}, overflow(fmt.Sprintf("stride %d·%d", d, c.modes[last].stride))
		}
		out, how = append(out, mode{s, e}), append(how, taken(s, c.modes[last], s, d, e))
	}
	got, err := flat(out)
	if err == nil {
		c.r.add("%s → %s: %s", b, got, strings.Join(how, ", then "))
	}
	return got, err
}

// taken says what a mode n of A gives: "2 of mode 6:8 (6/3 = 2) at stride 3·8 = 24".
func taken(take int, n mode, next, d, e int) string {
	text := fmt.Sprintf("%d of mode %s", take, n)
	if step := ints.Abs(d); step > 1 && n.size > step && n.size%step == 0 {
		text += fmt.Sprintf(" (%d/%d = %d)", n.size, step, n.size/step)
	}
	if d == 1 {
		return text + fmt.Sprintf(" at stride %d", e)
	}
	return text + fmt.Sprintf(" at stride %d·%d = %d", d, n.stride, e)
}

func sign(d int) int {
	if d < 0 {
		return -1
	}
	return 1
}

// check is both divisibility conditions of leaf b at mode k of A, with s elements left at stride d.
func (c *composer) check(b mode, k, s, d int) error {
	n, step := c.modes[k].size, ints.Abs(d)
	next := ints.CeilDiv(n, step)
	where := fmt.Sprintf("composing %s with mode %s of %s", b, c.modes[k], c.a)
	if n%step != 0 && step%n != 0 {
		if step > n || s > next { // pycute's condition; layout.hpp's is step < n alone
			return refuse("stride_divisibility", "stride divisibility condition: %d and %d do not divide each other", step, n).because("%s", where)
		}
		c.r.note("%s: stride %d does not divide %d: pycute refuses it; layout.hpp accepts it, and the %d elements stay in mode %s",
			b, step, n, s, c.modes[k])
	}
	if take := min(next, s); s%take != 0 {
		return refuse("shape_divisibility", "shape divisibility condition: %d elements fit this mode, and %d does not divide %d", take, take, s).
			because("%s", where)
	}
	return nil
}

// fill adds what a leaf of B reaches in mode k of A.
func (c *composer) fill(k, take, step int) {
	far, fits := tensor.Mul(take-1, step)
	sum, ok := tensor.Add(c.filled[k], far)
	if !fits || !ok {
		sum = math.MaxInt
	}
	c.filled[k] = sum
}

// noteDomain tells if B's indices leave A's domain.
func (c *composer) noteDomain(b Layout) {
	low, high := 0, 0
	for _, m := range b.leaves() {
		if far := (m.size - 1) * m.stride; far < 0 {
			low += far
		} else {
			high += far
		}
	}
	switch size := c.a.size; {
	case low < 0:
		c.r.note("%s reaches index %d, outside of A's domain 0…%d: strides are negated, as in layout.hpp", b, low, size-1)
	case high >= size:
		c.r.note("%s reaches index %d, outside of A's domain 0…%d: A's last mode goes on", b, high, size-1)
	}
}

// checkCarries warns if the result is not A(B(i)) because modes of B together carry over a mode of A.
func (c *composer) checkCarries(b, got Layout) {
	if c.r == nil {
		return
	}
	for k, n := range c.modes[:len(c.modes)-1] {
		if c.filled[k] < n.size {
			continue
		}
		for i := range min(b.size, maxChecked) {
			at, errB := b.At(i)
			if errB != nil || at < 0 {
				return
			}
			want, errA := c.a.At(at)
			is, errR := got.At(i)
			if errA == nil && errR == nil && is != want {
				c.r.warn("the result is not A∘B at %d: A(B(%d)) = A(%d) = %d, but the result has %d; modes of B together carry over mode %s of A, "+
					"which CuTe does not check", i, i, at, want, is, n)
				return
			}
		}
	}
}

// maxChecked is how many coordinates a check by definition looks at.
const maxChecked = 1 << 16
