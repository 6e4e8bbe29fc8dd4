package cute

import (
	"fmt"
	"math"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// composeBy returns A∘B for a layout, a number n, which stands for n:1, or a tiler, which applies by mode.
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

// compose returns A∘B, the layout R with R(i) = A(B(i)) and B's shape, up to modes that split (02_layout_algebra.md, Composition). A is
// coalesced. Each leaf s:d of B selects every d-th element of A, and keeps the first s.
//
// The result is A(B(i)) except in two cases, which neither pycute nor this refuses, but a warning has a coordinate at which they
// differ:
//
//   - Modes of B carry over a mode of A together. B's modes are composed one by one, as in pycute and layout.hpp.
//   - B(i) ≥ size(A), and A ends in a mode of size 1, which coalescing drops, as in pycute. layout.hpp keeps that mode.
func compose(a, b Layout, r *reasons) (Layout, error) {
	c := newComposer(a, r)
	got, err := c.layout(b)
	if err != nil {
		return Layout{}, err
	}
	c.noteDomain(b)
	c.check(b, got, true)
	return got, nil
}

type composer struct {
	whole  Layout // A as given
	a      Layout // coalesced
	modes  []mode // its leaves
	filled []int  // per mode of A: the largest coordinate that the modes of B reach together
	r      *reasons
}

func newComposer(a Layout, r *reasons) *composer {
	c := &composer{whole: a, a: coalesce(a, nil), r: r}
	c.modes = c.a.leaves()
	c.filled = make([]int, len(c.modes))
	if !c.a.equal(a) {
		r.add("A = %s, coalesced %s", a, c.a)
	}
	return c
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

// leaf composes A with one leaf s:d of B. For each mode n:e of A except the last:
//
//	take  = min(⌈n/|d|⌉, s), a mode take:d·e of the result
//	s     = s / take, which must be whole: the shape divisibility condition
//	d     = ⌈|d|/n⌉ with the sign of d; n and d must divide each other: the stride divisibility condition
//
// and the last mode of A yields s:d·e with the remainder.
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
		if err := c.divides(b, k, s, d); err != nil {
			return Layout{}, err
		}
		step := ints.Abs(d)
		next := ints.CeilDiv(n.size, step)
		take := min(next, s)
		if take > 1 {
			e, ok := tensor.Mul(d, n.stride)
			if !ok {
				return Layout{}, overflow(fmt.Sprintf("stride %d·%d", d, n.stride))
			}
			out = append(out, mode{take, e})
			how = append(how, contribution(take, n, d, e))
			c.fill(k, take, step)
			s /= take
		}
		if take == 1 && s > 1 {
			how = append(how, fmt.Sprintf("stride %d skips mode %s, %d/%d = %d", d, n, step, n.size, ints.CeilDiv(step, n.size)))
		}
		d = ints.CeilDiv(step, n.size) * sign(d)
	}
	if s != 1 || out == nil {
		e, ok := tensor.Mul(d, c.modes[last].stride)
		if !ok {
			return Layout{}, overflow(fmt.Sprintf("stride %d·%d", d, c.modes[last].stride))
		}
		out = append(out, mode{s, e})
		how = append(how, contribution(s, c.modes[last], d, e))
	}
	got, err := flat(out)
	if err == nil {
		c.r.add("%s → %s: %s", b, got, strings.Join(how, ", then "))
	}
	return got, err
}

// contribution describes the elements that a mode n of A yields: "2 of mode 6:8 (6/3 = 2) at stride 3·8 = 24".
func contribution(take int, n mode, d, e int) string {
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

// divides checks both divisibility conditions of leaf b at mode k of A, with s elements left at stride d.
func (c *composer) divides(b mode, k, s, d int) error {
	n := c.modes[k].size
	step := ints.Abs(d)
	next := ints.CeilDiv(n, step)
	where := fmt.Sprintf("composing %s with mode %s of %s", b, c.modes[k], c.a)
	if n%step != 0 && step%n != 0 {
		if step > n || s > next { // pycute's condition; layout.hpp's is only step < n
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

// fill adds the reach of a leaf of B in mode k of A.
func (c *composer) fill(k, take, step int) {
	sum, ok := tensor.MulAdd(c.filled[k], take-1, step)
	if !ok {
		sum = math.MaxInt
	}
	c.filled[k] = sum
}

// noteDomain notes if B's indices exceed A's domain, and which mode of A continues there.
func (c *composer) noteDomain(b Layout) {
	low := 0
	high := 0
	for _, m := range b.leaves() {
		far := (m.size - 1) * m.stride
		low += min(0, far)
		high += max(0, far)
	}
	note := func(index int, how string) {
		c.r.note("%s reaches index %d, outside A's domain 0…%d: %s", b, index, c.a.size-1, how)
	}
	if low < 0 {
		note(low, "strides are negated, as in layout.hpp")
		return
	}
	if high < c.a.size {
		return
	}
	how := fmt.Sprintf("mode %s continues", c.modes[len(c.modes)-1])
	if m, dropped := c.dropped(); dropped {
		how += fmt.Sprintf(", as in pycute; in layout.hpp A's last mode %s does", m)
	}
	note(high, how)
}

// dropped returns A's last mode if A(i) differs from the coalesced A's at i ≥ size(A). That is a mode 1:d with d ≠ n·e, where n:e is
// the last mode of the coalesced A: with q = i / size(A), A adds q·d and the coalesced A q·n·e.
func (c *composer) dropped() (mode, bool) {
	all := c.whole.leaves()
	m := all[len(all)-1]
	last := c.modes[len(c.modes)-1]
	return m, m.size == 1 && m.stride != last.size*last.stride
}

// check warns if the result is not A(B(i)), with the first i that shows it; it includes indices outside A's domain only on request.
func (c *composer) check(b, got Layout, outside bool) {
	m, dropped := c.dropped()
	carried, carries := c.carries()
	exact := !carries && !(dropped && outside)
	if c.r == nil || exact {
		return
	}
	for i := range min(b.size, maxChecked) {
		at, errB := b.At(i)
		if errB != nil || at < 0 {
			return
		}
		beyond := at >= c.a.size // outside A's domain
		if beyond && !outside {
			continue
		}
		want, errA := c.whole.At(at)
		index, errR := got.At(i)
		if errA != nil || errR != nil || index == want {
			continue
		}
		cause := fmt.Sprintf("modes of B together carry over mode %s of A, which CuTe does not check", carried)
		if beyond && dropped {
			cause = fmt.Sprintf("index %d is outside A's domain, and A's last mode %s is dropped, as in pycute", at, m)
		}
		c.r.warn("the result is not A∘B at %d: A(B(%d)) = A(%d) = %d, but the result has %d; %s", i, i, at, want, index, cause)
		return
	}
}

// carries returns the first mode of A that modes of B together may carry over.
func (c *composer) carries() (mode, bool) {
	for k, n := range c.modes[:len(c.modes)-1] {
		if c.filled[k] >= n.size {
			return n, true
		}
	}
	return mode{}, false
}

// maxChecked is how many coordinates a check by definition visits.
const maxChecked = 1 << 16
