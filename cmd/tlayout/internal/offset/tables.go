package offset

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/words"
)

// writeLine writes what lies in a cache line.
func (r *report) writeLine(a *cli.App, line *offsetLine) error {
	about := "lines are counted from the storage's first byte, which is taken to begin one"
	if line.FirstFileByte != nil {
		about = "lines are counted from the file's first byte, as it is mapped into memory"
		if head := min(0, line.FirstByte); head < 0 {
			about += fmt.Sprintf("; the first %d bytes are the header's", -head)
		}
	}
	if err := cli.WriteSection(a, r.lineTable(line)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.Stdout, "\n%s\n%s\n", a.Item("this line holds "+line.Holds), a.Item(about))
	return err
}

// lineTable has a row for each place of the line.
func (r *report) lineTable(line *offsetLine) render.Table {
	title := fmt.Sprintf("Line of %d bytes: offsets %d..%d, bytes %d..%d", line.Size, line.FirstOffset, line.LastOffset,
		line.FirstByte, line.LastByte)
	t := render.Table{Title: title, Header: []string{"", "offset", "byte"}, Numbers: []int{1, 2}}
	if line.FirstFileByte != nil {
		t.Title += fmt.Sprintf(" (%d..%d in the file)", *line.FirstFileByte, *line.LastFileByte)
		t.Header, t.Numbers = append(t.Header, "in file"), append(t.Numbers, 3)
	}
	t.Header = append(t.Header, strings.ToLower(strings.Join(r.Dims, ",")))
	if r.DataOffset != nil {
		t.Header = append(t.Header, "value")
	}
	straddling := line.straddling(r.ItemSize)
	if straddling {
		t.Header = append(t.Header, "in the line")
	}
	for _, c := range line.Cells {
		t.Add(r.lineRow(c, straddling)...)
	}
	return t
}

func (r *report) lineRow(c lineCell, straddling bool) []string {
	mark, value, inside := "", "-", ""
	if c.Asked {
		mark = ">"
	}
	row := []string{mark, strconv.Itoa(c.Offset), strconv.FormatInt(c.Byte, 10)}
	if c.FileByte != nil {
		row = append(row, strconv.FormatInt(*c.FileByte, 10))
	}
	row = append(row, c.text())
	if c.Value != nil {
		value = words.Shorten(*c.Value)
	}
	if c.FileByte != nil {
		row = append(row, value)
	}
	if c.Inside < r.ItemSize {
		inside = fmt.Sprintf("%d of its %d bytes", c.Inside, r.ItemSize)
	}
	if straddling {
		row = append(row, inside)
	}
	return row
}

// straddling reports whether an item lies across an end of the line.
func (line *offsetLine) straddling(itemSize int) bool {
	for _, c := range line.Cells {
		if c.Inside < itemSize {
			return true
		}
	}
	return false
}

// text prints what lives in the place: x for padding, coordinates otherwise, and "…" where there may be more.
func (c lineCell) text() string {
	parts := make([]string, len(c.Coords))
	for i, coord := range c.Coords {
		parts[i] = words.Ints(coord, ",")
	}
	switch {
	case !c.Complete:
		parts = append(parts, "…")
	case len(parts) == 0:
		return "x"
	}
	return strings.Join(parts, " ")
}

// csv has a row for each coordinate of each result, "…" where there are more than are listed, one for padding; with
// --line it has one for each place of the line.
func (r *report) csv() render.Table {
	t := render.Table{Header: strings.Split("query,coord,offset,byte,file_byte,value,padding", ",")}
	for _, result := range r.Results {
		if result.Line != nil {
			for _, c := range result.Line.Cells {
				why := ""
				if len(c.Coords) == 0 && c.Complete {
					why = "padding"
				}
				t.Add(csvRow(result.Query, c.text(), c.place, why)...)
			}
			continue
		}
		switch {
		case result.Coord != nil:
			t.Add(csvRow(result.Query, words.Ints(result.Coord, ","), result.place, "")...)
		case result.Padding != nil:
			t.Add(csvRow(result.Query, "x", result.place, result.Padding.Why)...)
		default:
			for _, c := range result.Coords {
				t.Add(csvRow(result.Query, words.Ints(c, ","), result.place, "")...)
			}
			if !result.Complete || result.Elems > len(result.Coords) {
				t.Add(csvRow(result.Query, "…", result.place, "")...)
			}
		}
	}
	return t
}

func csvRow(query, coord string, p place, padding string) []string {
	file, value := "", ""
	if p.FileByte != nil {
		file = strconv.FormatInt(*p.FileByte, 10)
	}
	if p.Value != nil {
		value = *p.Value
	}
	return []string{query, coord, strconv.Itoa(p.Offset), strconv.FormatInt(p.Byte, 10), file, value, padding}
}
