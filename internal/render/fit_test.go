package render

import (
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/random/property"
)

// breakable has cells of every kind that tables of layouts have.
func breakable() Table {
	t := Table{Header: []string{"framework", "shape", "strides", "name"}}
	t.Add("PyTorch", "100,64,512,512,16 physical", "268435456,4194304,8192,16,1 bytes", "-")
	t.Add("XLA", "100,1024,512,512 logical", "by name", "{3,2,1,0:T(16,1,1)}")
	t.Add("CuTe", "(100,(16,64),512,512)", "(268435456,(1,4194304),8192,16)", "shape:stride")
	t.Add("oneDNN", "100,1024,512,512 logical", "268435456,4194304,8192,16", "nChw16c, aBcd16b")
	t.Add("漢字漢字", "漢字, 漢字漢字, 漢字", "-", "漢字 漢字漢字 漢字")
	return t
}

// drawnWidths returns the widths of a table's lines as drawn by Text.
func drawnWidths(t Table) []int {
	var text strings.Builder
	if err := t.Text(&text, 1<<20, true); err != nil {
		panic(err)
	}
	var widths []int
	for line := range strings.Lines(text.String()) {
		widths = append(widths, displaywidth.String(strings.TrimRight(line, "\n")))
	}
	return widths
}

// TestWidth: Width is the drawn width of a table: its line below the header spans it.
func TestWidth(t *testing.T) {
	if got, want := breakable().Width(), slices.Max(drawnWidths(breakable())); got != want {
		t.Errorf("%d columns, drawn in %d", got, want)
	}
}

// TestBreak: a table is no wider than requested, down to the width of its pieces; the cells keep their content, and no line ends inside
// inner brackets.
func TestBreak(t *testing.T) {
	whole := breakable()
	for width := 62; width < 125; width++ {
		b := whole.Fit(width, Break(2, 1, 3))
		if widest := slices.Max(drawnWidths(b)); widest > width {
			t.Fatalf("%d columns of %d: %q", widest, width, b.Rows)
		}
		if !slices.Equal(glued(b), glued(whole)) || !slices.Equal(b.Header, whole.Header) {
			t.Errorf("%d columns: %q", width, b.Rows)
		}
		if fits := width >= whole.Width(); fits != (len(b.Rows) == len(whole.Rows)) {
			t.Errorf("%d columns of %d: %d rows", width, whole.Width(), len(b.Rows))
		}
		for _, row := range b.Rows {
			if s := row[2]; strings.Count(s, "(")-strings.Count(s, ")") > 1 || strings.Count(row[3], "{") != strings.Count(row[3], "}") {
				t.Errorf("%d columns: %q", width, row)
			}
		}
	}
}

// glued returns each cell of a table without blanks; a row without a framework continues the one above.
func glued(t Table) []string {
	var cells []string
	for _, row := range t.Rows {
		if row[0] != "" {
			cells = append(cells, row...)
			continue
		}
		for i, c := range row {
			cells[len(cells)-len(row)+i] += c
		}
	}
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(c, " ", "")
	}
	return cells
}

// TestFit: shrinks are applied in order while the table is too wide, a cut down to its minimum; the original table is unchanged.
func TestFit(t *testing.T) {
	table := Table{Header: []string{"step", "shape"}}
	table.Add("transpose(0, 1)", "(3, 2)")
	table.Add("漢字漢字漢字", "(6,)")
	for _, c := range []struct {
		width   int
		shrinks []Shrink
		rows    [][]string
	}{
		{25, []Shrink{Cut(0, 4)}, [][]string{{"transpose(0, 1)", "(3, 2)"}, {"漢字漢字漢字", "(6,)"}}},
		{20, []Shrink{Cut(0, 4)}, [][]string{{"transpose…", "(3, 2)"}, {"漢字漢字…", "(6,)"}}},
		{10, []Shrink{Cut(0, 6)}, [][]string{{"trans…", "(3, 2)"}, {"漢字…", "(6,)"}}},
		{20, []Shrink{Cut(0, 10), Cut(1, 2)}, [][]string{{"transpose…", "(3, 2)"}, {"漢字漢字…", "(6,)"}}},
		{19, []Shrink{Cut(0, 10), Cut(1, 2)}, [][]string{{"transpose…", "(3, …"}, {"漢字漢字…", "(6,)"}}},
	} {
		if got := table.Fit(c.width, c.shrinks...); !slices.EqualFunc(got.Rows, c.rows, slices.Equal) {
			t.Errorf("%d columns: %q, expected %q", c.width, got.Rows, c.rows)
		}
	}
	for width, want := range map[int]int{table.Width() - 1: 1, table.Width(): 0, table.Width() + 1: 0} {
		asked, calls := 0, 0
		table.Fit(width, func(t Table, over int) Table { asked += over; calls++; return t })
		if asked != want || calls != want {
			t.Errorf("%d of %d columns: to be narrowed by %d", width, table.Width(), asked)
		}
	}
	if table.Rows[0][0] != "transpose(0, 1)" {
		t.Errorf("the table itself is cut: %q", table.Rows)
	}
}

// TestColumnsFit: empty columns are never shown, and groups of others are dropped in order, only as far as needed.
func TestColumnsFit(t *testing.T) {
	c := Columns{Header: []string{"coordinate", "a", "b", "bits", "offset", "byte"}, Widths: []int{4, 9, 9, 0, 3, 12}}
	offsets, bytes := []int{4}, []int{5}
	for _, w := range []struct {
		width int
		kept  []int
	}{
		{56, []int{0, 1, 2, 4, 5}}, {55, []int{0, 1, 2, 5}}, {48, []int{0, 1, 2, 5}}, {47, []int{0, 1, 2}}, {10, []int{0, 1, 2}},
	} {
		if kept := c.Fit(w.width, offsets, bytes); !slices.Equal(kept, w.kept) {
			t.Errorf("%d columns: %v, expected %v", w.width, kept, w.kept)
		}
	}
}

// TestBreakAny: breaking loses no cell, and makes any table as narrow as requested, unless every column in turn is down to its widest
// piece.
func TestBreakAny(t *testing.T) {
	cell := rapid.StringMatching(`[a(){}, 字]{0,12}`)
	property.Check(t, func(t *rapid.T) {
		whole := Table{Header: []string{"", "b"}}
		for range rapid.IntRange(0, 4).Draw(t, "rows") {
			whole.Add(cell.Draw(t, "cell"), cell.Draw(t, "cell"))
		}
		width := rapid.IntRange(0, 40).Draw(t, "width")
		broken := whole.Fit(width, Break(1, 0))
		if least := whole.widest(0, pieces) + whole.widest(1, pieces) + 2*cellSpace; broken.Width() > max(width, least) {
			t.Fatalf("%d columns of %d: %q", broken.Width(), width, broken.Rows)
		}
		for i := range 2 {
			before, after := "", ""
			for _, row := range whole.Rows {
				before += row[i]
			}
			for _, row := range broken.Rows {
				after += row[i]
			}
			if strings.ReplaceAll(before, " ", "") != strings.ReplaceAll(after, " ", "") {
				t.Fatalf("%q of %q", broken.Rows, whole.Rows)
			}
		}
	})
}
