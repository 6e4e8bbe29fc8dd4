package render

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/random"
)

// Without tablewriter, a table of a page equals the program's: in Markdown, and as text unless its last column is wrapped.
func TestGrid(t *testing.T) {
	d := random.New(t)
	for range random.Cases(t, "TLAYOUT_TEST_RANDOM_CASES", 300) {
		table := randomTable(d)
		for _, unicode := range []bool{true, false} {
			compareGrid(t, func(w *bytes.Buffer, grid bool) error {
				if grid {
					return table.gridText(w, 0, unicode)
				}
				return table.drawText(w, 0, unicode)
			})
		}
		compareGrid(t, func(w *bytes.Buffer, grid bool) error {
			if grid {
				return table.gridMarkdown(w)
			}
			return table.drawMarkdown(w)
		})
	}
}

// compareGrid draws a table both ways.
func compareGrid(t *testing.T, draw func(w *bytes.Buffer, grid bool) error) {
	t.Helper()
	var want, got bytes.Buffer
	if err := draw(&want, false); err != nil {
		t.Fatal(err)
	}
	if err := draw(&got, true); err != nil {
		t.Fatal(err)
	}
	if got.String() != want.String() {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want.String())
	}
}

// A wrapped last column has all words, in lines that fit.
func TestGridWraps(t *testing.T) {
	table := Table{Header: []string{"n", "words"}, Numbers: []int{0}}
	table.Add("12", strings.Repeat("memory order ", 9))
	var out bytes.Buffer
	if err := table.gridText(&out, 40, true); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for _, line := range lines {
		if len([]rune(line)) > 40 {
			t.Errorf("%q is wider than 40", line)
		}
	}
	if n := strings.Count(out.String(), "memory"); n != 9 || len(lines) != 6 {
		t.Errorf("%d words in %d lines:\n%s", n, len(lines), out.String())
	}
}

// randomTable returns a table with rows, numbers, wide characters and empty cells.
func randomTable(d *rand.Rand) Table {
	words := []string{"", "x", "NHWC → NCHW", "4,32,64,64", "12", "宽", "a longer cell", "é"}
	table := Table{}
	for i := range 1 + d.IntN(5) {
		table.Header = append(table.Header, "h"+words[d.IntN(len(words))])
		if d.IntN(3) == 0 {
			table.Numbers = append(table.Numbers, i)
		}
	}
	for range 1 + d.IntN(4) {
		row := make([]string, len(table.Header))
		for i := range row {
			row[i] = words[d.IntN(len(words))]
		}
		table.Add(row...)
	}
	return table
}
