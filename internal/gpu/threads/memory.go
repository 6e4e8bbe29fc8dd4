package threads

import (
	"cmp"
	"fmt"

	"github.com/tlayout/tlayout/internal/fault"
)

// The tensor memory of an SM, in columns of 32 bits. (PTX ISA, "Tensor Memory")
const (
	MemoryLanes   = 128
	MemoryColumns = 512
	columnBits    = 32
)

// Cell is a place in tensor memory.
type Cell struct {
	CTA    int `json:"cta"`           // whose tensor memory it is
	Lane   int `json:"memory_lane"`   // lane of tensor memory, 0 to 127
	Column int `json:"memory_column"` // column of 32 bits
	Bit    int `json:"bit"`           // lowest bit of the element in its column
}

// Cell returns where tensor memory holds a value; Bits is known.
func (l Layout) Cell(o Owner) Cell {
	column := o.Value
	if l.column != nil {
		column = l.column(o.Value)
	}
	bit := column * cmp.Or(l.Held, l.Bits)
	return Cell{o.Thread / l.Warp, l.Lane(o.Thread), bit / columnBits, bit % columnBits}
}

// CheckMemory fails with Usage if the bits of an element in tensor memory are unknown, or the tile does not fit.
func (l Layout) CheckMemory() error {
	if l.Bits == 0 {
		return fault.New(fault.Usage, "missing the element type: columns of tensor memory have 32 bits").WithHint("--dtype float16")
	}
	step := 1
	if l.column != nil && l.Values > 1 {
		step = l.column(1)
	}
	if step*l.Bits > columnBits {
		return fault.New(fault.Usage, "elements of %d bits exceed the columns of tensor memory, of %d bits", l.Bits, columnBits)
	}
	if n := l.Columns(); n > MemoryColumns {
		return fault.New(fault.Usage, "the tile takes %d columns of tensor memory, which has %d", n, MemoryColumns)
	}
	return nil
}

// Columns returns the number of columns of tensor memory up to the last that holds an element.
func (l Layout) Columns() int { return l.Cell(Owner{Value: l.Values - 1}).Column + 1 }

// CTAs returns the number of CTAs in whose tensor memory the tile is.
func (l Layout) CTAs() int { return l.Threads / l.Warp }

// Label names a value shortly: T5 V3, in tensor memory L5 C3, with the element in the column if it has several, C3.1, and with the CTA if
// there are several, CTA1 L5 C3.
func (l Layout) Label(o Owner) string {
	if !l.InMemory {
		return fmt.Sprintf("T%d V%d", o.Thread, o.Value)
	}
	c := l.Cell(o)
	label := fmt.Sprintf("L%d C%d", c.Lane, c.Column)
	if l.Bits < columnBits {
		label += fmt.Sprintf(".%d", c.Bit/l.Bits)
	}
	if l.CTAs() > 1 {
		return fmt.Sprintf("CTA%d %s", c.CTA, label)
	}
	return label
}
