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

// any reports whether a cell of the scene satisfies is; inMemory checks memories only.
func (s Scene) any(is func(Cell) bool) bool { return anyOf(s.cells(), is) }

func (s Scene) inMemory(is func(Cell) bool) bool {
	return slices.ContainsFunc(s.Memories, func(m Memory) bool { return m.any(is) })
}

// Elements returns the number of elements that the grid shows.
func (g Grid) Elements() int {
	n := 0
	for c := range g.cells() {
		if c.Kind == Element {
			n++
		}
	}
	return n
}

// Cut reports whether elements or rows of memory are omitted.
func (s Scene) Cut() bool {
	skips := func(b Band) bool {
		return b.Skip != "" || slices.ContainsFunc(b.Planes, func(p Plane) bool { return p.Skip != "" })
	}
	return slices.ContainsFunc(s.Tensor.Bands, skips) || s.Tensor.any(func(c Cell) bool { return c.Kind == Omitted }) ||
		slices.ContainsFunc(s.Memories, func(m Memory) bool {
			return slices.ContainsFunc(m.Rows, func(r MemoryRow) bool { return r.Skip != "" })
		})
}

// wide reports whether a cell is larger than a cache line, so that lines are neither marked nor framed: a frame contains whole cells.
func (m Memory) wide() bool { return m.Item > m.Line }

// any reports whether a cell of the grid satisfies such.
func (g Grid) any(matches func(Cell) bool) bool { return anyOf(g.cells(), matches) }

// any reports whether a cell of the memory satisfies such.
func (m Memory) any(matches func(Cell) bool) bool { return anyOf(m.cells(), matches) }

func anyOf(cells iter.Seq[*Cell], matches func(Cell) bool) bool {
	for c := range cells {
		if matches(*c) {
			return true
		}
	}
	return false
}

// cells yields the cells of the grid, then those of each memory.
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

// equalParts returns how many of n cells to put into a row with space for fit: all, their largest divisor, or a power of two if the divisor
// fills less than half of the row. It is at least 1 unless n is 0.
func equalParts(n, fit int) int {
	fit = max(1, fit)
	if n <= fit {
		return n
	}
	divisor := 1
	power := 1
	for d := 1; d <= fit; d++ {
		if n%d == 0 {
			divisor = d
		}
	}
	for power*2 <= fit {
		power *= 2
	}
	if divisor*2 >= fit {
		return divisor
	}
	return max(divisor, power)
}

// parts breaks a row into parts of n cells; the last part may have fewer. Parts of a row without an address have none.
func (r MemoryRow) parts(n int) iter.Seq[MemoryRow] {
	return func(yield func(MemoryRow) bool) {
		for i := 0; i < len(r.Cells); i += n {
			if !yield(MemoryRow{Address: r.address(i), Cells: within(r.Cells, i, i+n)}) {
				return
			}
		}
	}
}

// address returns the address of a cell.
func (r MemoryRow) address(cell int) Address {
	if r.Address == NoAddress {
		return NoAddress
	}
	return r.Address + Address(cell)
}

func within[T any](all []T, from, to int) []T {
	return all[min(from, len(all)):min(to, len(all))]
}

// widest returns the number of cells in the longest row.
func (m Memory) widest() int {
	cells := 0
	for _, row := range m.Rows {
		cells = max(cells, len(row.Cells))
	}
	return cells
}

// widest returns the number of columns in a plane.
func (p Plane) widest() int {
	columns := len(p.Columns)
	for _, row := range p.Rows {
		columns = max(columns, len(row.Cells))
	}
	return columns
}
