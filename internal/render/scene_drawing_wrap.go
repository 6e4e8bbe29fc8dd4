package render

import "strconv"

// memoryMost is how wide a row of memory is drawn, pixels; wider ones are broken into equal parts.
const memoryMost = 1280

// wrapped is the memory in rows of no more cells than fit. A part's address is counted on from its row's, where that is
// a number.
func (d *sceneDrawing) wrapped(m Memory) Memory {
	longest := 0
	for _, r := range m.Rows {
		longest = max(longest, len(r.Cells))
	}
	part := equalParts(longest, int((memoryMost-d.addressWidth(m))/d.cell.w))
	if longest <= part {
		return m
	}
	var rows []MemoryRow
	for _, r := range m.Rows {
		rows = append(rows, r.parts(part)...)
	}
	m.Rows = rows
	return m
}

// parts breaks a row.
func (r MemoryRow) parts(n int) []MemoryRow {
	if len(r.Cells) <= n {
		return []MemoryRow{r}
	}
	var rows []MemoryRow
	address, err := strconv.Atoi(r.Address)
	for i := 0; i < len(r.Cells); i += n {
		part := MemoryRow{Cells: r.Cells[i:min(i+n, len(r.Cells))]}
		switch {
		case i == 0:
			part.Address = r.Address
		case err == nil:
			part.Address = strconv.Itoa(address + i)
		}
		rows = append(rows, part)
	}
	return rows
}
