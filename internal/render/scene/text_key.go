package scene

import (
	"fmt"
	"math"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/text"
)

// seen tracks the signs in use.
type seen struct {
	edges, lines                                           [3]bool
	first                                                  [3]bool // edges before the first elements
	padding, outside, shared, hit, underline, steps, tints bool
	rowIsLine                                              int // bytes, if all rows are cache lines
}

// key explains the signs in use.
func (t *sceneText) key(s Scale) {
	var items []string
	add := func(seen bool, sign, meaning string) {
		if seen {
			items = append(items, strings.TrimSpace(sign+" "+meaning))
		}
	}
	add(t.seen.padding, t.hatch, "padding")
	add(t.seen.outside, t.outside, outsideWords)
	add(t.seen.shared, t.shared, "an address shared by several elements")
	block := t.seen.edges[1] || t.seen.lines[1]
	outer := t.seen.edges[2] || t.seen.lines[2]
	if block || outer {
		block = block || t.seen.first[1]
		outer = outer || t.seen.first[2]
	}
	add(block, t.edges[1], "the innermost axis wraps")
	add(outer && block, t.edges[2], "outer axes too")
	add(outer && !block, t.edges[2], "several axes wrap")
	add(t.seen.lines != [3]bool{}, t.lineSigns(), "start of a cache line")
	add(t.seen.rowIsLine > 0, "", fmt.Sprintf("a row is a cache line of %d B", t.seen.rowIsLine))
	add(t.seen.hit, t.hit, "a cache line fetched by the path")
	add(t.seen.underline, t.underline, "its cells")
	add(t.seen.steps, t.step+"1 "+t.step+"2", "access order")
	if t.seen.tints && s.Name != "" {
		items = append(items, t.scale(s))
	}
	t.items(items)
}

func (t *sceneText) lineSigns() string {
	var signs []string
	for i, sign := range t.lines {
		if t.seen.lines[i] {
			signs = append(signs, sign)
		}
	}
	return strings.Join(signs, " ")
}

// scale shows at most sixteen tints from the first to the last.
func (t *sceneText) scale(s Scale) string {
	var b strings.Builder
	n := len(t.cell.paint)
	shown := min(n, 16)
	for i := range shown {
		b.WriteString(t.cell.paint[i*(n-1)/max(1, shown-1)] + "  ")
	}
	text := t.clean(s.Name) + ": " + t.clean(s.Low) + " " + b.String() + "\x1b[0m"
	if s.High != s.Low {
		text += " " + t.clean(s.High)
	}
	return text
}

// items writes as many items per line as fit.
func (t *sceneText) items(items []string) {
	line := ""
	width := 0
	for i, item := range items {
		w := displaywidth.String(uncolored(item))
		if w > t.Width {
			item = text.Truncate(uncolored(item), t.Width, t.tail)
		}
		if i > 0 && width+3+w <= t.Width {
			line = line + "   " + item
			width = width + 3 + w
			continue
		}
		if i == 0 {
			t.gap()
		} else {
			t.line(line)
		}
		line = item
		width = w
	}
	if line != "" {
		t.line(line)
	}
}

// paints returns the escapes for black text on each tint: in true color if the terminal supports it, otherwise on the nearest of its 256
// colors, a different one for each of a few hues.
func (o TextOptions) paints(t vector.Tints) []string {
	all := make([]string, t.N)
	cube := newColorCube()
	for i := range all {
		r, g, b := t.RGB(i, false)
		if o.TrueColor {
			all[i] = fmt.Sprintf("\x1b[38;2;0;0;0;48;2;%d;%d;%dm", r, g, b)
		} else {
			n := cube.nearest(r, g, b)
			all[i] = fmt.Sprintf("\x1b[38;5;16;48;5;%dm", 16+n)
			if t.Kind == vector.Hues && t.N <= vector.FewHues {
				cube[n].L = math.Inf(1) // no longer the nearest
			}
		}
	}
	return all
}

// colorCube is the 6·6·6 colors that terminals number from 16.
type colorCube [216]vector.OKLab

func newColorCube() *colorCube {
	var c colorCube
	level := [6]uint8{0, 95, 135, 175, 215, 255}
	for i := range c {
		c[i] = vector.NewOKLab(level[i/36], level[i/6%6], level[i%6])
	}
	return &c
}

func (c *colorCube) nearest(r, g, b uint8) int {
	want := vector.NewOKLab(r, g, b)
	best := 0
	for i := range c {
		if want.Distance(c[i]) < want.Distance(c[best]) {
			best = i
		}
	}
	return best
}

var escapes = lazy.Regexp("\x1b\\[[0-9;]*m")

// uncolored returns text without escapes.
func uncolored(s string) string { return escapes.Get().ReplaceAllString(s, "") }
