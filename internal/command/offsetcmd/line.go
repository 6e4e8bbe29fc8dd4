package offsetcmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// cacheLine is the cache line of an element's first byte, and the offsets with a byte in it.
type cacheLine struct {
	Size int64 `json:"line_bytes"`
	// first byte of the line in the storage
	FirstByte int64 `json:"first_byte" jsonschema:"negative in a file's header"`
	LastByte  int64 `json:"last_byte"` // last byte of the line in the storage
	// first byte of the line in the file
	FirstFileByte *int64     `json:"first_file_byte" jsonschema:"null without a file"`
	LastFileByte  *int64     `json:"last_file_byte"`   // last byte of the line in the file
	FirstOffset   int        `json:"first_offset"`     // first offset with a byte in the line
	LastOffset    int        `json:"last_offset"`      // last offset with a byte in the line
	Occupied      int        `json:"occupied_offsets"` // offsets in the line with elements
	Padding       int        `json:"pad_offsets"`      // offsets in the line without elements
	Unknown       int        `json:"unknown_offsets"`  // offsets in the line undecided within the search limit
	Holds         string     `json:"holds"`            // elements in it
	Cells         []lineCell `json:"cells"`
}

// lineCell is an offset with a byte in the line.
type lineCell struct {
	position
	Coords   [][]int `json:"coords"`       // coordinates of the elements here; the first ones
	Complete bool    `json:"complete"`     // coords has all
	Asked    bool    `json:"asked"`        // this is the result's offset
	Inside   int     `json:"bytes_inside"` // the part of the element in the line, in bytes
}

// line returns the line that holds the result's byte. Lines are counted from byte 0 of the file, or of the storage without a file.
func (f *finder) line(r *result, size int64) *cacheLine {
	base := int64(0)
	item := int64(f.itemSize)
	if f.dataStart != nil {
		base = *f.dataStart
	}
	number, _ := ints.FloorDiv(base+r.Byte+int64(r.Within), size)
	start := number*size - base
	line := &cacheLine{Size: size, FirstByte: start, LastByte: start + size - 1}
	if f.dataStart != nil {
		first := base + start
		last := first + size - 1
		line.FirstFileByte = &first
		line.LastFileByte = &last
	}
	first, _ := ints.FloorDiv(start, item)
	last, _ := ints.FloorDiv(line.LastByte, item)
	low, high, _ := f.Layout.Span()
	line.FirstOffset = int(max(first, int64(min(0, low))))
	line.LastOffset = int(min(last, int64(max(f.Layout.Alloc()-1, high))))
	searches := maxUndecided
	for off := line.FirstOffset; off <= line.LastOffset; off++ {
		c := f.lineCell(line, off, searches > 0)
		if len(c.Coords) == 0 && !c.Complete {
			searches--
		}
		c.Asked = off == r.Offset
		if c.Asked && len(c.Coords) == 0 && r.Coord != nil {
			c.Coords = [][]int{r.Coord}
		}
		line.Cells = append(line.Cells, c)
	}
	line.sumUp(f.Layout)
	return line
}

// maxUndecided is the number of undecided searches after which the other offsets of a line are not searched.
const maxUndecided = 64

func (f *finder) lineCell(line *cacheLine, off int, search bool) lineCell {
	c := lineCell{position: f.position(off), Coords: [][]int{}}
	if search {
		coords, complete := f.Layout.Find(off, maxShown)
		c.Coords = append(c.Coords, coords...)
		c.Complete = complete
	}
	c.Inside = int(min(c.Byte+int64(f.itemSize)-1, line.LastByte)-max(c.Byte, line.FirstByte)) + 1
	return c
}

// sumUp counts elements and padding in the line, and summarizes them with the ranges of the elements' indices.
func (line *cacheLine) sumUp(l tensor.Layout) {
	var firsts [][]int
	shared := false
	for _, c := range line.Cells {
		if len(c.Coords) > 0 {
			firsts = append(firsts, c.Coords[0])
			shared = shared || len(c.Coords) > 1
			continue
		}
		if c.Complete {
			line.Padding++
		} else {
			line.Unknown++
		}
	}
	line.Occupied = len(firsts)
	var parts []string
	if len(firsts) > 0 {
		parts = append(parts, elementsText(l, firsts, shared))
	}
	if line.Padding > 0 {
		parts = append(parts, "padding at "+text.Count(line.Padding, "offset"))
	}
	if line.Unknown > 0 {
		parts = append(parts, text.Count(line.Unknown, "offset")+" undecided within the search limit")
	}
	line.Holds = strings.Join(parts, "; ")
}

// elementsText counts elements, given the first at each offset, and returns the ranges of their indices unless elements share an offset.
func elementsText(l tensor.Layout, firsts [][]int, shared bool) string {
	n := len(firsts)
	if shared {
		return fmt.Sprintf("elements at %s, some with several", text.Count(n, "offset"))
	}
	if n == 1 {
		return "1 element"
	}
	return fmt.Sprintf("%d elements, %s", n, boxOf(l, firsts))
}

// boxOf returns coordinates as ranges of their indices, "c=0..15 of n=0,h=0,w=0", if they are all coordinates in those ranges;
// otherwise the first and the last.
func boxOf(l tensor.Layout, coords [][]int) string {
	low := slices.Clone(coords[0])
	high := slices.Clone(coords[0])
	for _, c := range coords {
		for d, i := range c {
			low[d] = min(low[d], i)
			high[d] = max(high[d], i)
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
			return fmt.Sprintf("from %s to %s", text.Brackets(coords[0]), text.Brackets(coords[len(coords)-1]))
		}
	}
	s := strings.Join(varying, " ")
	if len(fixed) > 0 {
		s += " of " + strings.Join(fixed, ",")
	}
	return s
}
