package scene

import (
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// A row of 64 cells of 30 pixels is wider than a page: it becomes two of 32, each with its own address. No cell is lost.
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
	if want := []string{"64", "96", "640", "672", "… 1 more line"}; !slices.Equal(got, want) || drawn != 104 {
		t.Errorf("%d cells, and %q, want %q", drawn, got, want)
	}
	if d.Width > memoryMost {
		t.Errorf("%v pixels wide", d.Width)
	}
}
