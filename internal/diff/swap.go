package diff

import (
	"encoding/binary"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

// swapOf returns what turns the numbers of items, one behind the other, little end first; nil where all are.
func swapOf(d tensor.DType) func(items []byte) {
	base, shape := d.Sub()
	fields := d.Fields()
	switch {
	case shape != nil:
		return swapOf(base)
	case fields != nil:
		return swapFields(fields, d.ItemSize())
	case d.Order() != tensor.Big:
		return nil
	}
	width := d.ItemSize()
	switch d.Kind() {
	case tensor.Complex:
		width /= 2
	case tensor.Text:
		width = 4
	}
	return swapNumbers(width)
}

func swapFields(fields []tensor.Field, size int) func([]byte) {
	swaps, any := make([]func([]byte), len(fields)), false
	for i, f := range fields {
		swaps[i] = swapOf(f.DType)
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

// swapNumbers reverses numbers of width bytes each.
func swapNumbers(width int) func([]byte) {
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
		for ; width > 0 && len(b) >= width; b = b[width:] {
			slices.Reverse(b[:width])
		}
	}
}
