package convertcmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// dimNames is who named the dims of a result. It decides how an order is written wherever a result says how it is read.
type dimNames int

const (
	assumedNames dimNames = iota // nobody: names assumed by rank are neither recorded nor in the name of a file
	givenNames                   // the letters of --to, or the source: a flag, its name or a record
)

func (c *conversion) dimNames() dimNames {
	if c.tensor.Named() {
		return givenNames
	}
	if to := c.request.to.Layout; to.HasFormat() && !to.Format.Positional() {
		return givenNames
	}
	return assumedNames
}

// positions are the letters of dims that have no names, as in oneDNN's tags.
const positions = "ABCDEFGHIJKL"

// inFlags returns an order for flags and sentences: with letters by position for assumed names.
func (d dimNames) inFlags(f notation.Format) notation.Format {
	if d == givenNames || f.Rank() > len(positions) {
		return f
	}
	return f.Rename(strings.Split(positions[:f.Rank()], ""))
}

// inRecord returns a layout and its order for a document: with numbers for assumed names.
func (d dimNames) inRecord(l tensor.Layout, order string) (tensor.Layout, string, error) {
	if d == givenNames {
		return l, order, nil
	}
	numbers := document.NumberDims(l.Rank())
	if order != "" {
		f, err := notation.Parse(order)
		if err != nil {
			return l, "", err
		}
		f.Format, _ = f.Format.Over(l.Names())
		order = f.Format.Rename(numbers).String()
	}
	l, err := l.Renamed(numbers, l.Alloc())
	return l, order, err
}

// spelled returns the order of the target's axes for flags and sentences.
func (k *task) spelled() notation.Format { return k.dimNames().inFlags(k.axes.order) }

// recorded returns the layout of the result over the logical dims, and its memory order, as a document records them.
func (k *task) recorded() (l tensor.Layout, order string, err error) {
	l = k.target.Layout
	order = k.target.Order
	if k.axes != nil && k.frame == ofFile && k.recordsOrder() {
		var f notation.Format
		l, f, err = source.Stored(k.axes.order, k.axes.sizes, k.target.FileShape, k.target.Fortran)
		if err != nil {
			return l, "", err
		}
		order = f.String()
	}
	return k.dimNames().inRecord(l, order)
}

// howToRead is the warning about what a plain .npy file of this name does not record, and how to read it anyway.
func (k *task) howToRead(base string) string {
	file := text.Quote(base)
	if base == "" {
		file = "standard output"
	}
	what, flags := k.unrecorded()
	if k.dtype.Packed() {
		return fmt.Sprintf("%s does not record that it packs %s, %s: read it with --dtype %s %s", file, k.dtype, what, k.dtype, flags)
	}
	if flags != "" {
		flags = "read it with " + flags + ", or "
	}
	return fmt.Sprintf("%s does not record its layout, %s: %swrite an .npz, which does", file, what, flags)
}

// unrecorded returns the layout of a plain .npy file in words, and the flags that read it; "" if there are none.
func (k *task) unrecorded() (what, flags string) {
	hidden := k.target.Hidden
	if known := !hidden || k.dtype.Packed(); known && k.axes != nil {
		what = k.spelled().String()
		flags = "--from " + text.Shell(k.spelled().Key())
		if hidden {
			what += " of sizes " + tensor.Tuple(k.axes.sizes)
			flags += ", which counts padding as values"
		}
		return what, flags
	}
	if channels, only := k.hiddenChannels(); only {
		return fmt.Sprintf("%s with C = %d", k.axes.order, channels), fmt.Sprintf("--from %s --channels %d", text.Shell(k.axes.order.Key()), channels)
	}
	what = k.target.Layout.String()
	if k.isStrided() {
		flags = "--from " + text.Shell(what)
	}
	return what, flags
}

// isStrided reports whether every dim of the target has one stride.
func (k *task) isStrided() bool {
	_, ok := k.target.Layout.Strided()
	return ok
}

// hiddenChannels returns the size of C; only is false if the file's shape hides more than that C ends inside a block.
func (k *task) hiddenChannels() (channels int, only bool) {
	if !k.target.Hidden || k.axes == nil {
		return 0, false
	}
	f := k.axes.order
	sizes := k.axes.sizes
	at := slices.Index(f.Names(), "C")
	packed, err := f.Bind(sizes)
	if err != nil || at < 0 {
		return 0, false
	}
	if k.frame != ofFile && packed.String() != k.target.Layout.String() {
		return 0, false
	}
	padded, err := f.LogicalShape(k.target.FileShape)
	if err != nil {
		return 0, false
	}
	channels = sizes[at]
	padded[at] = sizes[at]
	return channels, slices.Equal(padded, sizes)
}

// readAgain returns the options, and the flags, that read a raw output as the tensor it holds: the logical sizes and the memory order if these
// suffice, the sizes of the file's axes if they are unnamed, and otherwise a layout with strides. Errors are fault.Usage.
func (j *job) readAgain(k *task) (o source.Options, flags string, err error) {
	typ := k.dtype
	name := typ.String()
	if d, err := dtype.Parse(name); err != nil || !d.Equal(typ) {
		name = typ.Typestr()
	}
	l, order, err := k.recorded()
	if err == nil && l.Numel() == 0 {
		err = fault.New(fault.Usage, "an empty tensor has no bytes to write to %s", j.out.path).WithHint("use .npy or .npz")
	}
	if err != nil {
		return o, "", err
	}
	shape, from := k.flagShape(l, order)
	o = source.Options{DType: &typ, Raw: &source.Typed{Shape: shape}, AllowTrailing: shape == nil}
	flags = "--raw --dtype " + text.Shell(name)
	if shape != nil {
		flags += " --shape " + cmp.Or(text.Ints(shape, ","), "'()'")
	}
	if from != "" {
		layout, err := notation.Parse(from)
		if err != nil {
			return o, "", err
		}
		o.Layout = &layout
		if shape != nil {
			from = strings.ToLower(from)
		}
		flags += " --from " + text.Shell(from)
	}
	if names := l.Names(); shape == nil {
		if dims, err := notation.ParseDims(strings.Join(names, ",")); err == nil && slices.Equal(dims, names) && k.dimNames() == givenNames {
			o.Raw.Dims = names
			flags = flags + " --dims " + strings.Join(names, ",")
		}
		if _, high, ok := l.Span(); !ok || high+1 < l.Alloc() {
			flags += " --allow-trailing"
		}
	}
	return o, flags, nil
}

// flagShape returns the sizes and the order of --shape and --from: the logical ones if the order determines the layout, or else those of numbered axes of
// the file; no sizes if only strides do.
func (k *task) flagShape(l tensor.Layout, order string) (shape []int, from string) {
	dense := !k.target.Hidden && l.Alloc() == l.Numel()
	if numbered := k.axes == nil && dense; numbered || !k.recordsOrder() {
		if k.target.Fortran {
			return k.target.FileShape, "fortran"
		}
		return k.target.FileShape, ""
	}
	f, err := notation.Parse(order)
	if err != nil || f.Own != notation.NotOwn || !binds(f.Format, l) {
		return nil, l.String()
	}
	if k.axes != nil && k.dimNames() == assumedNames {
		return l.Shape(), k.spelled().String()
	}
	return l.Shape(), order
}

// binds reports whether a format with the sizes of a layout is that layout.
func binds(f notation.Format, l tensor.Layout) bool {
	if f.Rank() != l.Rank() || !slices.Equal(f.Names(), l.Names()) {
		return false
	}
	bound, err := f.Bind(l.Shape())
	return err == nil && bound.String() == l.String() && bound.Alloc() == l.Alloc()
}

// fileAxes is the order of a file's axes, outermost first, and the logical sizes in the order of the tensor's names.
type fileAxes struct {
	order notation.Format
	sizes []int
}

// axesOf returns the axes of the target's file; nil if they have numbers only, or if the file is plain storage.
func axesOf(c *conversion) *fileAxes {
	f, ok := c.axesOrder()
	if !ok {
		return nil
	}
	f, sizes, err := c.tensor.SizesIn(f)
	if err != nil {
		return nil
	}
	if c.keepsAxes() {
		return &fileAxes{f, sizes}
	}
	shape, err := f.PhysicalShape(sizes)
	if err != nil || len(shape) != len(c.target.FileShape) {
		return nil
	}
	return &fileAxes{f, sizes}
}

// axesOrder returns the axis order of the target's file, if one was named or assumed.
func (c *conversion) axesOrder() (f notation.Format, ok bool) {
	t := c.tensor
	if c.request.to.Layout.Exact != nil {
		return f, false
	}
	switch c.frame {
	case logicalDims:
		return c.request.to.Layout.Format, true
	case ofStorage, ofTensor:
		return notation.RowMajor(c.from.Names()), true
	}
	if ordered := t.Named() || t.Assumed(); !ordered || !t.HasFormat {
		return f, false
	}
	if t.Header.Fortran {
		return t.Format.Reversed(), true
	}
	return t.Format, true
}
