package render

import "iter"

func isShared(c Cell) bool { return c.Shared > 1 }

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
