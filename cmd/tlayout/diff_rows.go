package main

import (
	"github.com/tlayout/tlayout/internal/diff"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/scalar"
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
	a, b    string // A and B as a table shows them
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
				if err := visit(r.row(r.coord(k), dataA, dataB)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// row is what both sides hold at a coordinate.
func (r *diffRows) row(coord []int, dataA, dataB []byte) diffRow {
	row := diffRow{Coord: coord}
	var x, y []byte
	x, row.AOffset, row.AByte = r.side(0, dataA, coord)
	y, row.BOffset, row.BByte = r.side(1, dataB, coord)
	a, b := r.pair.tensors[0].DType, r.pair.tensors[1].DType
	row.A, row.B = a.FormatValue(x), b.FormatValue(y)
	if row.a, row.b = row.A, row.B; !isWhole(a) || !isWhole(b) {
		row.a, row.b = cutApart(row.A, row.B)
	}
	row.ABits, row.BBits = bitsOf(a, b, x, y)
	return row
}

// side is the item of side i at a coordinate, and where it lies.
func (r *diffRows) side(i int, data []byte, coord []int) (item []byte, at int, byteAt *int64) {
	t := r.pair.tensors[i]
	size := t.DType.ItemSize()
	at = r.pair.layouts[i].At(coord...)
	if start, ok := t.DataStart(); ok {
		start += int64(at) * int64(size)
		byteAt = &start
	}
	return data[at*size : (at+1)*size], at, byteAt
}

// isWhole reports whether items are shown whole: numbers and times.
func isWhole(d tensor.DType) bool {
	return scalar.IsNumber(d) || d.Kind() == tensor.Datetime || d.Kind() == tensor.Timedelta
}
