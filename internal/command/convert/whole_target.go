package convert

import (
	"slices"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// piece is what becomes of a tensor.
type piece struct {
	index  int // in the model's tensors
	tensor checkpoint.Tensor
	from   tensor.Layout // over dims in logical order, in the source's data
	target convert.Target
	// converted is whether --to gave it its layout: it has the rank of that, and matches.
	converted bool
	// reordered is whether its elements are in another order than in the source, or without the gaps between them.
	reordered bool
	apart     bool // it is PyTorch's and swapped, so that it gets a storage of its own, dense and in the order of its strides
	moved     bool // reordered or apart
	// permuted is whether its axes as stored are in another order than its dims.
	permuted bool
	blocked  bool // a dim of it is cut
	named    bool // its dims have names, those of --to
	swap     int  // bytes of the numbers whose byte order is reversed; 0 for none
}

// shape is the sizes of its axes in the output, outermost first.
func (p *piece) shape() []int { return p.target.FileShape }

// bytes of its elements and padding in a container without strides.
func (p *piece) bytes() int64 {
	return int64(p.target.Layout.Alloc()) * int64(p.tensor.Type.ItemSize())
}

// targets decides of every tensor. A container with strides keeps those that no layout is for; one without makes them C-contiguous.
func (w *whole) targets() error {
	for i, t := range w.model.tensors {
		p, err := w.newPiece(i)
		if err != nil {
			return fault.In(words.Quoted(words.Cut(t.Name, 200)), err)
		}
		w.pieces = append(w.pieces, p)
	}
	return nil
}

func (w *whole) newPiece(i int) (p piece, err error) {
	t, view := w.model.tensors[i], w.model.view(i)
	p = piece{index: i, tensor: t}
	w.swapped(&p)
	if p.tensor.Root && w.format != checkpoint.Torch {
		p.tensor.Name = stemName(w.model.path)
	}
	matched, err := source.Matches(w.options.match, t.Name)
	if err != nil {
		return p, err
	}
	to := w.options.to.Layout
	switch {
	case view.Negative():
		return p, fault.New(fault.Unsupported, "it has negative strides")
	case matched && to != nil && to.Own != notation.NotOwn:
		p.converted = true
		err = p.own(view, to.Own == notation.OwnFortran)
	case matched && to != nil && to.ForRank(view.Rank()).Format.Rank() == view.Rank():
		p.converted, p.named = true, true
		err = p.give(to.ForRank(view.Rank()).Format, w.options.Layout.Layout, view)
	default:
		err = p.own(view, false)
	}
	if err != nil {
		return p, err
	}
	if p.apart = p.swap > 0 && w.format == checkpoint.Torch && w.model.pickled(); p.apart && !p.converted {
		if p.target, err = convert.Exact(p.from.Names(), view.Shape, view.InferDense()); err != nil {
			return p, err
		}
	}
	p.reordered = (p.converted || w.format != checkpoint.Torch) && !sameOrder(p.from, p.target.Layout)
	p.moved = p.reordered || p.apart
	return p, w.holds(&p)
}

// own keeps the tensor's axes.
func (p *piece) own(view tensor.Strided, fortran bool) (err error) {
	if p.from, err = view.Layout(nil, tensor.Unbounded); err != nil {
		return err
	}
	p.target, err = convert.Own(p.from, fortran)
	return err
}

// give gives the tensor a memory order. Its axes are those of from; the dims of the order if that is nil.
func (p *piece) give(f notation.Format, from *notation.Layout, view tensor.Strided) (err error) {
	names := f.Names()
	if from != nil {
		axes := from.ForRank(view.Rank()).Format
		if from.Own != notation.NotOwn || from.Exact != nil || !axes.Plain() || axes.Rank() != view.Rank() {
			return fault.New(fault.Usage, "--from names the axes of a tensor of %d dims, without blocks; this one has %d", axes.Rank(), view.Rank()).
				WithHint("choose tensors with --match, or convert one: SRC:NAME")
		}
		if names = axes.Names(); f.Positional() {
			f = f.Rename(names)
		}
		stored := view
		view.Shape, view.Strides = make([]int, len(names)), make([]int, len(names))
		for k, a := range axes.Axes() {
			view.Shape[a.Dim], view.Strides[a.Dim] = stored.Shape[k], stored.Strides[k]
		}
	}
	if p.from, err = view.Layout(names, tensor.Unbounded); err != nil {
		return err
	}
	sizes := make([]int, len(names))
	for i, name := range f.Names() {
		at := slices.Index(names, name)
		if at < 0 {
			return fault.New(fault.Usage, "--to %s has other dims than --from", f)
		}
		sizes[i] = view.Shape[at]
	}
	p.blocked = !f.Plain()
	p.permuted = !slices.IsSortedFunc(f.Axes(), func(a, b notation.Axis) int { return a.Dim - b.Dim })
	p.target, err = convert.Named(f, sizes, nil)
	return err
}

// holds refuses what the output's container cannot hold, and makes the target one of that container.
func (w *whole) holds(p *piece) error {
	s, _ := p.target.Layout.Strided()
	switch {
	case w.format == checkpoint.Torch && p.blocked:
		return fault.New(fault.Unsupported, "PyTorch has no strides for %s, which cuts a dim into blocks", p.target.Order).
			WithHint("write .safetensors or .npz, which hold the blocks as axes")
	case w.format == checkpoint.Torch && !p.converted:
		return nil
	case w.format == checkpoint.Torch:
		p.target.FileShape = s.Shape
		return p.asTorch(s)
	case w.format != checkpoint.NPZ && p.target.Hidden:
		return fault.New(fault.Unsupported, "%s of sizes %s ends inside of a block, which a shape cannot say", p.target.Order, tensor.Tuple(p.target.Layout.Shape())).
			WithHint("write an .npz, which records the layout")
	case w.format == checkpoint.Safetensors && p.target.Fortran:
		return fault.New(fault.Unsupported, "safetensors has no Fortran order").WithHint("write .pt or .npz, which have")
	}
	return nil
}

// asTorch gives an empty tensor that becomes channels_last the strides that PyTorch gives it, in which a size of 0 counts.
func (p *piece) asTorch(s tensor.Strided) error {
	formats := map[string]tensor.MemoryFormat{"NHWC": tensor.ChannelsLastFormat, "NDHWC": tensor.ChannelsLast3D}
	format, ok := formats[p.target.Order]
	if !ok || p.target.Layout.Numel() > 0 {
		return nil
	}
	var err error
	s.Strides, _ = tensor.FormatStrides(s.Shape, format)
	p.target.Layout, err = s.Layout(p.target.Layout.Names(), 0)
	return err
}

// sameOrder reports whether both layouts have the same elements at the same distances, the target without gaps.
func sameOrder(from, to tensor.Layout) bool {
	a, ok := from.Strided()
	b, also := to.Strided()
	if !ok || !also || to.Alloc() != to.Numel() || to.Offset() != 0 {
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
