package offsetcmd

import (
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// finder finds offsets of coordinates in a tensor, and the coordinates of offsets.
type finder struct {
	*source.Tensor
	typed     tensor.Layout // of coordinates as typed: of values, in a quantized tensor
	itemSize  int           // bytes; 0 if elements share a byte
	word      int           // bits of --word; 0 without
	dataStart *int64        // offset of the storage in the file; nil without a file
}

// Limits on the coordinates of one offset that are searched for, written to JSON, and shown.
const (
	maxCounted = 4096
	maxListed  = 64
	maxShown   = 8
)

// answer returns the results for the coordinates, then for the offsets of --at.
func answer(o *options, t *source.Tensor, coords []string) (results []result, err error) {
	f := finder{Tensor: t, itemSize: t.DType.WholeBytes(), word: o.word}
	if at, ok := t.DataStart(); ok {
		f.dataStart = &at
	}
	if err := f.checkBytes(); err != nil {
		return nil, err
	}
	f.typed, err = t.ValueLayout()
	if err != nil {
		return nil, err
	}
	coords, err = gather(coords, f.typed)
	if err != nil {
		return nil, err
	}
	if _, err := t.DataTo(f.needed(coords, o)); err != nil {
		return nil, err
	}
	err = t.Guard(func() error {
		results, err = f.results(coords, o.at.list)
		if err != nil {
			return err
		}
		for i := range results {
			results[i].ReadAs = t.Misread(o.reader, results[i].Coord)
		}
		if !o.line {
			return nil
		}
		if f.itemSize == 0 {
			return fault.New(fault.Usage, "--line-size: elements of %s have no bytes of their own", t.DType).WithHint("omit --line-size")
		}
		for i := range results {
			results[i].Line = f.line(&results[i], o.lineSize.N)
		}
		return nil
	})
	return results, err
}

// needed returns the length of the storage's prefix, in elements, that holds the requested elements and their cache lines. It ignores
// invalid coordinates.
func (f *finder) needed(coords []string, o *options) int {
	last := -1
	for _, arg := range coords {
		if coord, err := parseCoord(arg, f.typed); err == nil {
			coord, _ = f.element(coord)
			last = max(last, f.Layout.At(coord...))
			if o.reader != nil {
				last = max(last, o.reader.At(coord...))
			}
		}
	}
	for _, t := range o.at.list {
		last = max(last, t.n)
		if t.bytes {
			last = max(last, min(t.n, math.MaxInt/8-1)*f.DType.PerByte()+f.DType.PerByte()-1)
		}
	}
	if o.line {
		last = min(last, math.MaxInt-int(o.lineSize.N)) + int(o.lineSize.N)
	}
	return min(last, math.MaxInt-1) + 1
}

// checkBytes fails if the byte of an element overflows an int64, even outside the storage.
func (f *finder) checkBytes() error {
	low, high, ok := f.Layout.Span()
	if limit := math.MaxInt64 / 2 / int64(max(f.itemSize, 1)); ok && (int64(low) < -limit || int64(high) > limit) {
		return fault.New(fault.Unsupported, "the bytes of offsets %d to %d overflow a 64-bit address", low, high)
	}
	return nil
}

func (f *finder) results(coords []string, at []target) (all []result, err error) {
	for _, arg := range coords {
		coord, err := parseCoord(arg, f.typed)
		if err != nil {
			return nil, err
		}
		at, index := f.element(coord)
		r := f.locate(arg, at)
		r.values = coord
		if f.BlockDim() >= 0 {
			block, _ := f.Item(r.Offset)
			r.index = &index
			r.Quantized = f.Tensor.Quantized(coord, block)
		}
		all = append(all, r)
	}
	for _, t := range at {
		parts := 1
		if t.bytes { // all elements of the byte
			parts = f.DType.PerByte()
		}
		for part := range parts {
			r, err := f.lookUp(t, part)
			if err != nil {
				return nil, err
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// element returns the coordinate of the element that holds a value, and the value's number in it: those of its block, in a quantized tensor.
func (f *finder) element(coord []int) (at []int, index int) {
	if f.BlockDim() < 0 {
		return coord, 0
	}
	return f.BlockCoord(coord)
}

// locate returns the result for a coordinate.
func (f *finder) locate(query string, coord []int) result {
	address := explain.NewAddress(f.Layout, coord)
	r := result{
		Query: query, Coord: coord, position: f.position(address.Total), Terms: newTerms(f.Layout, coord), Aliases: [][]int{},
		Formula: address.String(), digits: address.DigitLines(),
	}
	if !f.DType.Packed() {
		r.ByteFormula = address.In(f.itemSize).String()
	}
	if !address.Swizzle.IsZero() {
		r.permuted = []string{address.SwizzleLine()}
	}
	r.search(f.Layout)
	r.Elems = max(r.Elems, 1)
	for _, c := range r.Coords {
		if !slices.Equal(c, coord) {
			r.Aliases = append(r.Aliases, c)
		}
	}
	return r
}

// position returns an offset of the storage in every unit.
func (f *finder) position(off int) position {
	bit := int64(off) * int64(f.DType.Bits())
	p := position{Offset: off, Byte: bit >> 3, Part: f.DType.Part(off)}
	if f.word > 0 {
		n := bit / int64(f.word)
		first := bit % int64(f.word)
		p.Word = &n
		p.WordBits = []int64{first, first + int64(f.DType.Bits()) - 1}
	}
	if f.dataStart != nil {
		at := *f.dataStart + p.Byte
		p.FileByte = &at
	}
	if value, ok := f.Value(off); ok && f.DType.ItemSize() > 0 {
		p.Value = &value
	}
	return p
}

// search finds the coordinates at the result's offset, and counts them.
func (r *result) search(l tensor.Layout) {
	var found [][]int
	found, r.Complete = l.Find(r.Offset, maxCounted)
	r.Elems = len(found)
	if n, ok := l.Sharing(); ok && !r.Complete {
		r.Elems = n
		r.Complete = true
	}
	r.Coords = append([][]int{}, found[:min(len(found), maxListed)]...)
}

// lookUp finds the elements at an offset, or explains why it is padding.
func (f *finder) lookUp(t target, part int) (result, error) {
	l := f.Layout
	off, within, err := f.offsetOf(t, part)
	if err != nil {
		return result{}, err
	}
	low, high, used := l.Span()
	inStorage := off >= 0 && off < l.Alloc()
	inSpan := used && off >= low && off <= high
	if !inStorage && !inSpan {
		return result{}, f.outside(t, off)
	}
	r := result{Query: t.text, position: f.position(off), Within: within, Aliases: [][]int{}}
	r.search(l)
	if z := l.Swizzle(); !z.IsZero() {
		r.permuted = []string{explain.SwizzleLine(z, off) + ", before " + z.String()}
	}
	if d, ok := explain.NewDivision(l, off); ok {
		r.Division = newDivision(d)
	}
	if r.Elems == 0 && r.Complete {
		p := explain.NewPadding(l, off)
		r.Padding = &padding{Kind: p.Kind, Why: p.String(), Would: p.Would}
	}
	return r, nil
}

// offsetOf returns the offset of a target in elements, and the bytes past it. Of a byte with several elements, part selects the element.
func (f *finder) offsetOf(t target, part int) (off, within int, err error) {
	if !t.bytes {
		return t.n, 0, nil
	}
	if f.DType.Packed() {
		return t.n*f.DType.PerByte() + part, 0, nil
	}
	if f.itemSize == 0 {
		return 0, 0, fault.New(fault.Usage, "--at %s: elements of %s have size 0", t.text, f.DType).
			WithHint("offsets count elements: --at 0")
	}
	off, within = ints.FloorDiv(t.n, f.itemSize)
	return off, within, nil
}

func (f *finder) outside(t target, off int) error {
	n := f.Layout.Alloc()
	if n == 0 {
		return fault.New(fault.Usage, "--at %s: the storage is empty", t.text).
			WithHint("tlayout inspect shows the shape and the storage")
	}
	return fault.New(fault.Usage, "--at %s: offset %d is outside the storage of %s", t.text, off, text.Count(n, "element")).
		WithHint("offsets run from 0 to %d, bytes from 0B to %dB", n-1, f.DType.Size(int64(n))-1)
}
