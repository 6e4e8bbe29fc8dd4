package source

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/words"
)

// openRaw opens a file, or standard input, that has no header: the tensor that o.Raw describes begins at byte o.Skip. The shape is
// logical, the padding of a blocked layout is computed, and the bytes have to be as many as the layout needs.
func openRaw(name string, o Options) (*Tensor, error) {
	b, shown, err := rawInput(name, o)
	if err != nil {
		return nil, err
	}
	t := &Tensor{Source: name, Kind: KindRaw, input: b}
	if err := t.readRaw(*o.Raw, o); err != nil {
		b.Close()
		return nil, fault.In(shown, err)
	}
	if o.Opened != nil {
		o.Opened(t)
	}
	return t, nil
}

func rawInput(name string, o Options) (b *input, shown string, err error) {
	if name == Stdin {
		b, err = spoolStdin(o.Stdin, 0)
		return b, "standard input", err
	}
	b, err = openInput(name)
	return b, words.Quoted(name), err
}

// readRaw makes the tensor of the bytes after o.Skip.
func (t *Tensor) readRaw(y Typed, o Options) error {
	size := t.input.Size()
	if o.Layout != nil {
		l := o.Layout.ForRank(len(y.Shape))
		y.Layout = &l
	}
	exact := y.Layout != nil && y.Layout.Exact != nil
	switch {
	case o.Channels != 0:
		return fault.New(fault.Usage, "--channels is for .npy files; the --shape of a raw file gives the number of channels")
	case y.Shape == nil && !exact:
		return fault.New(fault.Usage, "--raw needs --shape, the logical sizes").WithHint("--raw --shape 2,3,4,5 --dtype float32")
	case o.Skip < 0 || o.Skip > size:
		return fault.New(fault.Usage, "--skip %d is outside of the file, which has %s", o.Skip, words.Bytes(size))
	case o.DType == nil:
		return untyped(y, size-o.Skip)
	}
	y.DType = *o.DType
	if err := t.typed(y); err != nil {
		return err
	}
	if t.DType = y.DType; t.DType.ItemSize() == 0 {
		return fault.New(fault.Usage, "elements of %s have no bytes", t.DType)
	}
	if err := checkBytes(t.Layout, t.DType); err != nil {
		return err
	}
	t.Header = npy.Header{DType: t.DType, Descr: t.DType.Typestr(), DataOffset: o.Skip, DataBytes: size - o.Skip}
	if exact || y.Strides != nil {
		return t.storedAsView()
	}
	return t.storedAsAxes(y)
}

// untyped is the error of a raw file without a type.
func untyped(y Typed, bytes int64) error {
	e := fault.New(fault.Usage, "--raw needs --dtype, the type of the elements")
	if n, err := tensor.Numel(y.Shape); err == nil && n > 0 && bytes%int64(n) == 0 {
		return e.WithHint("there are %d bytes for each of %d elements", bytes/int64(n), n)
	}
	return e.WithHint("--raw --shape 2,3,4,5 --dtype float32")
}

// storedAsAxes takes the file as an array whose axes are those of the memory order.
func (t *Tensor) storedAsAxes(y Typed) (err error) {
	if y.Offset != 0 {
		return fault.New(fault.Usage, "--offset needs --strides").WithHint("--skip %d leaves out as many bytes", int64(y.Offset)*int64(t.DType.ItemSize()))
	}
	if fortran := y.Layout != nil && y.Layout.Own == notation.OwnFortran; fortran {
		t.Header.Fortran, t.FileShape = true, y.Shape
	} else if t.FileShape, err = t.Format.PhysicalShape(y.Shape); err != nil {
		return err
	}
	t.Header.Shape = t.FileShape
	if !t.Format.Plain() {
		t.Notes = append(t.Notes, fmt.Sprintf("the shape is logical, %s; the file's is %s",
			tensor.NamedSizes(t.Layout.Names(), t.Layout.Shape()), tensor.Tuple(t.FileShape)))
	}
	if rank := len(y.Shape); rank >= 3 && rank <= 5 && asChannels(y.Shape[rank-1]) && !asChannels(y.Shape[channelAxis(rank)]) && !asKernel(y.Shape) {
		t.Warnings = append(t.Warnings, fmt.Sprintf("the shape is logical: %s; if its last size counts channels, give them as C, and --from nhwc",
			tensor.NamedSizes(t.Layout.Names(), t.Layout.Shape())))
	}
	return t.fits(t.Layout.Alloc(), t.Layout.Alloc())
}

// storedAsView takes the file as the storage of a layout with strides. After the last element there may be what the outermost
// rows are padded with.
func (t *Tensor) storedAsView() error {
	l, item := t.Layout, int64(t.DType.ItemSize())
	if low, high, ok := l.Span(); ok && low < 0 {
		return fault.New(fault.Usage, "layout %s uses offsets %d to %d; storage begins at 0", l, low, high)
	}
	if err := t.fits(l.Alloc(), maxStorage(l)); err != nil {
		return err
	}
	elems := int(t.Header.DataBytes / item)
	dims := make([]tensor.Dim, l.Rank())
	for i := range dims {
		dims[i] = l.Dim(i)
	}
	var err error
	t.Layout, err = l.With(dims, l.Offset(), elems)
	t.Described, t.FileShape, t.Header.Shape = true, []int{elems}, []int{elems}
	return err
}

// maxStorage is the number of elements up to the end of the longest row, padding included: the offset, and the largest extent times
// stride of a digit. The stride of a digit of extent 1 is never taken and may be any number.
func maxStorage(l tensor.Layout) int {
	end := l.Alloc()
	for d := range l.Rank() {
		for _, g := range l.Dim(d).Digits {
			if g.Extent <= 1 {
				continue
			}
			n, ok := tensor.Mul(g.Extent, max(g.Stride, -g.Stride))
			if n, ok2 := tensor.Add(l.Offset(), n); ok && ok2 {
				end = max(end, n)
			}
		}
	}
	return end
}

// fits checks that the file holds minElems to maxElems elements, and no part of one.
func (t *Tensor) fits(minElems, maxElems int) error {
	item := int64(t.DType.ItemSize())
	have, need := t.Header.DataBytes, int64(minElems)*item
	if elems := have / item; have%item == 0 && elems >= int64(minElems) && elems <= int64(maxElems) {
		return nil
	}
	e := fault.New(fault.Usage, "%s of %s needs %d bytes from byte %d, the file has %d", tensor.Tuple(t.Layout.Shape()), t.DType, need,
		t.Header.DataOffset, t.input.Size())
	switch each := have / int64(max(1, minElems)); {
	case t.input.beginsNpy():
		return e.WithHint("it is a .npy file: leave out --raw and --shape")
	case minElems > 0 && have%int64(minElems) == 0 && each > 0 && each <= 16:
		return e.WithHint("there are %s for each element: is it another --dtype?", words.Bytes(each))
	case have > need:
		return e.WithHint("--skip %d reads the last %d bytes, after a header; or give another --shape", t.input.Size()-need, need)
	}
	return e.WithHint("give another --shape or --dtype")
}

// openTyped makes the tensor of a source that is no file but a layout with sizes and strides: (2,3,4,5):(60,20,5,1).
func openTyped(name string, l notation.Layout, o Options) (*Tensor, error) {
	switch {
	case o.Layout != nil:
		return nil, fault.New(fault.Usage, "%s is a layout; --from and --layout are for files", words.Quoted(name)).
			WithHint("leave out one of them")
	case o.Channels != 0:
		return nil, fault.New(fault.Usage, "%s has its own number of channels", words.Quoted(name)).WithHint("--channels is for files")
	}
	d, err := dtype.Parse("float32")
	if err != nil {
		return nil, err
	}
	if o.DType != nil {
		d = *o.DType
	}
	t, err := Describe(Typed{Layout: &l, DType: d})
	if err != nil {
		return nil, err
	}
	t.Source = name
	return t, nil
}

// missing is the source of a name that no file has: a layout with strides or a swizzle. Otherwise it is the error of a missing
// file, with a hint where the name is a shape.
func missing(name string, o Options, notFound error) (*Tensor, error) {
	l, err := notation.Parse(name)
	if notation.HasStrides(name) {
		if err != nil {
			return nil, err
		}
		return openTyped(name, l, o)
	}
	if shape, bad := notation.ParseInts(name); bad == nil && len(shape) > 1 {
		return nil, fault.New(fault.Usage, "%s is no file", words.Quoted(name)).
			WithHint("for a tensor of that shape: --shape %s", words.Ints(shape, ","))
	}
	return nil, notFound
}
