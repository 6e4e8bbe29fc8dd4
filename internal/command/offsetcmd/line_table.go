package offsetcmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/text"
)

// page writes the line's table and content; also the origin of lines with --all, or if the line holds a header.
func (line *cacheLine) page(p *cli.Page, r *report) {
	p.Section(r.lineTable(line, p.All()))
	remarks := []string{"this line holds " + line.Holds}
	if text := line.origin(p.All()); text != "" {
		remarks = append(remarks, text)
	}
	p.Remarks(remarks...)
}

// origin returns where lines are counted from; without all, only if the line holds a header.
func (line *cacheLine) origin(all bool) string {
	inFile := line.FirstFileByte != nil
	if inFile && line.FirstByte < 0 {
		return fmt.Sprintf("lines are counted from byte 0 of the file; the first %d bytes are header", -line.FirstByte)
	}
	if !all {
		return ""
	}
	if inFile {
		return "lines are counted from byte 0 of the file, as in a memory-mapped file"
	}
	return "the storage is assumed to start on a cache-line boundary"
}

// maxRuns bounds the runs of a line that are shown without --all.
const maxRuns = 7

// lineTable returns a row for each run of consecutive elements in the line, or for those around the result; if each is set, one for
// each offset.
func (r *report) lineTable(line *cacheLine, each bool) render.Table {
	title := fmt.Sprintf("Line of %d bytes: offsets %d..%d, bytes %d..%d", line.Size, line.FirstOffset, line.LastOffset,
		line.FirstByte, line.LastByte)
	t := render.Table{Title: title, Header: []string{"", "offset", "byte"}, Numbers: []int{1, 2}}
	if line.FirstFileByte != nil {
		t.Title += fmt.Sprintf(" (%d..%d in the file)", *line.FirstFileByte, *line.LastFileByte)
		t.Header = append(t.Header, "in file")
		t.Numbers = append(t.Numbers, 3)
	}
	t.Header = append(t.Header, strings.ToLower(strings.Join(r.Dims, ",")))
	if r.DataOffset != nil {
		t.Header = append(t.Header, "value")
	}
	straddling := line.straddling(r.ItemSize)
	if straddling {
		t.Header = append(t.Header, "in the line")
	}
	queried := 0
	for cells := line.Cells; len(cells) > 0; {
		n := 1
		if !each {
			n = runLength(cells, r.ItemSize)
		}
		row := r.lineRow(cells[:n], each, straddling)
		if row[0] != "" {
			queried = len(t.Rows)
		}
		t.Add(row...)
		cells = cells[n:]
	}
	if !each {
		t.Rows = around(t.Rows, queried)
	}
	return t
}

// around keeps maxRuns rows around row i, and marks omitted ones at both ends.
func around(rows [][]string, i int) [][]string {
	from := max(0, min(i-maxRuns/2, len(rows)-maxRuns))
	to := min(len(rows), from+maxRuns)
	omitted := make([]string, len(rows[0]))
	omitted[1] = "…"
	kept := slices.Clone(rows[from:to])
	if from > 0 {
		kept = slices.Insert(kept, 0, omitted)
	}
	if to < len(rows) {
		kept = append(kept, omitted)
	}
	return kept
}

// lineRow returns the row of a run of cells, with its first and last byte; if each is set, that of one cell with its first byte.
func (r *report) lineRow(run []lineCell, each, straddling bool) []string {
	first := run[0]
	last := run[len(run)-1]
	mark := ""
	more := int64(r.ItemSize) - 1
	if each {
		more = 0
	}
	if slices.ContainsFunc(run, func(c lineCell) bool { return c.Asked }) {
		mark = ">"
	}
	row := []string{mark, fromTo(int64(first.Offset), int64(last.Offset)), fromTo(first.Byte, last.Byte+more)}
	if first.FileByte != nil {
		row = append(row, fromTo(*first.FileByte, *last.FileByte+more))
	}
	cell := first.text()
	if d := varying(first, last); d >= 0 {
		indices := text.Each(first.Coords[0])
		indices[d] += fmt.Sprintf("..%d", last.Coords[0][d])
		cell = strings.Join(indices, ",")
	}
	row = append(row, cell)
	if first.FileByte != nil {
		row = append(row, valuesOf(run))
	}
	if !straddling {
		return row
	}
	inside := ""
	if first.Inside < r.ItemSize {
		inside = fmt.Sprintf("%d of its %d bytes", first.Inside, r.ItemSize)
	}
	return append(row, inside)
}

// fromTo returns a range of numbers, 16..19, or one number.
func fromTo(from, to int64) string {
	if from == to {
		return strconv.FormatInt(from, 10)
	}
	return fmt.Sprintf("%d..%d", from, to)
}

// runLength returns the number of leading cells that are one run: padding, undecided ones, or elements that are entirely in the line
// and count one index up.
func runLength(cells []lineCell, itemSize int) int {
	n := 1
	dim := -1
	for ; n < len(cells) && cells[n-1].Inside == itemSize && cells[n].Inside == itemSize; n++ {
		last := cells[n-1]
		next := cells[n]
		if len(last.Coords)+len(next.Coords) == 0 && last.Complete == next.Complete {
			continue
		}
		by := varying(last, next)
		if by < 0 || next.Coords[0][by] != last.Coords[0][by]+1 {
			break
		}
		if dim >= 0 && by != dim {
			break
		}
		dim = by
	}
	return n
}

// varying returns the only dim in which two cells differ; -1 if there is none, or if one of them does not hold exactly one element.
func varying(a, b lineCell) int {
	if !a.single() || !b.single() {
		return -1
	}
	dim := -1
	for d, i := range a.Coords[0] {
		if i == b.Coords[0][d] {
			continue
		}
		if dim >= 0 {
			return -1
		}
		dim = d
	}
	return dim
}

func (c lineCell) single() bool { return len(c.Coords) == 1 && c.Complete }

func (c lineCell) isPadding() bool { return len(c.Coords) == 0 && c.Complete }

// valuesOf lists the values of a run, or the first and the last of a long one.
func valuesOf(run []lineCell) string {
	if len(run) > 5 {
		return fmt.Sprintf("%s, %s, … %s", valueOf(run[0]), valueOf(run[1]), valueOf(run[len(run)-1]))
	}
	values := make([]string, len(run))
	for i, c := range run {
		values[i] = valueOf(c)
	}
	return strings.Join(values, ", ")
}

func valueOf(c lineCell) string {
	if c.Value == nil {
		return "-"
	}
	return text.Shorten(*c.Value)
}

// straddling reports whether an element crosses a boundary of the line.
func (line *cacheLine) straddling(itemSize int) bool {
	for _, c := range line.Cells {
		if c.Inside < itemSize {
			return true
		}
	}
	return false
}

// text lists the coordinates at the offset, with "…" if there may be more; x for padding.
func (c lineCell) text() string {
	if c.Complete && len(c.Coords) == 0 {
		return "x" // padding
	}
	parts := make([]string, len(c.Coords))
	for i, coord := range c.Coords {
		parts[i] = text.Ints(coord, ",")
	}
	if !c.Complete {
		parts = append(parts, "…")
	}
	return strings.Join(parts, " ")
}
