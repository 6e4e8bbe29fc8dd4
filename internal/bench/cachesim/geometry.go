package cachesim

import (
	"fmt"
	"strings"
)

// Level is one cache: sets of Ways lines each. Line n, which starts at byte n·Line, belongs to set n mod Sets.
type Level struct {
	Name string // l1, l2, l3 or tlb
	Size int    // bytes; for the tlb, of the pages that it maps
	Ways int    // lines in a set
	Line int    // bytes, a power of two; for the tlb, a page
}

// Sets is Size / (Ways·Line), not necessarily a power of two.
func (l Level) Sets() int { return l.Size / (l.Ways * l.Line) }

// Geometry is a cache hierarchy with one line size, and a TLB.
type Geometry struct {
	Levels []Level // nearest first; at least one
	TLB    Level
}

// Reference is a typical server core of 2023, with a TLB of 64 entries.
var Reference = Geometry{
	Levels: []Level{
		{Name: "l1", Size: 48 << 10, Ways: 12, Line: 64}, {Name: "l2", Size: 2 << 20, Ways: 16, Line: 64},
		{Name: "l3", Size: 32 << 20, Ways: 16, Line: 64},
	},
	TLB: Level{Name: "tlb", Size: 256 << 10, Ways: 4, Line: 4 << 10},
}

// names are the possible levels, nearest first, and the TLB.
var names = []string{"l1", "l2", "l3", "tlb"}

// String names every level; Parse is its inverse:
//
//	l1=48K,12,64 l2=2M,16,64 l3=none tlb=256K,4,4K
func (g Geometry) String() string {
	var entries []string
	for i, name := range names[:3] {
		if i < len(g.Levels) {
			entries = append(entries, g.Levels[i].String())
		} else {
			entries = append(entries, name+"=none")
		}
	}
	return strings.Join(append(entries, g.TLB.String()), " ")
}

func (l Level) String() string {
	return fmt.Sprintf("%s=%s,%d,%s", l.Name, bytesText(l.Size), l.Ways, bytesText(l.Line))
}

// units of bytes, largest first.
var units = []struct {
	suffix string
	bits   int
}{{"G", 30}, {"M", 20}, {"K", 10}, {"", 0}}

// bytesText is n in the largest unit that divides it: 48K, 2M, 100.
func bytesText(n int) string {
	for _, u := range units {
		if n>>u.bits > 0 && n>>u.bits<<u.bits == n {
			return fmt.Sprint(n>>u.bits, u.suffix)
		}
	}
	return "0"
}
