package scene

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// TestDrawingPath: a path joins each step to the next, if both are drawn; across omitted rows it is dashed.
func TestDrawingPath(t *testing.T) {
	row := func(steps ...int) MemoryRow {
		r := MemoryRow{}
		for _, step := range steps {
			r.Cells = append(r.Cells, Cell{Labels: []string{"00"}, Step: step})
		}
		return r
	}
	for _, c := range []struct {
		rows []MemoryRow
		want string
	}{
		{[]MemoryRow{row(1, 2, 3)}, "→→"},
		{[]MemoryRow{row(1, 0, 2), row(3, 0, 4)}, "→↓→"},
		{[]MemoryRow{row(3, 2, 1)}, "←←"},
		{[]MemoryRow{row(1, 3), row(2, 4)}, "↓↓↓"},
		{[]MemoryRow{row(1, 2), row(4, 5)}, "→→"},
		{[]MemoryRow{row(1, 2), {Skip: "…"}, row(3, 4)}, "→┄→"},
		{[]MemoryRow{row(1, 0, 0)}, ""},
	} {
		got := ""
		for _, m := range (Scene{Memories: []Memory{{Rows: c.rows}}}).Drawing().Marks {
			if line, ok := m.(vector.Line); ok {
				got += direction(line)
			}
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.rows, got, c.want)
		}
	}
}

func direction(l vector.Line) string {
	end, before := l.Points[len(l.Points)-1], l.Points[len(l.Points)-2]
	switch {
	case !l.Arrow:
		return "?"
	case l.Dashed:
		return "┄"
	case end.X > before.X:
		return "→"
	case end.X < before.X:
		return "←"
	}
	return "↓"
}

// TestPathKeepsClear: no wire crosses a label or another step's badge, in planes and in memory, for as many steps as a reader can follow,
// and each leads from a badge to that of the next step.
func TestPathKeepsClear(t *testing.T) {
	wires := 0
	for name, s := range pathScenes() {
		marks := flat(s.Drawing().Marks)
		for _, m := range marks {
			line, ok := m.(vector.Line)
			if !ok || !line.Arrow {
				continue
			}
			wires++
			for i := range line.Points[1:] {
				if words := crossed(line.Points[i:i+2], marks); words != "" {
					t.Errorf("%s: a wire crosses %q", name, words)
				}
			}
			if from, to := badgeAt(line.Points[0], marks), badgeAt(line.Points[len(line.Points)-1], marks); to != from+1 {
				t.Errorf("%s: a wire leads from %d to %d", name, from, to)
			}
		}
	}
	if wires < 12*15 {
		t.Errorf("%d wires", wires)
	}
}

// pathScenes are paths of 8, 16 and 32 steps through all orders.
func pathScenes() map[string]Scene {
	scenes := drawnScenes()
	between := Memory{} // 4 is between 1 and 2, and has no wire up or down
	for _, steps := range [][]int{{1, 0}, {4, 3}, {0, 2}} {
		r := MemoryRow{}
		for _, step := range steps {
			r.Cells = append(r.Cells, Cell{Labels: []string{"00"}, Step: step})
		}
		between.Rows = append(between.Rows, r)
	}
	scenes["between"] = Scene{Memories: []Memory{between}}
	for _, steps := range []int{8, 16, 32} {
		p := pixels{shape: [4]int{1, 8, 3, 4}, item: 4, row: 16, memories: []string{"nchw", "nhwc", "nchw4"}, steps: steps}
		p.step = func(c, h, w int) int { return (h*4+w)*8 + c + 1 }
		scenes[fmt.Sprint("channel ", steps)] = p.scene()
		p.step = func(c, h, w int) int { return (c*3+h)*4 + w + 1 }
		scenes[fmt.Sprint("spatial ", steps)] = p.scene()
	}
	return scenes
}

// crossed returns the label or badge that a line crosses. The line may start and end at the border of a badge.
func crossed(line []vector.Point, marks []vector.Mark) string {
	way := boxOf(vector.Line{Points: line})
	for i, m := range marks {
		text, ok := m.(vector.Text)
		switch {
		case !ok:
		case text.Size == labelSize && boxOf(text).overlaps(way):
			return text.Words
		case text.Paint == vector.Ground && boxOf(marks[i-1]).overlaps(way):
			return "badge " + text.Words
		}
	}
	return ""
}

// badgeAt returns the number of the badge at a point, or -9.
func badgeAt(p vector.Point, marks []vector.Mark) int {
	for i, m := range marks {
		if text, ok := m.(vector.Text); ok && text.Paint == vector.Ground {
			b := boxOf(marks[i-1])
			if p.X >= b.x-1 && p.X <= b.right+1 && p.Y >= b.y-1.5 && p.Y <= b.bottom+1.5 {
				n, _ := strconv.Atoi(text.Words)
				return n
			}
		}
	}
	return -9
}

// TestWiresApart: between rows of memory, wires of up to 16 steps do not touch, so that none is confused with another.
func TestWiresApart(t *testing.T) {
	scenes := pathScenes()
	for _, name := range []string{"channel 8", "channel 16", "spatial 8", "spatial 16"} {
		for _, m := range scenes[name].Memories {
			b := (&drawing{cell: scenes[name].cellShape(false)}).memoryBoard(m, 0)
			for i, w := range b.wires {
				if slices.ContainsFunc(b.wires[:i], w.touches) {
					t.Errorf("%s, %s: wire %d touches one before it", name, m.Name, i+1)
				}
			}
			if len(b.wires) != len(b.stops)-1 {
				t.Errorf("%s, %s: %d wires for %d stops", name, m.Name, len(b.wires), len(b.stops))
			}
		}
	}
}
