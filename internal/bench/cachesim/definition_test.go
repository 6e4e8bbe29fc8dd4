package cachesim_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
)

// least is a cache by definition: each set keeps its most recently accessed lines, as many as it has ways.
type least struct {
	sets, ways int
	asked      map[int]int // time of each line's last access
	now        int
}

func newLeast(l cachesim.Level) *least { return &least{l.Sets(), l.Ways, map[int]int{}, 0} }

// has reports whether fewer than ways other lines of the set were accessed since this one.
func (c *least) has(line int) bool {
	then, known := c.asked[line]
	since := 0
	for other, when := range c.asked {
		if other%c.sets == line%c.sets && when > then {
			since++
		}
	}
	c.now++
	c.asked[line] = c.now
	return known && since < c.ways
}

// naive counts byte by byte, by definition.
func naive(g cachesim.Geometry, reads [][2]int) cachesim.Counts {
	var levels []*least
	for _, l := range g.Levels {
		levels = append(levels, newLeast(l))
	}
	c, tlb, last := cachesim.Counts{Misses: make([]int, len(levels))}, newLeast(g.TLB), -1
	for _, r := range reads {
		for b := r[0]; b < r[0]+r[1]; b++ {
			c.Bytes++
			if line := b / g.Levels[0].Line; line != last {
				c.Touches++
				last = line
			}
			if !tlb.has(b / g.TLB.Line) {
				c.Pages++
			}
			for i := 0; i < len(levels) && !levels[i].has(last); i++ {
				c.Misses[i]++
			}
		}
	}
	return c
}

func someLevel(dice *rand.Rand, name string, line int) cachesim.Level {
	ways, sets := 1+dice.IntN(5), 1+dice.IntN(9)
	return cachesim.Level{Name: name, Size: sets * ways * line, Ways: ways, Line: line}
}

func someGeometry(dice *rand.Rand) (g cachesim.Geometry) {
	line := 8 << dice.IntN(3)
	for i := range 1 + dice.IntN(3) {
		g.Levels = append(g.Levels, someLevel(dice, []string{"l1", "l2", "l3"}[i], line))
	}
	g.TLB = someLevel(dice, "tlb", line<<dice.IntN(4))
	return g
}

// On random caches, with any number of sets and ways, random reads miss as the definition of LRU says, accessed byte by byte:
// so the last line need not be accessed again.
func TestAgainstDefinition(t *testing.T) {
	dice := rand.New(rand.NewPCG(7, 8))
	hits := 0
	for range 60 {
		g := someGeometry(dice)
		size := 2 * (g.Levels[0].Size + g.TLB.Line)
		for range 2 {
			s := cachesim.New(g)
			reads := make([][2]int, 80)
			for i := range reads {
				reads[i] = [2]int{dice.IntN(size), dice.IntN(g.Levels[0].Line * 3 / 2)}
				s.Read(reads[i][0], reads[i][1])
			}
			got, want := s.Counts(), naive(g, reads)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%v: %+v, want %+v", g, got, want)
			}
			if got.Misses[0] < got.Touches {
				hits++
			}
		}
	}
	if hits < 60 {
		t.Errorf("%d of 120 had a hit", hits)
	}
}
