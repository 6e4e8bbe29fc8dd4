package main

import (
	"slices"

	"github.com/tlayout/tlayout/internal/explain"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// place is the element at an offset.
func (r *offsetReport) place(off int, data []byte) offsetPlace {
	size := r.ItemSize
	p := offsetPlace{Offset: off, Byte: int64(off) * int64(size)}
	if r.DataOffset != nil {
		at := *r.DataOffset + p.Byte
		p.FileByte = &at
	}
	if item := storedItem(data, size, off); item != nil {
		value := r.tensor.DType.FormatValue(item)
		p.Value = &value
	}
	return p
}

// locate answers where a coordinate lies.
func (r *offsetReport) locate(query string, coord []int, data []byte) offsetResult {
	l := r.tensor.Layout
	address := explain.NewAddress(l, coord)
	result := offsetResult{Query: query, Coord: coord, offsetPlace: r.place(address.Total, data), Terms: newTerms(l, coord),
		Formula: address.String(), ByteFormula: address.In(r.ItemSize).String(), Aliases: [][]int{}}
	result.settle(l)
	result.Elems = max(result.Elems, 1)
	for _, c := range result.Coords {
		if !slices.Equal(c, coord) {
			result.Aliases = append(result.Aliases, c)
		}
	}
	return result
}

// settle finds the coordinates that live at the result's offset, and their number.
func (r *offsetResult) settle(l tensor.Layout) {
	var found [][]int
	found, r.Complete = l.Find(r.Offset, countedCoords)
	r.Elems = len(found)
	if n, ok := l.Sharing(); ok && !r.Complete {
		r.Elems, r.Complete = n, true
	}
	r.Coords = append([][]int{}, found[:min(len(found), listedCoords)]...)
}

// lookUp answers what lies at an offset of the storage.
func (r *offsetReport) lookUp(asked askedPlace, data []byte) (offsetResult, error) {
	l, off, within := r.tensor.Layout, asked.n, 0
	if asked.bytes {
		if r.ItemSize == 0 {
			return offsetResult{}, fault.New(fault.Usage, "--at %s: items of %s have no bytes", asked.text, r.DType).
				WithHint("offsets count elements: --at 0")
		}
		off, within = floorDiv(asked.n, r.ItemSize)
	}
	low, high, used := l.Span()
	if inside := off >= 0 && off < l.Alloc(); !inside && !(used && off >= low && off <= high) {
		return offsetResult{}, outside(asked, off, r)
	}
	result := offsetResult{Query: asked.text, offsetPlace: r.place(off, data), Within: within, Aliases: [][]int{}}
	result.settle(l)
	if division, ok := explain.NewDivision(l, off); ok {
		result.Division = newOffsetReading(division)
	}
	if result.Elems == 0 && result.Complete {
		result.Padding = newOffsetPadding(l, off)
	}
	return result, nil
}

func outside(asked askedPlace, off int, r *offsetReport) error {
	n := r.Storage
	if n == 0 {
		return fault.New(fault.Usage, "--at %s: the storage is empty", asked.text).
			WithHint("tlayout inspect shows the shape and what the storage holds")
	}
	e := fault.New(fault.Usage, "--at %s: offset %d is outside of the storage, which has %d %s",
		asked.text, off, n, words.Plural(n, "element", "elements"))
	return e.WithHint("offsets run from 0 to %d, bytes from 0B to %dB", n-1, int64(n)*int64(r.ItemSize)-1)
}

// floorDiv divides towards minus infinity: a = q·b + rest, 0 ≤ rest < b.
func floorDiv[T ~int | ~int64](a, b T) (q, rest T) {
	if rest = a % b; rest < 0 {
		rest += b
	}
	return (a - rest) / b, rest
}
