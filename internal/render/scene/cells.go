package scene

import (
	"iter"
	"slices"
)

func isPadding(c Cell) bool { return c.Kind == Padding }

func isOutside(c Cell) bool { return c.Kind == Outside }

func isShared(c Cell) bool { return c.Shared > 1 }

func isHit(c Cell) bool { return c.Hit }

func isStep(c Cell) bool { return c.Step > 0 }

// some reports whether a cell of the scene is so, inMemory whether one of its memories is.
func (s Scene) some(is func(Cell) bool) bool { return anyOf(s.cells(), is) }

func (s Scene) inMemory(is func(Cell) bool) bool {
	return slices.ContainsFunc(s.Memories, func(m Memory) bool { return m.any(is) })
}

// Elements is how many elements the grid shows.
func (g Grid) Elements() int {
	n := 0
	for c := range g.cells() {
		if c.Kind == Element {
			n++
		}
	}
	return n
}

// wide reports whether a cell is more than a cache line. Lines are neither marked nor framed then: a frame holds cells.
func (m Memory) wide() bool { return m.Item > m.Line }

// any reports whether a cell of the grid is such.
func (g Grid) any(such func(Cell) bool) bool { return anyOf(g.cells(), such) }

// any reports whether a cell of the memory is such.
func (m Memory) any(such func(Cell) bool) bool { return anyOf(m.cells(), such) }

func anyOf(cells iter.Seq[*Cell], such func(Cell) bool) bool {
	for c := range cells {
		if such(*c) {
			return true
		}
	}
	return false
}

// cells are those of the grid, then those of every memory.
func (s Scene) cells() iter.Seq[*Cell] {
	return func(yield func(*Cell) bool) {
		for c := range s.Tensor.cells() {
			if !yield(c) {
				return
			}
		}
		for _, m := range s.Memories {
			for c := range m.cells() {
				if !yield(c) {
					return
				}
			}
		}
	}
}

func (g Grid) cells() iter.Seq[*Cell] {
	return func(yield func(*Cell) bool) {
		for _, b := range g.Bands {
			for _, p := range b.Planes {
				for _, row := range p.Rows {
					for i := range row.Cells {
						if !yield(&row.Cells[i]) {
							return
						}
					}
				}
			}
		}
	}
}

func (m Memory) cells() iter.Seq[*Cell] {
	return func(yield func(*Cell) bool) {
		for _, row := range m.Rows {
			for i := range row.Cells {
				if !yield(&row.Cells[i]) {
					return
				}
			}
		}
	}
}
