package safetensors

import (
	"cmp"
	"math/bits"
	"slices"
)

// check checks the header against size bytes of data: validate and read_metadata in tensor.rs. Entries sorted by their bytes
// follow each other without gaps, from 0 to size, and each has the bytes of its shape and dtype.
func (h *header) check(size uint64) error {
	for i := range h.entries {
		if err := h.entries[i].check(); err != nil {
			return of(h.entries[i].name, err)
		}
	}
	sorted := slices.Clone(h.entries)
	slices.SortFunc(sorted, func(a, b entry) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end)) })
	end, last := uint64(0), ""
	for _, e := range sorted {
		switch {
		case e.begin < end:
			return damaged("tensor %s overlaps %s", quoted(e.name), quoted(last))
		case e.begin > end:
			return damaged("%d bytes before tensor %s are in no tensor", e.begin-end, quoted(e.name))
		}
		end, last = e.end, e.name
	}
	switch {
	case end > size:
		return damaged("the file is cut off: %d bytes of tensors are missing", end-size)
	case end < size:
		return damaged("%d bytes after the last tensor are in no tensor", size-end)
	}
	return nil
}

// check checks what an entry says of itself. The size of a dtype that the format does not define is not
// known, nor that of a shape that is not read to its end.
func (e *entry) check() error {
	if e.end < e.begin {
		return damaged("its data_offsets end at %d, before they begin, at %d", e.end, e.begin)
	}
	_, width := find(e.dtype)
	if width == 0 || e.rank > len(e.shape) {
		return nil
	}
	n, ok := total(e.shape, width)
	switch {
	case !ok:
		return damaged("its shape overflows 64 bits")
	case n%8 != 0:
		return damaged("%s of its shape have %d bits, which are no whole bytes", e.dtype, n)
	case n/8 != e.end-e.begin:
		return damaged("%s of its shape have %d bytes, its data_offsets %d", e.dtype, n/8, e.end-e.begin)
	}
	return nil
}

// total is the number of bits of a shape, and whether it fits 64 bits, sizes of 0 counted as 1 for that: unlike in tensor.rs,
// the order of sizes makes no difference.
func total(shape []uint64, width uint64) (n uint64, ok bool) {
	n, empty := width, false
	for _, size := range shape {
		if size == 0 {
			empty = true
			continue
		}
		over, product := bits.Mul64(n, size)
		if over != 0 {
			return 0, false
		}
		n = product
	}
	if empty {
		return 0, true
	}
	return n, true
}
