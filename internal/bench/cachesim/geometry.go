package cachesim

import (
	"fmt"
	"strings"
)

// Level is one cache: sets of Ways lines each. The line with number n, which begins at byte n·Line, goes into set
// n mod Sets.
type Level struct {
	Name string // l1, l2, l3 or tlb
	Size int    // bytes that it holds; for the tlb, bytes whose pages it knows
	Ways int    // lines in a set
	Line int    // bytes, a power of two; for the tlb, a page
}

// Sets is Size / (Ways·Line), any number.
func (l Level) Sets() int { return l.Size / (l.Ways * l.Line) }

// Geometry is a hierarchy of caches with lines of one size, and a table of the pages that were translated last.
type Geometry struct {
	Levels []Level // nearest first; at least one
	TLB    Level
}

// Reference is a core of a server of the years around 2023, with 64 entries for pages.
var Reference = Geometry{
	Levels: []Level{{"l1", 48 << 10, 12, 64}, {"l2", 2 << 20, 16, 64}, {"l3", 32 << 20, 16, 64}},
	TLB:    Level{"tlb", 256 << 10, 4, 4 << 10},
}

// names are the levels that there may be, nearest first, and the table.
var names = []string{"l1", "l2", "l3", "tlb"}

// String names every level, so that Parse reads the same geometry back:
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

// units are what bytes are counted in, largest first.
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
