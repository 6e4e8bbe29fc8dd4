package scene

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// TestDrawingFrames: frames go around the cells of one line, across rows: elements of 12 bytes, eight per row.
func TestDrawingFrames(t *testing.T) {
	m := Memory{Line: 64}
	for row := range 3 {
		r := MemoryRow{}
		for k := range 8 {
			line := (row*8 + k) * 12 / 64
			r.Cells = append(r.Cells, Cell{Labels: []string{"00"}, Line: Line(line), Hit: line == 1})
		}
		m.Rows = append(m.Rows, r)
	}
	d := Scene{Memories: []Memory{m}}.Drawing()
	got := ""
	for _, mark := range d.Marks {
		switch mark := mark.(type) {
		case vector.Rect:
			got += fmt.Sprintf(" closed %v", mark.Stroke == vector.Accent)
		case vector.Line:
			got += fmt.Sprintf(" open %v", mark.Stroke == vector.Accent)
		}
	}
	// Lines of 6, 5, 5, 6 and 2 cells: 0-5 | 6 7, 8-10 | 11-15 | 16-21 | 22 23
	if want := " closed false open true open true closed false closed false closed false"; got != want {
		t.Errorf("frames are%s\nwant      %s", got, want)
	}
}

// TestDrawingFramesRows: a line of two whole rows has one frame around both; if the second is shorter, each has its own, open to the other.
func TestDrawingFramesRows(t *testing.T) {
	row := MemoryRow{Cells: make([]Cell, 8)}
	for _, c := range []struct{ cells, closed, open int }{{8, 1, 0}, {4, 0, 2}} {
		rows := []MemoryRow{row, {Cells: row.Cells[:c.cells]}}
		closed, open := 0, 0
		for _, mark := range (Scene{Memories: []Memory{{Line: 64, Rows: rows}}}).Drawing().Marks {
			switch mark := mark.(type) {
			case vector.Rect:
				closed++
				if mark.H < 2*28 {
					t.Errorf("a frame of %v around two rows", mark.H)
				}
			case vector.Line:
				open++
			}
		}
		if closed != c.closed || open != c.open {
			t.Errorf("%d cells: %d closed frames and %d open ones", c.cells, closed, open)
		}
	}
}

// TestDrawingFramesOpen: the last line, if it extends past the storage, is dashed there, whether its rows share a frame or not.
func TestDrawingFramesOpen(t *testing.T) {
	row := MemoryRow{Cells: make([]Cell, 8)}
	for _, c := range []struct {
		rows []MemoryRow
		open bool
		want string
	}{
		{[]MemoryRow{row}, false, "▭"},
		{[]MemoryRow{row}, true, "⊏┄"},
		{[]MemoryRow{row, row}, true, "⊏┄"},
		{[]MemoryRow{row, {Cells: row.Cells[:4]}}, true, "⊏=┄"},
		{[]MemoryRow{row, {Skip: "…"}}, true, "▭"},
	} {
		got, lines := "", 0
		for _, mark := range (Scene{Memories: []Memory{{Line: 64, Rows: c.rows, Open: c.open}}}).Drawing().Marks {
			switch mark := mark.(type) {
			case vector.Rect:
				got += "▭"
			case vector.Line:
				if mark.Dashed {
					got += "┄"
				} else if len(mark.Points) > 2 {
					got += "⊏"
				} else if lines++; lines == 2 {
					got += "="
				}
			}
		}
		if got != c.want {
			t.Errorf("%d rows, open %v: frames %s, want %s", len(c.rows), c.open, got, c.want)
		}
	}
}

// TestDrawingFramesWideCells: of cells larger than a line, only those that a path fetches are framed, and the legend calls no frame a line
// of 64 B.
func TestDrawingFramesWideCells(t *testing.T) {
	m := Memory{Line: 64, Item: 160}
	for i := range 3 {
		m.Rows = append(m.Rows, MemoryRow{Cells: []Cell{{Kind: Padding, Labels: []string{"x"}, Line: Line(i * 160 / 64), Hit: i == 1}}})
	}
	s := Scene{Memories: []Memory{m}}
	d := drawing{Scene: s}
	frames := 0
	for i := range m.Rows {
		d.frames(m, i, 0)
	}
	for _, mark := range d.marks {
		if r, ok := mark.(vector.Rect); ok && r.Stroke == vector.Accent {
			frames++
		} else {
			t.Errorf("a frame around a cell: %+v", mark)
		}
	}
	if frames != 1 || s.cacheLine() != 0 {
		t.Errorf("%d frames, a line of %d B", frames, s.cacheLine())
	}
}

// TestDrawingWraps: a row of 64 cells of 30 pixels is wider than a page: it becomes two of 32, each with its own address. No cell is lost.
func TestDrawingWraps(t *testing.T) {
	cells := make([]Cell, 64)
	for i := range cells {
		cells[i].Labels = []string{"x"}
	}
	rows := []MemoryRow{{Address: 64, Cells: cells}, {Address: NoAddress, Skip: "… 1 more line"}, {Address: 640, Cells: cells[:40]}}
	d := Scene{Memories: []Memory{{Rows: rows}}}.Drawing()
	var got []string
	drawn := 0
	for _, m := range flat(d.Marks) {
		text, ok := m.(vector.Text)
		switch {
		case ok && text.Words == "x":
			drawn++
		case ok:
			got = append(got, text.Words)
		}
	}
	if want := []string{"64", "96", "… 1 more line", "640", "672"}; !slices.Equal(got, want) || drawn != 104 {
		t.Errorf("%d cells, and %q, want %q", drawn, got, want)
	}
	if d.Width > maxRowWidth {
		t.Errorf("%v pixels wide", d.Width)
	}
}

// TestDrawingKeysOfWraps: wherever an axis wraps, there is a gap within a row or a notch before one, and the legend explains the sign; so
// it does for a line that continues past the storage.
func TestDrawingKeysOfWraps(t *testing.T) {
	row := func(edges ...int) (r MemoryRow) {
		for _, edge := range edges {
			r.Cells = append(r.Cells, Cell{Edge: edge})
		}
		return r
	}
	for _, c := range []struct {
		rows []MemoryRow
		open bool
		want string // a name and its marks: cells ▯, notches |
	}{
		{[]MemoryRow{row(3, 0), row(0, 0)}, false, ""},
		{[]MemoryRow{row(3, 0), row(1, 0)}, false, "the innermost axis wraps |"},
		{[]MemoryRow{row(3, 1), row(0, 0)}, false, "the innermost axis wraps ▯▯"},
		{[]MemoryRow{row(3, 1), row(0, 0), row(1, 0)}, false, "the innermost axis wraps ▯▯|"},
		{[]MemoryRow{row(3, 0), row(2, 1)}, false, "the innermost axis wraps ▯▯, outer axes too |"},
		{[]MemoryRow{row(3, 4), row(0, 0)}, false, "several axes wrap ▯▯"},
		{[]MemoryRow{row(3, 0), row(0, 0)}, true, "past the storage |"},
	} {
		d := drawing{Scene: Scene{Memories: []Memory{{Line: 64, Rows: c.rows, Open: c.open}}}}
		var got []string
		for _, k := range d.keys() {
			if k.words == "a cache line, 64 B" {
				continue
			}
			signs := ""
			for _, m := range k.sign(0, 0) {
				if _, notch := m.(vector.Line); notch {
					signs += "|"
				} else {
					signs += "▯"
				}
			}
			got = append(got, k.words+" "+signs)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%+v: keys %q, want %s", c.rows, got, c.want)
		}
		notches := 0
		for i, r := range c.rows[1:] {
			d.marks = nil
			d.memoryRow(Memory{Rows: c.rows}, i+1, 0)
			for _, m := range d.marks {
				if l, ok := m.(vector.Line); ok && l.Stroke == vector.Quiet {
					notches++
				}
			}
			if r.Cells[0].Edge > 0 {
				notches--
			}
		}
		if notches != 0 {
			t.Errorf("%+v: %d notches too many", c.rows, notches)
		}
	}
}
