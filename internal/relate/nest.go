package relate

import (
	"cmp"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
)

// maxLoops bounds the loops of a nest.
const maxLoops = 32

// nest is the map of a Relation as nested loops, a mixed-radix numeral: position j of B's memory → offset in A's, of size elements.
type nest struct {
	skip, base, size int
	loops            []Loop // innermost first
	rising           []int  // the loops by |Step|
	clips            []clip // of each of rising
}

// clip is where the loops with shorter steps stop short of their end. In nChw4c of C = 6, C's two loops reach 8 channels, but the next
// image begins after 6. Together with start, they must stay in 0 … limit−1; positions elsewhere are padding. A limit of 0 is none.
type clip struct{ start, limit int }

// counter has the digit of each loop at a position.
type counter [maxLoops]int

// newNest drops loops of one step, merges those that continue each other, and finds the clips. ok is false if an offset may overflow.
func newNest(skip, base int, loops []Loop, size int) (m nest, ok bool) {
	m = nest{skip: skip, base: base, size: size}
	count := 1.0
	far := math.Abs(float64(base))
	for _, l := range loops {
		count = count * float64(l.N)
		far = far + float64(l.N)*math.Abs(float64(l.Step))
		m.add(l)
	}
	if len(m.loops) > maxLoops || max(count, far) >= 1<<62 {
		return m, false
	}
	step := func(k int) int { return ints.Abs(m.loops[k].Step) }
	m.rising = ints.Range(len(m.loops))
	slices.SortFunc(m.rising, func(k, l int) int { return cmp.Compare(step(k), step(l)) })
	reach := 0
	for _, k := range m.rising {
		var c clip
		if s := step(k); s > 0 && reach >= s {
			_, c.start = ints.FloorDiv(base, s)
			c.limit = s
		}
		m.clips = append(m.clips, c)
		reach += (m.loops[k].N - 1) * step(k)
	}
	return m, true
}

// add adds an outer loop, as turns of the last one if it continues that.
func (m *nest) add(l Loop) {
	if l.N == 1 {
		return
	}
	if last := len(m.loops) - 1; last >= 0 && l.Step == m.loops[last].N*m.loops[last].Step {
		m.loops[last].N *= l.N
		return
	}
	m.loops = append(m.loops, l)
}

// count returns the number of positions of the loops.
func (m *nest) count() int {
	n := 1
	for _, l := range m.loops {
		n *= l.N
	}
	return n
}

// at returns the offset of position j; ok is false in padding.
func (m *nest) at(j int) (offset int, ok bool) {
	var d counter
	if !m.digits(j, &d) {
		return 0, false
	}
	offset, low, high := m.stretch(&d, 1)
	return offset, low < high
}

// digits sets the digits of position j; false if it is before the first one or beyond the last.
func (m *nest) digits(j int, d *counter) bool {
	j -= m.skip
	if j < 0 {
		return false
	}
	for k, l := range m.loops {
		d[k] = j % l.N
		j /= l.N
	}
	return j == 0
}

// stretch returns the offset of the position with some digits, and which of n positions from it on along the innermost loop are no padding:
// low … high−1.
func (m *nest) stretch(d *counter, n int) (offset, low, high int) {
	sum := 0
	step := 0 // step: what a position adds to sum
	high = n
	for i, k := range m.rising {
		if c := m.clips[i]; c.limit > 0 {
			low, high = within(low, high, c.start+sum, step, c.limit)
		}
		sum += d[k] * m.loops[k].Step
		if k == 0 {
			step = m.loops[0].Step
		}
	}
	offset = m.base + sum
	low, high = within(low, high, offset, step, m.size)
	return offset, low, high
}

// within narrows i in low … high−1 to 0 ≤ start + i·step < limit.
func within(low, high, start, step, limit int) (int, int) {
	inside := func(i int) bool { x := start + i*step; return 0 <= x && x < limit }
	if low >= high || inside(low) && inside(high-1) {
		return low, high
	}
	if step == 0 {
		return low, low
	}
	if step < 0 { // the same positions, counted from the limit
		start = limit - 1 - start
		step = -step
	}
	return max(low, ints.CeilDiv(-start, step)), min(high, ints.CeilDiv(limit-start, step))
}

// run is a stretch of B's memory along the innermost loop: positions from … to−1, at offset, offset+step, … of A.
type run struct{ from, to, offset, step int }

// runs calls do for the stretches of positions from … to−1 that are elements of A, in turn.
func (m *nest) runs(from, to int, do func(run)) {
	from = max(from, m.skip)
	to = min(to, m.skip+m.count())
	inner := Loop{1, 0}
	if len(m.loops) > 0 {
		inner = m.loops[0]
	}
	var d counter
	m.digits(from, &d)
	for j := from; j < to; {
		n := min(inner.N-d[0], to-j)
		if offset, low, high := m.stretch(&d, n); low < high {
			do(run{j + low, j + high, offset + low*inner.Step, inner.Step})
		}
		j += n
		d[0] = 0
		for k := 1; k < len(m.loops); k++ {
			if d[k]++; d[k] < m.loops[k].N {
				break
			}
			d[k] = 0
		}
	}
}
