package main

import (
	"encoding/hex"
	"slices"

	"github.com/tlayout/tlayout/internal/diff"
	"github.com/tlayout/tlayout/internal/tensor"
)

// diffRow is one differing element: offsets in elements of the storage, bytes from the beginning of the file; null where
// the data lie in no file as they are.
type diffRow struct {
	Coord   []int  `json:"coord"`
	A       string `json:"a"`
	B       string `json:"b"`
	ABits   string `json:"a_bits"`
	BBits   string `json:"b_bits"`
	AOffset int    `json:"a_offset"`
	BOffset int    `json:"b_offset"`
	AByte   *int64 `json:"a_byte"`
	BByte   *int64 `json:"b_byte"`
}

// diffRows are the elements to list, by their index in logical order. What they hold is read when it is written.
type diffRows struct {
	pair  *diffPair
	first []int
}

func (r *diffRows) coord(k int) []int { return diff.Coord(r.pair.layouts[0], r.first[k]) }

// each calls visit for one row after the other.
func (r *diffRows) each(visit func(diffRow) error) error {
	if len(r.first) == 0 {
		return nil
	}
	a, b := r.pair.tensors[0], r.pair.tensors[1]
	dataA, err := a.Data()
	if err != nil {
		return err
	}
	dataB, err := b.Data()
	if err != nil {
		return err
	}
	return a.Guard(func() error {
		return b.Guard(func() error {
			for k := range r.first {
				row := diffRow{Coord: r.coord(k)}
				row.A, row.ABits, row.AOffset, row.AByte = r.side(0, dataA, row.Coord)
				row.B, row.BBits, row.BOffset, row.BByte = r.side(1, dataB, row.Coord)
				if err := visit(row); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// side is what side i holds at a coordinate.
func (r *diffRows) side(i int, data []byte, coord []int) (value, bits string, at int, byteAt *int64) {
	t := r.pair.tensors[i]
	size := t.DType.ItemSize()
	at = r.pair.layouts[i].At(coord...)
	item := data[at*size : (at+1)*size]
	if start, ok := t.DataStart(); ok {
		start += int64(at) * int64(size)
		byteAt = &start
	}
	return t.DType.FormatValue(item), bitsOf(t.DType, item), at, byteAt
}

// mostBits is how many bytes of an item are shown in hexadecimal.
const mostBits = 16

// bitsOf prints an item's bytes: those of a number from the highest to the lowest, of a complex one part by part, of
// all else as they lie in memory.
func bitsOf(d tensor.DType, item []byte) string {
	item, parts := slices.Clone(item), 0
	switch {
	case d.Order() != tensor.Little || d.Kind() == tensor.Text:
	case d.Kind() == tensor.Complex:
		parts = 2
	default:
		parts = 1
	}
	for i := range parts {
		slices.Reverse(item[i*len(item)/parts : (i+1)*len(item)/parts])
	}
	if len(item) > mostBits {
		return "0x" + hex.EncodeToString(item[:mostBits]) + "…"
	}
	return "0x" + hex.EncodeToString(item)
}
