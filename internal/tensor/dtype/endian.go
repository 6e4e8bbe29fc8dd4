package dtype

import (
	"encoding/binary"
	"slices"
)

// LittleEnd returns what turns the numbers of items, one behind the other, little end first in place: those of fields
// and sub-arrays too, the parts of complex numbers and characters each. It is nil where all are so, or items hold no
// bytes.
func LittleEnd(d Type) func(items []byte) {
	base, shape := d.Sub()
	fields := d.Fields()
	switch {
	case d.ItemSize() == 0:
		return nil
	case shape != nil:
		return LittleEnd(base)
	case fields != nil:
		return littleFields(fields, d.ItemSize())
	case d.Order() != Big:
		return nil
	}
	return swapped(width(d))
}

// width is how many bytes of a plain item belong together.
func width(d Type) int {
	switch d.Kind() {
	case Complex:
		return d.ItemSize() / 2
	case Text:
		return 4
	}
	return d.ItemSize()
}

func littleFields(fields []Field, size int) func([]byte) {
	swaps, any := make([]func([]byte), len(fields)), false
	for i, f := range fields {
		swaps[i] = LittleEnd(f.DType)
		any = any || swaps[i] != nil
	}
	if !any {
		return nil
	}
	return func(items []byte) {
		for ; len(items) >= size; items = items[size:] {
			for i, f := range fields {
				if swaps[i] != nil {
					swaps[i](items[f.Offset : f.Offset+f.DType.ItemSize()])
				}
			}
		}
	}
}

// swapped reverses numbers of width bytes each.
func swapped(width int) func([]byte) {
	big, little := binary.BigEndian, binary.LittleEndian
	switch width {
	case 2:
		return func(b []byte) {
			for ; len(b) >= 2; b = b[2:] {
				little.PutUint16(b, big.Uint16(b))
			}
		}
	case 4:
		return func(b []byte) {
			for ; len(b) >= 4; b = b[4:] {
				little.PutUint32(b, big.Uint32(b))
			}
		}
	case 8:
		return func(b []byte) {
			for ; len(b) >= 8; b = b[8:] {
				little.PutUint64(b, big.Uint64(b))
			}
		}
	}
	return func(b []byte) {
		for ; len(b) >= width; b = b[width:] {
			slices.Reverse(b[:width])
		}
	}
}
