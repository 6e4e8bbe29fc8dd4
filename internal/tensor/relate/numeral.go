package relate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// maxLoops bounds the loops of a numeral.
const maxLoops = 32

// numeral is the map of a Relation: position j of B's memory → offset in A's, of size elements.
type numeral struct {
	skip, base int
	loops      []Loop // innermost first
	clips      []clip
	size       int
}

// clip is where some of the loops stop short of their end. In nChw4c of C = 6, C's two loops reach 8 channels, but the next image
// begins after 6. Together with start, the loops in the set must stay in 0 … limit−1; positions elsewhere are padding.
type clip struct {
	limit, start int
	loops        [maxLoops]bool
}

// newNumeral drops loops of one step, merges those that continue each other, and finds the clips. ok is false if an offset overflows.
func newNumeral(skip, base int, loops []Loop, size int) (m numeral, ok bool) {
	m = numeral{skip: skip, base: base, size: size}
	for _, l := range loops {
		if l.N == 1 {
			continue
		}
		if last := len(m.loops) - 1; last >= 0 && l.Step == m.loops[last].N*m.loops[last].Step {
			m.loops[last].N *= l.N
			continue
		}
		m.loops = append(m.loops, l)
	}
	if len(m.loops) > maxLoops || !m.fits() {
		return m, false
	}
	m.findClips()
	return m, true
}

func (m *numeral) fits() bool {
	count, reach := 1, ints.Abs(m.base)
	for _, l := range m.loops {
		var fine, near, in bool
		var far int
		count, fine = tensor.Mul(count, l.N)
		far, near = tensor.Mul(l.N-1, ints.Abs(l.Step))
		reach, in = tensor.Add(reach, far)
		if !fine || !near || far > 0 && !in {
			return false
		}
	}
	return true
}

// findClips sorts the loops by step: where those with the shorter steps reach beyond the next step, they are clipped to it.
func (m *numeral) findClips() {
	order := ints.Range(len(m.loops))
	step := func(k int) int { return ints.Abs(m.loops[k].Step) }
	slices.SortFunc(order, func(k, l int) int { return cmp.Compare(step(k), step(l)) })
	m.clips = nil
	reach, c := 0, clip{}
	for _, k := range order {
		if s := step(k); s > 0 && reach >= s {
			c.limit = s
			_, c.start = ints.FloorDiv(m.base, s)
			m.clips = append(m.clips, c)
		}
		reach += (m.loops[k].N - 1) * step(k)
		c.loops[k] = true
	}
	c.limit, c.start = m.size, m.base
	m.clips = append(m.clips, c)
}

// at returns the offset of position j; ok is false in padding.
func (m *numeral) at(j int) (offset int, ok bool) {
	var digits [maxLoops]int
	if !m.digits(j, digits[:len(m.loops)]) {
		return 0, false
	}
	for i := range m.clips {
		if sum := m.sum(&m.clips[i], digits[:]); sum < 0 || sum >= m.clips[i].limit {
			return 0, false
		} else {
			offset = sum // the last clip has all loops
		}
	}
	return offset, true
}

// digits returns the digits of position j; false if it is before the first one or beyond the last.
func (m *numeral) digits(j int, digits []int) bool {
	j -= m.skip
	if j < 0 {
		return false
	}
	for k, l := range m.loops {
		digits[k] = j % l.N
		j /= l.N
	}
	return j == 0
}

func (m *numeral) sum(c *clip, digits []int) int {
	sum := c.start
	for k, l := range m.loops {
		if c.loops[k] {
			sum += digits[k] * l.Step
		}
	}
	return sum
}

// count returns the number of positions of the loops.
func (m *numeral) count() int {
	n := 1
	for _, l := range m.loops {
		n *= l.N
	}
	return n
}

// key tells numerals of different functions apart.
func (m *numeral) key() string { return fmt.Sprint(m.skip, m.base, m.loops) }

// run is a stretch of B's memory along the innermost loop: positions from … to−1, at offset, offset+step, … of A.
type run struct{ from, to, offset, step int }

// runs calls do for the stretches of positions from … to−1 that are elements of A, in turn.
func (m *numeral) runs(from, to int, do func(run)) {
	from, to = max(from, m.skip), min(to, m.skip+m.count())
	if from >= to {
		return
	}
	inner := Loop{1, 0}
	if len(m.loops) > 0 {
		inner = m.loops[0]
	}
	var digits [maxLoops]int
	m.digits(from, digits[:len(m.loops)])
	for j := from; j < to; {
		n := min(inner.N-digits[0], to-j)
		low, high := 0, n
		var offset int
		for i := range m.clips {
			c := &m.clips[i]
			offset = m.sum(c, digits[:])
			if len(m.loops) == 0 || c.loops[0] {
				low, high = within(low, high, offset, inner.Step, c.limit)
			} else if offset < 0 || offset >= c.limit {
				high = 0
			}
		}
		if low < high {
			do(run{j + low, j + high, offset + low*inner.Step, inner.Step})
		}
		j += n
		digits[0] = 0
		for k := 1; k < len(m.loops); k++ {
			if digits[k]++; digits[k] < m.loops[k].N {
				break
			}
			digits[k] = 0
		}
	}
}

// within narrows i in low … high−1 to 0 ≤ start + i·step < limit.
func within(low, high, start, step, limit int) (int, int) {
	switch {
	case step == 0:
		if start < 0 || start >= limit {
			return low, low
		}
		return low, high
	case step < 0:
		start, step = limit-1-start, -step
	}
	first := -start // start + i·step ≥ 0
	low = max(low, ints.CeilDiv(first, step))
	return low, min(high, ints.CeilDiv(limit-start, step))
}
