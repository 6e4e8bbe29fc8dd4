package picture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/gpu/threads"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Threads draws the tile of a thread-value layout; each cell names the first value that holds its element, T5 V3, and how many do if
// several: T0 V0 ×4. Colors are threads; of tensor memory, lanes. Of the options, Limit and Shown apply.
func Threads(l threads.Layout, title string, lines []string, o Options) (scene.Scene, error) {
	tile, err := tensor.Packed(l.Tile)
	if err != nil {
		return scene.Scene{}, err
	}
	layout, err := tile.Layout(threads.Dims(len(l.Tile)), tensor.Unbounded)
	if err != nil {
		return scene.Scene{}, err
	}
	hues := vector.HuesOf(l.Threads)
	cell := func(c *scene.Cell, coord []int) { threadCell(c, l, coord, hues) }
	s := Subject{Name: title, Layout: layout, cell: cell}
	drawn, err := New(s, nil, Options{Color: Plain, Limit: o.Limit, Shown: o.Shown})
	if err != nil {
		return drawn, err
	}
	drawn.Tensor.Name = "tile[" + strings.Join(threads.Dims(len(l.Tile)), ", ") + "]"
	if n := drawn.Tensor.Elements(); n < layout.Numel() {
		lines = append(lines, fmt.Sprintf("%d of %s drawn", n, text.Count(ints.Product(l.Tile), "element")))
	}
	drawn.Lines = lines
	noun := "thread"
	letter := "T"
	if l.InMemory {
		noun = "lane"
		letter = "L"
	}
	drawn.Scale = scene.Scale{Tints: hues, Name: noun, Low: letter + "0", High: letter + strconv.Itoa(hues.N-1)}
	if hues.N < l.Threads {
		drawn.Scale.Name = fmt.Sprintf("%s mod %d", noun, hues.N)
		drawn.Scale.Low, drawn.Scale.High = "0", strconv.Itoa(hues.N-1)
	}
	return drawn, nil
}

// maxNamed bounds the owners that a cell's detail lists.
const maxNamed = 16

// threadCell draws an element; one that no thread holds has a dash.
func threadCell(c *scene.Cell, l threads.Layout, coord []int, hues vector.Tints) {
	owners := l.Owners(coord...)
	c.Kind = scene.Element
	c.Line = scene.NoLine
	c.Tint = scene.NoTint
	c.Labels = []string{"-"}
	c.Detail = tensor.Tuple(coord) + ": no thread"
	if len(owners) == 0 {
		return
	}
	label := l.Label(owners[0])
	if len(owners) > 1 {
		label += " ×" + strconv.Itoa(len(owners))
	}
	named := make([]string, min(len(owners), maxNamed))
	for i := range named {
		named[i] = l.Label(owners[i])
	}
	if len(owners) > maxNamed {
		named = append(named, "…")
	}
	for _, o := range owners {
		if !slices.Contains(c.Holds, o.Thread) {
			c.Holds = append(c.Holds, o.Thread)
		}
	}
	c.Labels = []string{label}
	c.Tint = scene.Tint(owners[0].Thread % hues.N)
	c.Detail = tensor.Tuple(coord) + ": " + strings.Join(named, ", ")
}
