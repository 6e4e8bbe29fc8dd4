package scene

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/golden"
	"github.com/tlayout/tlayout/internal/render/vector"
)

// TestSceneTextGolden: rows and planes that do not fit are broken, omitted rows are described, and padding, cache lines and a path are marked and
// explained.
func TestSceneTextGolden(t *testing.T) {
	for _, name := range []string{"engine", "path"} {
		var got bytes.Buffer
		if err := textScenes()[name].Text(&got, TextOptions{Width: 80, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, filepath.Join("testdata", "scene_text_"+name+"_80.golden.txt"), got.Bytes())
	}
}

// TestSceneTextPlain: ASCII is ASCII, and nothing is colored without color.
func TestSceneTextPlain(t *testing.T) {
	for name, scene := range textScenes() {
		var out bytes.Buffer
		if err := scene.Text(&out, TextOptions{Width: 80, TrueColor: true}); err != nil {
			t.Fatal(err)
		}
		for _, b := range out.Bytes() {
			if b != '\n' && (b < ' ' || b > '~') {
				t.Fatalf("%s: %q in\n%s", name, b, out.String())
			}
		}
	}
}

// elements is a tensor of n, c, h, w by plain loops, with elements numbered in logical order, or lettered.
type elements struct {
	n, c, h, w int
	channels   []int  // drawn ones; nil for all
	labels     string // one character each
}

// place returns the offset of an element in a memory.
type place func(n, c, h, w int) int

func (s elements) each(visit func(n, c, h, w int)) {
	for i := range s.n * s.c * s.h * s.w {
		visit(i/(s.c*s.h*s.w), i/(s.h*s.w)%s.c, i/s.w%s.h, i%s.w)
	}
}

func (s elements) cell(n, c, h, w int) Cell {
	i := ((n*s.c+c)*s.h+h)*s.w + w
	label := fmt.Sprintf("%0*d", len(strconv.Itoa(s.n*s.c*s.h*s.w-1)), i)
	if s.labels != "" {
		label = s.labels[i : i+1]
	}
	return Cell{Labels: []string{label}, Tint: Tint(c)}
}

func (s elements) scene(memories ...Memory) Scene {
	out := Scene{Title: fmt.Sprintf("x.npy: float32 (%d, %d, %d, %d)", s.n, s.c, s.h, s.w), Lines: []string{"labels: the element"}}
	out.Scale = Scale{Name: "channel", Tints: vector.Tints{N: s.c}, Low: "c=0", High: fmt.Sprintf("c=%d", s.c-1)}
	out.Tensor.Name = "logical view x[n, c, h, w]"
	for n := range s.n {
		band := Band{}
		if s.n > 1 {
			band.Name = fmt.Sprintf("n=%d", n)
		}
		for c, next := 0, 0; c < s.c; c++ {
			if s.channels != nil && !slices.Contains(s.channels, c) {
				continue
			}
			if c > next {
				band.Planes = append(band.Planes, Plane{Skip: fmt.Sprintf("… %d more channels", c-next)})
			}
			band.Planes = append(band.Planes, s.plane(n, c))
			next = c + 1
		}
		out.Tensor.Bands = append(out.Tensor.Bands, band)
	}
	out.Memories = memories
	return out
}

func (s elements) plane(n, c int) Plane {
	p := Plane{Name: fmt.Sprintf("c=%d", c)}
	name := func(dim string, i int) string {
		return strings.TrimPrefix(fmt.Sprintf("%s=%d", dim, i), map[bool]string{true: dim + "="}[i > 0])
	}
	for w := range s.w {
		p.Columns = append(p.Columns, name("w", w))
	}
	for h := range s.h {
		row := Row{Name: name("h", h)}
		for w := range s.w {
			row.Cells = append(row.Cells, s.cell(n, c, h, w))
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// memory returns the elements in rows; axes wrap at multiples of the strides. A cache line has 16 cells.
func (s elements) memory(name string, alloc, row int, at place, strides ...int) Memory {
	cells := make([]Cell, alloc)
	for i := range cells {
		cells[i] = Cell{Kind: Padding, Tint: -1}
	}
	s.each(func(n, c, h, w int) {
		i := at(n, c, h, w)
		if cells[i].Kind == Element {
			cells[i].Shared = max(1, cells[i].Shared) + 1
			return
		}
		cells[i] = s.cell(n, c, h, w)
	})
	m := Memory{Name: name, Lines: []string{fmt.Sprintf("%d elements", alloc)}, Width: row, Line: 64, Column: "offset"}
	for i := range cells {
		cells[i].Line = Line(i / 16)
		for _, stride := range strides {
			if i%stride == 0 {
				cells[i].Edge++
			}
		}
		if i%row == 0 {
			m.Rows = append(m.Rows, MemoryRow{Address: Address(i)})
		}
		last := &m.Rows[len(m.Rows)-1]
		last.Cells = append(last.Cells, cells[i])
	}
	return m
}

func (s elements) nchw(row int) Memory {
	return s.memory("nchw", s.n*s.c*s.h*s.w, row, func(n, c, h, w int) int { return ((n*s.c+c)*s.h+h)*s.w + w }, s.w, s.h*s.w, s.c*s.h*s.w)
}

func (s elements) nhwc(row int) Memory {
	return s.memory("nhwc", s.n*s.c*s.h*s.w, row, func(n, c, h, w int) int { return ((n*s.h+h)*s.w+w)*s.c + c }, s.c, s.w*s.c, s.h*s.w*s.c)
}

// without omits rows.
func (m Memory) without(from, to int) Memory {
	said := MemoryRow{Address: NoAddress, Skip: fmt.Sprintf("… %d more lines of 64 B", to-from)}
	m.Rows = slices.Concat(m.Rows[:from], []MemoryRow{said}, m.Rows[to:])
	return m
}

// walked marks a path over offsets, and the cache lines that it fetches.
func (m Memory) walked(offsets ...int) Memory {
	hit := map[Line]bool{}
	for _, off := range offsets {
		hit[Line(off/16)] = true
	}
	i := 0
	for c := range m.cells() {
		c.Step, c.Hit = slices.Index(offsets, i)+1, hit[c.Line]
		i++
	}
	return m
}

// textScenes together have every feature of a scene.
func textScenes() map[string]Scene {
	rgb := elements{n: 1, c: 3, h: 2, w: 2, labels: "RRRRGGGGBBBB"}
	engine := elements{n: 2, c: 64, h: 3, w: 3, channels: []int{0, 1, 2, 3, 63}}
	letters := elements{n: 1, c: 1, h: 2, w: 3, labels: "ABCDEF"}
	channels := elements{n: 1, c: 5, h: 2, w: 3}
	padded := letters.memory("padded", 8, 16, func(_, _, h, w int) int { return h*5 + w }, 5, 10)
	padded.Rows[0].Cells[3].Labels = []string{"Q"} // the value of the padding
	path := channels.scene(channels.nchw(10).walked(0, 6, 12), channels.nhwc(16).walked(0, 1, 2))
	path.Tensor.Bands[0].Planes[1].Rows[0].Cells[0].Step = 2
	for c := range path.Memories[1].cells() {
		c.Labels = append(c.Labels, "3.5")
	}
	return map[string]Scene{
		"rgb":     rgb.scene(rgb.nchw(16), rgb.nhwc(16)),
		"engine":  engine.scene(engine.nchw(16).without(3, 71), engine.nhwc(16).without(3, 71)),
		"letters": letters.scene(padded, letters.memory("broadcast", 3, 16, func(_, _, _, w int) int { return w }, 3)),
		"path":    path,
	}
}
