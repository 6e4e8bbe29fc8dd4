package dtype

import (
	"encoding/binary"
	"slices"
)

// LittleEndian returns a function that swaps consecutive elements to little-endian in place: each field, sub-array element, part of a
// complex number and character separately. It is nil if there is nothing to swap.
func LittleEndian(d Type) func(items []byte) {
	if d.ItemSize() == 0 {
		return nil
	}
	if base, shape := d.Sub(); shape != nil {
		return LittleEndian(base)
	}
	if fields := d.Fields(); fields != nil {
		return littleFields(fields, d.ItemSize())
	}
	if d.Order() != Big {
		return nil
	}
	return swapped(width(d))
}

// width returns the number of bytes that are swapped together in a plain element.
func width(d Type) int {
	switch d.Kind() {
	case Complex:
		return d.ItemSize() / 2
	case Text:
		return 4
	}
	return d.ItemSize()
}

// littleFields is LittleEndian for records of size bytes.
func littleFields(fields []Field, size int) func([]byte) {
	swaps := make([]func([]byte), len(fields))
	any := false
	for i, f := range fields {
		swaps[i] = LittleEndian(f.DType)
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

// swapped returns a function that reverses consecutive numbers of width bytes.
func swapped(width int) func([]byte) {
	big := binary.BigEndian
	little := binary.LittleEndian
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
