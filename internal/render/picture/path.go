package picture

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Path is an access order, as in bench. Within an image, with dim C for the channels:
//
//	Channel    for every pixel: for every channel
//	Spatial    for every channel: for every pixel
type Path string

// The paths.
const (
	NoPath  Path = ""
	Channel Path = "channel"
	Spatial Path = "spatial"
)

// trail is the first steps of a path.
type trail struct {
	path   Path
	coords [][]int
	at     map[int]int // step, from 1, by element number
}

// newTrail returns a trail of at most steps steps. It fails with Usage if the layout has no dim C or no spatial dim.
func newTrail(l tensor.Layout, p Path, steps int) (trail, error) {
	t := trail{path: p, at: map[int]int{}}
	if p == NoPath {
		return t, nil
	}
	order, ok := l.AccessOrder(p == Channel)
	if !ok {
		return t, fault.New(fault.Usage, "dims %s: a path needs a dim C and a spatial dim", strings.Join(l.Names(), ", ")).
			WithHint("name the dims of a file with --from, or describe a tensor with --shape 2,64,3,3")
	}
	coord := make([]int, l.Rank())
	for range min(steps, l.Numel()) {
		t.coords = append(t.coords, slices.Clone(coord))
		t.at[number(l, coord)] = len(t.coords)
		for _, d := range slices.Backward(order) {
			if coord[d]++; coord[d] < l.Dim(d).Size {
				break
			}
			coord[d] = 0
		}
	}
	return t, nil
}

// reach returns how many indices of each dim a picture needs to show all steps, and the last index.
func (t trail) reach(rank int) []int {
	n := make([]int, rank)
	for _, coord := range t.coords {
		for d, i := range coord {
			if i > 0 {
				n[d] = max(n[d], i+2)
			}
		}
	}
	return n
}

// visit is a trail through a storage.
type visit struct {
	offsets []int        // step by step
	steps   map[int]int  // first step at each offset, from 1
	lines   map[int]bool // the cache lines touched
}

// visit follows the trail through a layout. An access touches every line that contains a byte of the element.
func (t trail) visit(l tensor.Layout, size, line int) visit {
	v := visit{steps: map[int]int{}, lines: map[int]bool{}}
	for i, coord := range t.coords {
		off := l.At(coord...)
		v.offsets = append(v.offsets, off)
		if v.steps[off] != 0 {
			continue
		}
		v.steps[off] = i + 1
		for n := lineOf(off*size, line); n <= lineOf(off*size+size-1, line); n++ {
			v.lines[n] = true
		}
	}
	return v
}

// lineOf returns the cache line of a byte, ⌊byte / line⌋; negative before the storage.
func lineOf(at, line int) int {
	if at < 0 {
		return -ints.CeilDiv(-at, line)
	}
	return at / line
}

// fetched describes the cost of the steps.
func (t trail) fetched(v visit, size, shared, line int) string {
	name := "spatial"
	if t.path == Channel {
		name = "channel-wise"
	}
	return fmt.Sprintf("%s: %s %s %s of %d B, each once, and %s %d of %d bytes", name,
		count(len(v.offsets), "access", "accesses"), text.Plural(len(v.offsets), "fetches", "fetch"),
		text.Count(len(v.lines), "line"), line, text.Plural(len(v.offsets), "uses", "use"), ints.CeilDiv(len(v.steps)*size, shared), len(v.lines)*line)
}

func count(n int, singular, plural string) string {
	return fmt.Sprintf("%d %s", n, text.Plural(n, singular, plural))
}
