package picture

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/gpu/shared"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// lines are the sentences below the title.
func (d *sketch) lines(memories []Memory) []string {
	l := d.Layout
	if l.Numel() == 0 {
		k := 0
		for l.Dim(k).Size > 0 {
			k++
		}
		return []string{fmt.Sprintf("no elements to draw: %s is 0", l.Dim(k).Name)}
	}
	perMemory := slices.ContainsFunc(memories, func(m Memory) bool { return m.Layout.String() != l.String() })
	meanings := make([]string, len(d.Labels))
	for i, k := range d.Labels {
		meanings[i] = k.describe(d.names, perMemory)
		if k == Bank && d.banks != nil {
			meanings[i] += ", ×n for an n-way conflict"
		}
	}
	lines := []string{"cell = " + strings.Join(meanings, " / ")}
	if shown := ints.Product(d.counts); shown < l.Numel() {
		lines[0] += fmt.Sprintf("; %d of %s drawn", shown, text.Count(l.Numel(), "element"))
	}
	if d.trail.path != NoPath {
		lines = append(lines, d.trail.describe())
	}
	if d.banks != nil {
		lines = append(lines, d.banks.String(), bankCost(d.banks.BankCounts))
	}
	return lines
}

// noun returns what an index of a dim is called. An assumed N may be the output channels of weights, so it is not called an image.
func (s Subject) noun(dim int) (noun string, ok bool) {
	if s.Assumed && s.Layout.Dim(dim).Name == "N" {
		return "", false
	}
	return notation.DimNoun(s.Layout.Names(), dim)
}

// describe explains the numbers of steps.
func (t trail) describe() string {
	if t.path == Channel {
		return "steps: channel-wise access, for every pixel all its channels"
	}
	return "steps: spatial access, for every channel all its pixels"
}

// memoryLines returns the sentences below a memory's name: its strides, outermost axis first, its size, and the cost of a path.
func (d *sketch) memoryLines(m Memory, v visit, c *shared.Cost) []string {
	var lines, strides []string
	for _, a := range explain.InMemory(m.Layout, nil) {
		strides = append(strides, fmt.Sprintf("%s %d", a.Name(), a.Stride))
	}
	if z := m.Layout.Swizzle(); !z.IsZero() {
		strides = append(strides, "permuted by "+z.String())
	}
	size := storageText(m.Layout)
	if len(strides) > 0 {
		size = "strides " + strings.Join(strides, ", ") + "; " + size
	}
	lines = append(lines, size)
	if len(v.offsets) > 0 {
		lines = append(lines, d.trail.fetched(v, d.Size, d.Shared, d.Line))
	}
	if c != nil && d.severalMemories {
		lines = append(lines, bankCost(c.BankCounts))
	}
	return lines
}

// storageText describes the size of a storage: elements, padding, and what is unused outside of the tensor.
func storageText(l tensor.Layout) string {
	alloc := text.Count(l.Alloc(), "element")
	unique := occupied(l)
	from, end := Inside(l)
	padding := end - from - unique
	outside := l.Alloc() - (end - from)
	if unique < 0 {
		return fmt.Sprintf("storage of %s", alloc)
	}
	if !l.InBounds() {
		return fmt.Sprintf("storage of %s, some of the tensor's elements are out of bounds", alloc)
	}
	if unique < l.Numel() && unique < l.Alloc() {
		return fmt.Sprintf("storage of %s: %d shared by %d, %s", alloc, unique, l.Numel(), unoccupied(padding, outside))
	}
	if unique < l.Numel() {
		return fmt.Sprintf("storage of %s, shared by %d", alloc, l.Numel())
	}
	if unique < l.Alloc() {
		return fmt.Sprintf("storage of %d: %s, %s", l.Alloc(), text.Count(unique, "element"), unoccupied(padding, outside))
	}
	return alloc + ", no padding"
}

// unoccupied describes the offsets without an element.
func unoccupied(padding, outside int) string {
	if outside == 0 {
		return fmt.Sprintf("%d padding", padding)
	}
	if padding == 0 {
		return fmt.Sprintf("%d unused", outside)
	}
	return fmt.Sprintf("%d padding, %d unused", padding, outside)
}

// occupied counts the addresses in use; -1 if counting takes too long.
func occupied(l tensor.Layout) int {
	if n, ok := l.Sharing(); ok {
		return l.Numel() / n
	}
	if l.Numel() > maxCells {
		return -1
	}
	return l.Occupancy().Unique
}
