package convertcmd

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// task is the conversion of one tensor.
type task struct {
	conversion
	i      int        // its index in the input
	name   string     // in the output's container
	dtype  dtype.Type // of the elements written
	stored dtype.Type // as in a .npy header: bytes for a type that .npy cannot name
	axes   *fileAxes  // of the target's file; nil if they are only numbered
	pad    []byte     // one element
	// shape is that of the stored array, in elements of stored: of packed values, in words.
	shape  []int
	action action
	swap   int // size of the numbers whose bytes are reversed; 0 if none are
}

// action is what becomes of the elements of a tensor.
type action int

const (
	kept         action = iota // they stay as they are
	contiguous                 // they change their order, or lose the gaps between them, because the output cannot hold these
	swappedApart               // PyTorch: their bytes are swapped, and so they are in a dense storage of their own, in the order of their strides
	inPlace                    // --to applies, and they have its order already
	converted                  // --to applies, and they change their order
)

// converts reports whether --to applies.
func (a action) converts() bool { return a == inPlace || a == converted }

// moves reports whether elements change their order, or lose the gaps between them.
func (a action) moves() bool { return a != kept && a != inPlace }

// actionOf returns the action for a tensor to which --to applies or not.
func actionOf(aimed, moves bool) action {
	if aimed && moves {
		return converted
	}
	if aimed {
		return inPlace
	}
	if moves {
		return contiguous
	}
	return kept
}

// bytes returns the size of elements and padding.
func (k *task) bytes() int64 { return k.dtype.Size(int64(k.target.Layout.Alloc())) }

// reopens reports whether tensors are reopened to be read, so that an archive need not stay unpacked in memory.
func (j *job) reopens() bool { return j.in.origin == arrayArchive }

// read calls f with a task's tensor, for its data.
func (j *job) read(k *task, f func(t *source.Tensor) error) error {
	t := k.tensor
	if j.reopens() {
		var err error
		t, err = j.in.openAgain(k)
		if err != nil {
			return err
		}
		defer t.Close()
	}
	return t.Guard(func() error { return f(t) })
}

// filesFor lists the files that hold the target: an archive of arrays has no values smaller than a byte, and a shape does not say where sizes
// end inside a block.
func (k *task) filesFor() string {
	packed := k.dtype.Packed()
	hidden := k.target.Hidden
	if packed && hidden {
		return ".npy or .bin"
	}
	if packed {
		return ".npy, .safetensors or .bin"
	}
	if hidden {
		return ".npz, which records the layout"
	}
	return ".safetensors or .npz, which store blocks as axes"
}

// isJoined reports whether the stored array has fewer axes than the layout.
func (k *task) isJoined() bool { return k.dtype.Packed() || len(k.shape) < len(k.target.FileShape) }

// findAxes sets the axes of the target's file, whose shape may hide the logical sizes.
func (k *task) findAxes() {
	k.axes = axesOf(&k.conversion)
	if k.frame == ofFile && k.axes != nil {
		full, err := k.axes.order.LogicalShape(k.target.FileShape)
		k.target.Hidden = err != nil || !slices.Equal(full, k.axes.sizes)
	}
}

// swapped makes a big-endian tensor little-endian for a checkpoint, and for a .npy file if its type has no name there. The values stay.
func (k *task) swapped(f *container) {
	d := k.dtype
	if d.Order() != dtype.Big || f.bigEndian && !unspelled(d) {
		return
	}
	k.dtype, k.stored = d.LittleEndian(), k.stored.LittleEndian()
	k.swap = d.ItemSize()
	if d.Kind() == dtype.Complex {
		k.swap /= 2
	}
}

// unspelled reports whether a dtype has no name in a .npy header, such as bfloat16, which is written as bytes.
func unspelled(d dtype.Type) bool {
	return d.Kind() != dtype.Void && strings.Contains(d.Typestr(), "V")
}

// asEmpty gives an empty tensor in channels_last the strides of PyTorch, which count a size of 0.
func (k *task) asEmpty(s tensor.Strided) error {
	formats := map[string]tensor.MemoryFormat{"NHWC": tensor.ChannelsLastFormat, "NDHWC": tensor.ChannelsLast3D}
	format, ok := formats[k.target.Order]
	if !ok || k.target.Layout.Numel() > 0 {
		return nil
	}
	var err error
	s.Strides, _ = tensor.FormatStrides(s.Shape, format)
	k.target.Layout, err = s.Layout(k.target.Layout.Names(), 0)
	return err
}

// sameOrder reports whether both layouts have equal strides, and the target has no gaps.
func sameOrder(from, to tensor.Layout) bool {
	if to.Alloc() != to.Numel() || to.Offset() != 0 {
		return false
	}
	a, fromStrided := from.Strided()
	b, toStrided := to.Strided()
	if !fromStrided || !toStrided {
		return false
	}
	if to.Numel() == 0 {
		return true
	}
	order := sameDims(from.Names(), to.Names())
	for i, k := range order {
		if b.Shape[i] > 1 && a.Strides[k] != b.Strides[i] {
			return false
		}
	}
	return true
}

// records reports whether an archive records the layout or dtype. It does not record an order that was only assumed for kept axes. It records a dtype
// that .npy cannot name, and that the axes have only numbers where the member's name ends in a layout.
func (k *task) records() bool {
	if k.recordsOrder() || unspelled(k.dtype) {
		return true
	}
	_, _, ok := k.misnamed()
	return ok
}

func (k *task) recordsOrder() bool { return !k.keepsAxes() || k.tensor.Named() }

// record returns the tensor's entry in layout.json; nil if it has none.
func (k *task) record() (*document.ArrayRecord, error) {
	if !k.records() {
		return nil, nil
	}
	l, order, err := k.recorded()
	if err != nil {
		return nil, err
	}
	d := k.stored
	if d.Kind() == dtype.Void && d.Fields() == nil { // a .npy file cannot name it
		d = k.dtype
	}
	r := document.NewArrayRecord(d, k.target.FileShape, l, order)
	return &r, nil
}

// sameDims returns, for each name in to, its index in from, or its own index if from has no such name.
func sameDims(from, to []string) []int {
	dims := make([]int, len(to))
	for i, name := range to {
		dims[i] = slices.Index(from, name)
		if dims[i] < 0 {
			dims[i] = i
		}
	}
	return dims
}
