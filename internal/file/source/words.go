package source

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Values below a byte are packed into the elements of a file, its words: 8 of int4 in an int32, the first one in the lowest bits. Data has a byte for
// each value, so that layouts, conversions and comparisons count values.

// valuesOf returns the type of the values that a file's words hold, by --dtype or by a layout of packed weights, such as awq, for an array of
// integers; ok is false if they hold none.
func (t *Tensor) valuesOf(o Options) (d dtype.Type, ok bool) {
	word := t.Header.DType
	isInteger := word.Kind() == dtype.Int || word.Kind() == dtype.Uint
	if isInteger {
		d, _ = PackedType(o.Layout)
	}
	if o.DType != nil {
		d = *o.DType
	}
	return d, d.Packed() && !word.Packed() && !dtype.MayBeUnpacked(word)
}

// PackedType returns the type below a byte that a layout's name implies, uint4 for awq; ok is false for all other names, and without a layout.
func PackedType(l *notation.Layout) (d dtype.Type, ok bool) {
	if l == nil {
		return d, false
	}
	d, err := dtype.Parse(l.DType)
	return d, err == nil && d.Packed()
}

// spread reads the words of an array as values of a type below a byte, along its last axis. Errors are fault.Usage.
func (t *Tensor) spread(d dtype.Type) error {
	word := t.Header.DType
	last := len(t.FileShape) - 1
	rawWord := word.Kind() == dtype.Void && word.Fields() == nil
	if word.ItemSize() == 0 || !dtype.IsNumber(word) && !rawWord {
		return fault.New(fault.Usage, "%s is packed into numbers or raw bytes, not into %s", d, word)
	}
	if last < 0 || t.Header.Fortran {
		return fault.New(fault.Usage, "%s is packed along the last axis of an array in C order, which this file is not", d)
	}
	if word.Order() == dtype.Big {
		return fault.New(fault.Usage, "%s is packed into little-endian words, and these are big-endian", d)
	}
	if t.packed != nil {
		return fault.New(fault.Unsupported, "%s packed in a compressed member is not read", d).WithHint("convert the member to .npy first, with --to c")
	}
	shape := slices.Clone(t.FileShape)
	values, ok := tensor.Mul(shape[last], word.ItemSize()*d.PerByte())
	shape[last] = values
	if !ok {
		return fault.New(fault.Unsupported, "%s values of %s overflow a 64-bit address", tensor.Tuple(t.FileShape), d)
	}
	if _, err := tensor.Numel(shape); err != nil {
		return err
	}
	t.notes = append(t.notes, fmt.Sprintf("%s of %s per word of %s, the first in the lowest bits", text.Count(word.ItemSize()*d.PerByte(), "value"), d, word))
	t.DType = d
	t.FileShape = shape
	t.Encoding = ""
	t.Block = 0
	t.Quant = nil
	return nil
}

// split divides the axes of a file of packed values, or of a joined order, as a layout does. Each axis begins with an axis of the layout whose
// size is open, which the axes of known sizes follow:
//
//	(4096, 4096) as K N//8 N%2 N//2%4     K = 4096; N//8 = 4096/8, 2, 4
func (t *Tensor) split(f notation.Format) error {
	if !t.DType.Packed() && !f.Joined() {
		return nil
	}
	axes := f.Axes()
	if len(axes) <= len(t.FileShape) || axes[0].Extent != 0 {
		return nil
	}
	var shape []int
	for _, size := range t.FileShape {
		first := len(shape)
		inner := 1
		if first == len(axes) || axes[first].Extent != 0 {
			return nil
		}
		shape = append(shape, 0)
		for k := first + 1; k < len(axes) && axes[k].Extent != 0; k++ {
			shape = append(shape, axes[k].Extent)
			inner = inner * axes[k].Extent
		}
		if size%inner != 0 {
			return fault.New(fault.Usage, "layout %s divides an axis of %s into parts of %d", f, text.Count(size, "value"), inner)
		}
		shape[first] = size / inner
	}
	if len(shape) == len(axes) {
		t.FileShape = shape
	}
	return nil
}

// Divided reports whether the layout divides axes of the file, whose own sizes are those of the header.
func (t *Tensor) Divided() bool {
	return t.Header.Shape != nil && len(t.FileShape) > len(t.Header.Shape)
}

// Joined returns the shape of the file, in words of values, whose axes split divides; ok is false if a row is not a whole number of words.
func Joined(f notation.Format, shape []int, values int) (joined []int, ok bool) {
	for k, n := range shape {
		if k == 0 || k >= len(f.Axes()) || f.Axes()[k].Extent == 0 {
			joined = append(joined, n)
		} else {
			joined[len(joined)-1] *= n
		}
	}
	last := len(joined) - 1
	if last < 0 || joined[last]%values != 0 {
		return nil, false
	}
	joined[last] /= values
	return joined, true
}

// unpackValues returns the data with a byte for each value.
func (t *Tensor) unpackValues(words []byte) []byte {
	values := make([]byte, len(words)*t.DType.PerByte())
	t.DType.Unpack(values, words)
	return values
}
