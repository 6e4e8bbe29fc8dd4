package formats

import (
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/render"
)

// breakable has cells of every kind that the framework table has.
func breakable() render.Table {
	t := render.Table{Header: []string{"framework", "shape", "strides", "name"}}
	t.Add("PyTorch", "100,64,512,512,16 physical", "268435456,4194304,8192,16,1 bytes", "-")
	t.Add("XLA", "100,1024,512,512 logical", "by name", "{3,2,1,0:T(16,1,1)}")
	t.Add("CuTe", "(100,(16,64),512,512)", "(268435456,(1,4194304),8192,16)", "shape:stride")
	t.Add("oneDNN", "100,1024,512,512 logical", "268435456,4194304,8192,16", "nChw16c, aBcd16b")
	return t
}

// TestBreakCells: a table never exceeds the columns, down to where a piece takes more; the cells hold what they held, and
// no line ends inside inner brackets.
func TestBreakCells(t *testing.T) {
	whole := breakable()
	for columns := 58; columns < 120; columns++ {
		b := breakCells(whole, columns, 2, 1, 3)
		var text strings.Builder
		cli.Must(b.Text(&text, columns, true))
		for line := range strings.Lines(text.String()) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > columns {
				t.Fatalf("%d columns of %d:\n%s", n, columns, text.String())
			}
		}
		if !slices.Equal(glued(b), glued(whole)) || !slices.Equal(b.Header, whole.Header) {
			t.Errorf("%d columns: %v", columns, b.Rows)
		}
		if wide := columns >= 95; wide != (len(b.Rows) == len(whole.Rows)) {
			t.Errorf("%d columns: %d rows", columns, len(b.Rows))
		}
		for _, row := range b.Rows {
			if s := row[2]; strings.Count(s, "(")-strings.Count(s, ")") > 1 || strings.Count(row[3], "{") != strings.Count(row[3], "}") {
				t.Errorf("%d columns: %q", columns, row)
			}
		}
	}
}

// glued is each cell of a table without its blanks; a row without a framework continues the one above.
func glued(t render.Table) []string {
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
