package convert

import (
	"fmt"
	"slices"
	"testing"
)

// TestElementwise: the plain loop over random conversions visits exactly the pairs of offsets that the layouts define, in
// the destination's order within each box, and stops at its limit.
func TestElementwise(t *testing.T) {
	families := parsedFamilies(t)
	for k := range 400 {
		d := diceOf(32, k)
		c := d.randomCase(families)
		p, err := NewPlan(c.dst, c.src, c.item)
		if err != nil {
			continue
		}
		var got, want [][2]int
		log := Accesses{Read: func(at, n int) { got = append(got, [2]int{at, -n}) }, Write: func(at, n int) { got[len(got)-1][1] = at + n - c.item }}
		if n := p.Elementwise(1<<30, log); n != c.src.Numel() {
			t.Errorf("%s to %s: %d elements of %d", c.src, c.dst, n, c.src.Numel())
		}
		for coord, at := range c.src.Logical() {
			want = append(want, [2]int{at * c.item, c.dst.At(inOrder(coord, c)...) * c.item})
		}
		if len(p.Boxes) == 1 && !slices.IsSortedFunc(got, func(a, b [2]int) int { return a[1] - b[1] }) {
			t.Errorf("%s to %s: not in the destination's order", c.src, c.dst)
		}
		if !sameSet(got, want) {
			t.Errorf("%s to %s: %v, expected %v", c.src, c.dst, got, want)
		}
		if limit := c.src.Numel() / 2; p.Elementwise(limit, Accesses{func(int, int) {}, func(int, int) {}}) != limit {
			t.Errorf("%s to %s does not stop at %d elements", c.src, c.dst, limit)
		}
	}
}

// inOrder returns a coordinate of the source in the order of the destination's dims.
func inOrder(coord []int, c randomCase) []int {
	out := make([]int, len(coord))
	for i, name := range c.dst.Names() {
		out[i] = coord[slices.Index(c.src.Names(), name)]
	}
	return out
}

func sameSet(a, b [][2]int) bool {
	less := func(x, y [2]int) int { return slices.Compare(x[:], y[:]) }
	slices.SortFunc(a, less)
	slices.SortFunc(b, less)
	return slices.Equal(a, b)
}

// TestTilewise: the plan's accesses in tiles of any size cover every element of random conversions on both sides, stay inside both
// storages, and write no byte twice.
func TestTilewise(t *testing.T) {
	families := parsedFamilies(t)
	kinds := map[string]int{}
	for k := range 1500 {
		d := diceOf(33, k)
		c := d.randomCase(families)
		p, err := NewPlan(c.dst, c.src, c.item)
		if err != nil {
			continue
		}
		read, written := make([]int, c.src.Alloc()*c.item), make([]int, c.dst.Alloc()*c.item)
		mark := func(bytes []int) func(at, n int) {
			return func(at, n int) {
				for b := at; b < at+n; b++ {
					bytes[b]++
				}
			}
		}
		const tiles = 200 // maximum, about; with more of them a case takes too long
		cache := max(oneOf(d, []int{64, 1 << 10, 64 << 10, 1 << 20}), 2*len(written)/tiles)
		if n := p.Tilewise(cache, 1<<30, Accesses{mark(read), mark(written)}); n != c.src.Numel() {
			t.Errorf("%s to %s: %d elements of %d", c.src, c.dst, n, c.src.Numel())
		}
		if err := covers(c, read, written); err != nil {
			t.Errorf("case %d, elements of %d bytes, %s to %s, tiles of %d: %v", k, c.item, c.src, c.dst, cache/2, err)
		}
		for _, c := range p.matrices.cached {
			if c.matrix != nil {
				kinds[c.matrix.kind()]++
			}
		}
	}
	for _, kind := range []string{Copies, transposes, interleaves, deinterleaves} {
		if kinds[kind] < 10 {
			t.Errorf("%s was hardly drawn: %v", kind, kinds)
		}
	}
}

// covers checks the number of accesses to each byte of both storages.
func covers(c randomCase, read, written []int) error {
	to := addresses(c.dst, c.names)
	for k, at := range addresses(c.src, c.names) {
		for b := range c.item {
			if read[at*c.item+b] == 0 {
				return fmt.Errorf("byte %d of the source is not read", at*c.item+b)
			}
			if n := written[to[k]*c.item+b]; n != 1 {
				return fmt.Errorf("byte %d of the destination is written %d times", to[k]*c.item+b, n)
			}
		}
	}
	if most := slices.Max(append(written, 0)); most > 1 {
		return fmt.Errorf("padding is written %d times", most)
	}
	return nil
}
