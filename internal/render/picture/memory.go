package picture

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/gpu/shared"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// memory draws a storage in address order.
func (d *sketch) memory(m Memory) scene.Memory {
	p := newStorage(m.Layout, d.Size)
	v := d.trail.visit(m.Layout, d.Size, d.line())
	p.put(d.drawn)
	if d.banks != nil {
		c, err := shared.Simulate(d.Banks, m.Layout, d.Size)
		if err != nil {
			d.lost = fault.In(text.Quote(m.Name), err)
			return scene.Memory{}
		}
		p.banks = &c
	}
	width := d.width(m.Layout.Alloc())
	out := scene.Memory{Name: m.Name, Gloss: m.Gloss, Lines: d.memoryLines(m, v, p.banks), Width: width, Line: d.Line, Item: d.Size, Column: "offset",
		Open: m.Layout.Alloc()*d.Size%d.line() != 0}
	edges := Edges(m.Layout)
	next := 0
	for _, r := range d.rows(m.Layout.Alloc(), width, v.offsets) {
		if r > next {
			out.Rows = append(out.Rows, d.skippedRows(r-next, width))
		}
		next = r + 1
		row := scene.MemoryRow{Address: scene.Address(r * width)}
		row.Cells = make([]scene.Cell, min(width, m.Layout.Alloc()-r*width))
		for i := range row.Cells {
			if d.lost != nil {
				return out
			}
			off := r*width + i
			c := &row.Cells[i]
			d.memoryCell(c, m, p, off)
			c.Edge = edges(off)
			c.Line = scene.Line(off * d.Size / d.line())
			c.Step = v.steps[off]
			c.Hit = v.lines[int(c.Line)]
		}
		out.Rows = append(out.Rows, row)
	}
	if rest := ints.CeilDiv(m.Layout.Alloc(), width) - next; rest > 0 {
		out.Rows = append(out.Rows, d.skippedRows(rest, width))
	}
	return out
}

// memoryCell draws an offset: the first element that the search found, or padding. If the search was cut short without finding an element,
// the offset may not be padding, and the picture fails.
func (d *sketch) memoryCell(c *scene.Cell, m Memory, p storage, off int) {
	coords, n, all := p.elements(off)
	if n == 0 && all {
		d.padding(c, m, p, off)
		return
	}
	if n == 0 {
		d.lost = fault.New(fault.Unsupported, "%s: finding the elements at offset %d takes too long", text.Quote(m.Name), off).
			WithHint("pass a smaller --limit to draw the beginning and end of each memory")
		return
	}
	d.element(c, coords[0], p, off)
	if n > 1 {
		c.Shared = n
		c.Detail += "; " + sharedText(coords, n, all)
		c.Holds = d.numbers(append(coords, p.drawn[off]...))
	}
}

func (d *sketch) padding(c *scene.Cell, m Memory, p storage, off int) {
	c.Kind = scene.Padding
	c.Tint = scene.NoTint
	what := ", padding "
	if off < p.from || off >= p.end {
		c.Kind = scene.Outside
		what = ", outside of the tensor, "
	}
	c.Detail = d.at(off) + what + explain.NewPadding(m.Layout, off).String()
	value := ""
	if m.Own {
		value, _, _ = d.value(off)
	}
	if value != "" {
		c.Detail += "; value " + value
	}
	c.Labels = d.paddingLabels(value)
}

// width returns the cells of a row of memory: a cache line, unless the user set it.
func (d *sketch) width(alloc int) int {
	w := d.Wrap
	if w == 0 {
		w = max(1, d.line()/d.Size)
	} else if d.Limit > 0 {
		w = min(w, d.Limit)
	}
	return max(1, min(w, alloc))
}

// rows returns the numbers of the shown rows: those of the path, then the first ones and the last.
func (d *sketch) rows(alloc, width int, path []int) []int {
	all := ints.CeilDiv(alloc, width)
	count := all
	limit := all
	if d.Limit > 0 && alloc > d.Limit {
		limit = min(all, max(2, d.Limit/width))
		count = min(limit, max(2, d.Limit/32))
	}
	if d.Rows > 0 {
		limit = min(limit, max(2, d.Rows))
		count = min(count, limit)
	}
	shown := map[int]bool{}
	for _, off := range path {
		if r := off / width; off >= 0 && r < all && len(shown) < limit {
			shown[r] = true
		}
	}
	for i := 0; i < all && len(shown) < count; i++ {
		shown[i] = true
		if i == 0 && count > 1 {
			shown[all-1] = true
		}
	}
	return slices.Sorted(maps.Keys(shown))
}

func (d *sketch) skippedRows(n, width int) scene.MemoryRow {
	if width*d.Size == d.line() {
		return scene.MemoryRow{Address: scene.NoAddress, Skip: fmt.Sprintf("… %s of %d B", text.Count(n, "more line"), d.Line)}
	}
	return scene.MemoryRow{Address: scene.NoAddress, Skip: fmt.Sprintf("… %s of %d", text.Count(n, "more row"), width)}
}

// Edges returns how many axes of a layout's memory order wrap at a storage offset: 0 within a run of the innermost axis, 1
// where that one wraps, at the start of a block, 2 and more further out. It is 0 before the first element and for an empty
// tensor.
//
//	nchw4 of (2,64,3,3): strides 1, 4, 12, 36, 576    0 at 3, 1 at 4, 2 at 12, 3 at 36, 4 at 576, 5 at 0
//
// A swizzle leaves no axis whole: with one it is 0 everywhere.
//
// The distance from the first address in use is divided by the strides, the largest first. Once the remainder is 0, all axes
// further in are at their start. Strides of 0, and those that do not exceed the reach of the axes inside, do not count.
func Edges(l tensor.Layout) func(offset int) int {
	low, _, ok := l.Span()
	strides := nestedStrides(l)
	return func(offset int) int {
		rest := offset - low
		if !ok || rest < 0 || !l.Swizzle().IsZero() {
			return 0
		}
		k := len(strides)
		for ; k > 0 && rest > 0; k-- {
			rest %= strides[k-1]
		}
		if rest > 0 {
			return 0
		}
		return k
	}
}

// nestedStrides lists, in increasing magnitude, the strides that exceed the reach of all smaller ones.
func nestedStrides(l tensor.Layout) []int {
	var digits []tensor.Digit // blocks of padding included
	for d := range l.Rank() {
		digits = append(digits, l.Dim(d).Digits...)
	}
	digits = slices.DeleteFunc(digits, func(g tensor.Digit) bool { return g.Extent < 2 || g.Stride == 0 })
	sorting.By(digits, func(a, b tensor.Digit) int { return cmp.Compare(absolute(a.Stride), absolute(b.Stride)) })
	var strides []int
	reach := 0
	for _, g := range digits {
		if s := absolute(g.Stride); s > reach {
			strides = append(strides, s)
		}
		reach += (g.Extent - 1) * absolute(g.Stride)
	}
	return strides
}

func absolute(n int) int { return max(n, -n) }

// Inside is the part of a storage, [from, end), in which an offset without an element is padding: from the first element to
// the end of the last one's row, block or pitch. Offsets before and after are outside of the tensor. All of an empty
// tensor's storage is padding.
//
//	(5):(1)@3 of 10      3, 8
//	(2,3):(5,1) of 12    0, 10: two after each row
//
// The blocks that a swizzle permutes are inside as a whole.
func Inside(l tensor.Layout) (from, end int) {
	low, high, ok := l.Span()
	if !ok {
		return 0, l.Alloc()
	}
	if z := l.Swizzle(); !z.IsZero() {
		low = low / z.Period() * z.Period()
		high = high/z.Period()*z.Period() + z.Period() - 1
	}
	from = min(max(low, 0), l.Alloc())
	end = max(0, min(high+1, l.Alloc()))
	if !l.Swizzle().IsZero() {
		return from, max(from, end)
	}
	return from, max(from, end+sort.Search(l.Alloc()-end, func(n int) bool {
		p := explain.NewPadding(l, end+n)
		return p.Kind == explain.PadAfter && p.Over == nil
	}))
}
