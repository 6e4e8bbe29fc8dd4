package bench

import (
	"bytes"
	"iter"
	"strconv"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// values is the number of distinct element values, 0 to 15, which every type from uint8 on represents.
const values = 16

// value returns the value of element i in row-major order: the highest four bits of Knuth's multiplicative hash (The Art of Computer
// Programming, volume 3, section 6.4).
func value(i int) int { return int(uint32(i) * 2654435761 >> 28) }

// encoding holds a type's representation of values.
type encoding struct {
	dtype dtype.Type
	size  int            // bytes
	codes [values][]byte // the bytes of each value; for non-numeric types, size bytes of the value
}

func newEncoding(d dtype.Type) encoding {
	enc := encoding{dtype: d, size: d.ItemSize()}
	for v := range enc.codes {
		code, err := d.ParseValue(strconv.Itoa(v))
		if err != nil {
			code = bytes.Repeat([]byte{byte(v)}, enc.size)
		}
		enc.codes[v] = code
	}
	return enc
}

// fill writes the tensor in row-major order: element i is value(i).
func (enc encoding) fill(dst []byte) {
	for i := range len(dst) / enc.size {
		copy(dst[i*enc.size:], enc.codes[value(i)])
	}
}

// Layout is a layout to compare, with its name in the report.
type Layout struct {
	Name string
	tensor.Layout
}

// memory returns n bytes that start at a page: it allocates at least 64 KiB. It touches the pages in order, so that their physical
// placement does not depend on the order of later writes.
func memory(n int) []byte {
	mem := make([]byte, max(n, 64<<10))
	for i := 0; i < len(mem); i += 4096 {
		mem[i] = 0
	}
	return mem[:n]
}

// newStorage returns the storage of the tensor in a layout, with zero padding.
func newStorage(to, rowMajor tensor.Layout, elements []byte, enc encoding) ([]byte, error) {
	plan, err := convert.NewPlan(to, rowMajor, enc.size)
	if err != nil {
		return nil, err
	}
	mem := memory(to.Alloc() * enc.size)
	return mem, plan.Run(mem, elements, nil, convert.Options{})
}

// checkElements fails if an element is not where the layout puts it.
func checkElements(mem []byte, l tensor.Layout, enc encoding) error {
	i := 0
	for at, row := range rowsOf(l, enc.size) {
		for _, move := range row {
			if p := at + move; !bytes.Equal(mem[p:p+enc.size], enc.codes[value(i)]) {
				return fault.New(fault.Resource, "element %d is missing at byte %d of %s", i, p, l)
			}
			i++
		}
	}
	return nil
}

// rowsOf yields every row of elements in logical order, by the definition of a layout: the byte offset of the row, and the
// offsets of its elements relative to it.
func rowsOf(l tensor.Layout, itemSize int) iter.Seq2[int, []int] {
	return func(yield func(int, []int) bool) {
		outer := make([]tensor.Dim, l.Rank()-1)
		for d := range outer {
			outer[d] = l.Dim(d)
		}
		rows, err := tensor.New(outer, l.Offset(), l.Alloc())
		if err != nil {
			panic(err) // l has these dims
		}
		row := byteMoves(l.Dim(len(outer)), itemSize)
		for _, at := range rows.Logical() {
			if !yield(at*itemSize, row) {
				return
			}
		}
	}
}

// byteMoves lists the byte offset that each index of a dim adds.
func byteMoves(d tensor.Dim, itemSize int) []int {
	table := make([]int, d.Size)
	for k := range table {
		table[k] = d.At(k) * itemSize
	}
	return table
}
