package scene

import (
	"iter"
)

// equalParts is how many cells of n to put into a row of no more than fit: all, their largest divisor, or a power of two
// where that fills less than half of the row. It is at least 1, where n is.
func equalParts(n, fit int) int {
	fit = max(1, fit)
	if n <= fit {
		return n
	}
	divisor, power := 1, 1
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

// parts breaks a row into parts of n cells, the last of which may have fewer.
func (r MemoryRow) parts(n int) iter.Seq[MemoryRow] {
	return func(yield func(MemoryRow) bool) {
		for i := 0; i < len(r.Cells); i += n {
			if !yield(MemoryRow{Address: r.Address + Address(i), Cells: within(r.Cells, i, i+n)}) {
				return
			}
		}
	}
}

func within[T any](all []T, from, to int) []T {
	return all[min(from, len(all)):min(to, len(all))]
}

// widest is how many cells the longest row has.
func (m Memory) widest() int {
	cells := 0
	for _, row := range m.Rows {
		cells = max(cells, len(row.Cells))
	}
	return cells
}

// widest is how many columns a plane has.
func (p Plane) widest() int {
	columns := len(p.Columns)
	for _, row := range p.Rows {
		columns = max(columns, len(row.Cells))
	}
	return columns
}
