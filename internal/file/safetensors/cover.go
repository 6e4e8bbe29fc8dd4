package safetensors

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/sorting"
)

// check checks the header against size bytes of data: validate and read_metadata in tensor.rs. Entries sorted by position must cover 0
// to size without gaps, and each must have the size of its shape and dtype.
func (h *header) check(size uint64) error {
	for i := range h.entries {
		if err := h.entries[i].check(); err != nil {
			return inTensor(h.entries[i].name, err)
		}
	}
	sorted := slices.Clone(h.entries)
	sorting.By(sorted, func(a, b entry) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end)) })
	end := uint64(0)
	last := ""
	for _, e := range sorted {
		switch {
		case e.begin < end:
			return damaged("tensor %s overlaps %s", checkpoint.Quoted(e.name), checkpoint.Quoted(last))
		case e.begin > end:
			return damaged("%d bytes before tensor %s belong to no tensor", e.begin-end, checkpoint.Quoted(e.name))
		}
		end = e.end
		last = e.name
	}
	switch {
	case end > size:
		return damaged("the file is truncated: %d bytes of tensors are missing", end-size)
	case end < size:
		return damaged("%d bytes after the last tensor belong to no tensor", size-end)
	}
	return nil
}

// check checks a single entry. The size of a dtype that the format does not define is unknown, and so is that of a truncated shape.
func (e *entry) check() error {
	if e.end < e.begin {
		return damaged("its data_offsets end at %d, before their begin at %d", e.end, e.begin)
	}
	_, width := find(e.dtype)
	if width == 0 || e.rank > len(e.shape) {
		return nil
	}
	n, ok := total(e.shape, width)
	if !ok {
		return damaged("its shape overflows 64 bits")
	}
	if n%8 != 0 {
		return damaged("%s of its shape have %d bits, not a multiple of 8", e.dtype, n)
	}
	if n/8 != e.end-e.begin {
		return damaged("%s of its shape have %d bytes, its data_offsets %d", e.dtype, n/8, e.end-e.begin)
	}
	return nil
}

// total returns the number of bits of a shape, and whether it fits 64 bits, counting sizes of 0 as 1: unlike in tensor.rs, the order of
// sizes does not matter.
func total(shape []uint64, width uint64) (n uint64, ok bool) {
	n = width
	empty := false
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
