package scene

import (
	"slices"
)

// memoryMost is how wide a row of memory is drawn, pixels; wider ones are broken into equal parts.
const memoryMost = 1280

// wrapped is the memory in rows of no more cells than fit.
func (d *drawing) wrapped(m Memory) Memory {
	part := equalParts(m.widest(), int((memoryMost-d.addressWidth(m))/d.cell.w))
	var rows []MemoryRow
	for _, r := range m.Rows {
		if len(r.Cells) > part {
			rows = slices.AppendSeq(rows, r.parts(part))
		} else {
			rows = append(rows, r)
		}
	}
	m.Rows = rows
	return m
}
