package source

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/foreign"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// openRaw opens a file, or standard input, without a header: the tensor that o.Raw describes begins at byte o.Skip. The shape is
// logical, the padding of a blocked layout is computed, and the number of bytes must match the layout.
func openRaw(n name.Name, o Options) (*Set, error) {
	if n.IsStdin() {
		return rawSet(n, nil, o), nil
	}
	b, err := input.Open(n, o.files())
	if err != nil {
		return nil, err
	}
	return rawSet(n, b, o), nil
}

// rawSet returns the set of a file without a header; b is nil for standard input.
func rawSet(n name.Name, b input.File, o Options) *Set {
	s := newSet(n, checkpoint.Raw, b, o)
	raw := o.Raw
	s.open = func(_ int, n name.Name, o Options) (*Tensor, error) {
		o.Raw = raw
		t := &Tensor{Source: n, Kind: KindRaw, file: b}
		if err := fault.In(n.Subject(), t.readRaw(o)); err != nil {
			if t.own {
				t.file.Close()
			}
			return nil, err
		}
		if o.Opened != nil {
			o.Opened(t)
		}
		return t, nil
	}
	return s
}

// readRaw reads the open file or standard input. The layout comes first: it limits how much of standard input is read.
func (t *Tensor) readRaw(o Options) (err error) {
	b := rawBytes{name: input.Stdin}
	if t.file != nil {
		head, err := readHead(t.file)
		if err != nil {
			return err
		}
		if err := foreign.LFSPointer(head); err != nil {
			return err
		}
		b = rawBytes{name: "the file", size: t.file.Size(), known: true, isNpy: strings.HasPrefix(head, npy.Magic)}
	}
	maxElems, err := t.describeRaw(*o.Raw, o, b)
	if err != nil {
		return err
	}
	if t.file == nil {
		b, err = t.readStdin(o, maxElems)
		if err != nil {
			return err
		}
	}
	return t.takeRaw(b, maxElems, o)
}

// describeRaw makes the tensor that y describes. Of a file or stream, at most the size is known. It returns the largest number of
// elements of the storage.
func (t *Tensor) describeRaw(y Typed, o Options, b rawBytes) (maxElems int, err error) {
	if o.Layout != nil {
		l := o.Layout.ForRank(len(y.Shape))
		y.Layout = &l
	}
	exact := y.Layout != nil && y.Layout.Exact != nil
	if o.Channels != 0 {
		return 0, fault.New(fault.Usage, "--channels applies to .npy files; for a raw file, --shape gives the channel count")
	}
	if y.Shape == nil && !exact {
		return 0, fault.New(fault.Usage, "--raw needs --shape, the logical sizes").WithHint("--raw --shape 2,3,4,5 --dtype float32")
	}
	if err := b.checkSkip(o.Skip); err != nil {
		return 0, err
	}
	switch implied, ok := PackedType(y.Layout); {
	case o.DType != nil:
		y.DType = *o.DType
	case ok:
		y.DType = implied
	default:
		return 0, untyped(y, b.size-o.Skip)
	}
	if err := t.describeTyped(y); err != nil {
		return 0, err
	}
	t.DType = y.DType
	if t.DType.ItemSize() == 0 {
		return 0, fault.New(fault.Usage, "elements of %s have no bytes", t.DType)
	}
	if err := t.Layout.CheckBytes(t.DType.ItemSize(), t.DType); err != nil {
		return 0, err
	}
	t.Header = npy.Header{DType: t.DType, Descr: t.DType.Typestr(), DataOffset: o.Skip}
	t.StorageView = exact || y.Strides != nil || y.Layout != nil && y.Layout.Sized != nil
	if !t.StorageView {
		return t.Layout.Alloc(), t.storedAsAxes(y)
	}
	if low, high, ok := t.Layout.Span(); ok && low < 0 {
		return 0, fault.New(fault.Usage, "layout %s uses offsets %d to %d; storage begins at 0", t.Layout, low, high)
	}
	return maxStorage(t.Layout), nil
}

// takeRaw checks that the bytes are the tensor's, with trailing ones only if allowed. The storage of a layout with strides is all of
// them: the outermost rows may be padded after the last element.
func (t *Tensor) takeRaw(b rawBytes, maxElems int, o Options) error {
	if err := b.checkSkip(t.Header.DataOffset); err != nil {
		return err
	}
	t.Header.DataBytes = b.size - t.Header.DataOffset
	if o.AllowTrailing && (o.Skip > 0 || !b.isNpy) {
		item := int64(t.DType.ItemSize())
		used := min(t.Header.DataBytes/item*item, t.DType.Size(int64(maxElems)))
		if !b.more {
			t.noteTrailing(t.Header.DataBytes - used)
		}
		t.Header.DataBytes = used
		b.more = false
	}
	if err := t.fits(b, t.Layout.Alloc(), maxElems, o); err != nil || !t.StorageView {
		return err
	}
	elems := int(t.Header.DataBytes) / t.DType.ItemSize() * t.DType.PerByte()
	if t.DType.Packed() {
		elems = min(elems, maxElems) // the rest of the last byte is none
	}
	var err error
	t.Layout, err = t.Layout.Renamed(t.Layout.Names(), elems)
	t.FileShape = []int{elems}
	t.Header.Shape = []int{elems}
	return err
}

// untyped returns the error for a raw file without a dtype.
func untyped(y Typed, bytes int64) error {
	e := fault.New(fault.Usage, "--raw needs --dtype, the element type")
	n, err := tensor.Numel(y.Shape)
	if err != nil || n == 0 || bytes <= 0 {
		return e.WithHint("--raw --shape 2,3,4,5 --dtype float32")
	}
	if bytes%int64(n) == 0 {
		return e.WithHint("the file has %d bytes for each of %d elements", bytes/int64(n), n)
	}
	return e.WithHint("--raw --shape 2,3,4,5 --dtype float32")
}

// storedAsAxes makes the file an array whose axes are those of the memory order.
func (t *Tensor) storedAsAxes(y Typed) (err error) {
	if y.Offset != 0 {
		return fault.New(fault.Usage, "--offset needs --strides").WithHint("--skip %d skips as many bytes", t.DType.Size(int64(y.Offset)))
	}
	axes := t.Format
	t.Header.Fortran = y.Layout != nil && y.Layout.Own == notation.OwnFortran
	if t.Header.Fortran {
		axes = axes.Reversed()
	}
	t.FileShape, err = axes.PhysicalShape(t.Layout.Shape())
	if err != nil {
		return err
	}
	t.Header.Shape = t.FileShape
	if !t.Format.Plain() {
		t.notes = append(t.notes, fmt.Sprintf("the shape is logical, %s; the file's is %s",
			tensor.NamedSizes(t.Layout.Names(), t.Layout.Shape()), tensor.Tuple(t.FileShape)))
	}
	if note := t.channelsNote(y); note != "" {
		t.Warnings = append(t.Warnings, note)
	}
	return nil
}

// maxStorage returns the number of elements up to the end of the longest row, padding included: the offset plus the largest extent
// times stride of a digit. The stride of a digit of extent 1 is never used and may be any number.
func maxStorage(l tensor.Layout) int {
	end := l.Alloc()
	for d := range l.Rank() {
		for _, g := range l.Dim(d).Digits {
			if g.Extent <= 1 {
				continue
			}
			if n, ok := tensor.MulAdd(l.Offset(), g.Extent, max(g.Stride, -g.Stride)); ok {
				end = max(end, n)
			}
		}
	}
	return end
}
