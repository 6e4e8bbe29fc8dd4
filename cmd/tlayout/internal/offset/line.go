package offset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// offsetLine is the cache line that holds the first byte of an element, and what else lies in it.
type offsetLine struct {
	Size          int64      `json:"size"`
	FirstByte     int64      `json:"first_byte"` // of the storage; negative where the line begins in a file's header
	LastByte      int64      `json:"last_byte"`
	FirstFileByte *int64     `json:"first_file_byte"` // null without a file
	LastFileByte  *int64     `json:"last_file_byte"`
	FirstOffset   int        `json:"first_offset"` // the first and the last element of the storage with a byte in the line
	LastOffset    int        `json:"last_offset"`
	Places        int        `json:"places"` // with elements
	Padding       int        `json:"padding"`
	Unknown       int        `json:"unknown"` // places of which it would take too long to tell
	Holds         string     `json:"holds"`
	Cells         []lineCell `json:"cells"`
}

// lineCell is one element of the storage that has a byte in the line.
type lineCell struct {
	place
	Coords   [][]int `json:"coords"` // at most shownCoords
	Complete bool    `json:"complete"`
	Asked    bool    `json:"asked"`
	Inside   int     `json:"bytes_inside"` // how many of its bytes lie in the line
}

// line lists the line that holds the result's place. Lines are counted from the beginning of the file, or of the
// storage where there is none.
func (r *report) line(result *offsetResult, size int64) *offsetLine {
	base, item := int64(0), int64(r.ItemSize)
	if r.DataOffset != nil {
		base = *r.DataOffset
	}
	number, _ := ints.FloorDiv(base+result.Byte+int64(result.Within), size)
	start := number*size - base
	line := &offsetLine{Size: size, FirstByte: start, LastByte: start + size - 1}
	if r.DataOffset != nil {
		first, last := base+start, base+start+size-1
		line.FirstFileByte, line.LastFileByte = &first, &last
	}
	first, _ := ints.FloorDiv(start, item)
	last, _ := ints.FloorDiv(line.LastByte, item)
	low, high, _ := r.tensor.Layout.Span()
	line.FirstOffset = int(max(first, int64(min(0, low))))
	line.LastOffset = int(min(last, int64(max(r.Storage-1, high))))
	tries := givenUp
	for off := line.FirstOffset; off <= line.LastOffset; off++ {
		c := r.lineCell(line, off, tries > 0)
		if len(c.Coords) == 0 && !c.Complete {
			tries--
		}
		if c.Asked = off == result.Offset; c.Asked && len(c.Coords) == 0 && result.Coord != nil {
			c.Coords = [][]int{result.Coord}
		}
		line.Cells = append(line.Cells, c)
	}
	line.sumUp(r.tensor.Layout)
	return line
}

// givenUp is how many places of a line may turn out too hard before the others are taken to be so.
const givenUp = 64

func (r *report) lineCell(line *offsetLine, off int, search bool) lineCell {
	c := lineCell{place: r.place(off), Coords: [][]int{}}
	if search {
		coords, complete := r.tensor.Layout.Find(off, shownCoords)
		c.Coords, c.Complete = append(c.Coords, coords...), complete
	}
	c.Inside = int(min(c.Byte+int64(r.ItemSize)-1, line.LastByte)-max(c.Byte, line.FirstByte)) + 1
	return c
}

// sumUp says in a sentence what shares the line: how many elements, and their indices where they are a box.
func (line *offsetLine) sumUp(l tensor.Layout) {
	var firsts [][]int
	several := false
	for _, c := range line.Cells {
		switch {
		case len(c.Coords) > 0:
			firsts, several = append(firsts, c.Coords[0]), several || len(c.Coords) > 1
		case c.Complete:
			line.Padding++
		default:
			line.Unknown++
		}
	}
	line.Places = len(firsts)
	var parts []string
	switch n := len(firsts); {
	case several:
		parts = append(parts, fmt.Sprintf("%d %s, some with several elements", n, words.Plural(n, "place", "places")))
	case n == 1:
		parts = append(parts, "1 element")
	case n > 1:
		parts = append(parts, fmt.Sprintf("%d elements, %s", n, boxOf(l, firsts)))
	}
	if line.Padding > 0 {
		parts = append(parts, fmt.Sprintf("%d %s of padding", line.Padding, words.Plural(line.Padding, "place", "places")))
	}
	if line.Unknown > 0 {
		parts = append(parts, fmt.Sprintf("%d %s too hard to tell", line.Unknown, words.Plural(line.Unknown, "place", "places")))
	}
	line.Holds = strings.Join(parts, "; ")
}

// boxOf names the coordinates by ranges, c=0..15 of n=0,h=0,w=0, where they are all that lie inside them; otherwise by
// the first and the last of them.
func boxOf(l tensor.Layout, coords [][]int) string {
	low, high := slices.Clone(coords[0]), slices.Clone(coords[0])
	for _, c := range coords {
		for d, i := range c {
			low[d], high[d] = min(low[d], i), max(high[d], i)
		}
	}
	count := 1
	var varying, fixed []string
	for d := range low {
		name := strings.ToLower(l.Dim(d).Name)
		if low[d] == high[d] {
			fixed = append(fixed, fmt.Sprintf("%s=%d", name, low[d]))
			continue
		}
		varying = append(varying, fmt.Sprintf("%s=%d..%d", name, low[d], high[d]))
		if count *= high[d] - low[d] + 1; count > len(coords) {
			return fmt.Sprintf("from %s to %s", words.Brackets(coords[0]), words.Brackets(coords[len(coords)-1]))
		}
	}
	s := strings.Join(varying, " ")
	if len(fixed) > 0 {
		s += " of " + strings.Join(fixed, ",")
	}
	return s
}
