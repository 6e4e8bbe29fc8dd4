package source

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/filename"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// DimNames returns the default names of dims: HW, CHW, NCHW and NCDHW for ranks 2 to 5, d0, d1, … for others.
func DimNames(rank int) []string {
	assumed := map[int]string{2: "HW", 3: "CHW", 4: "NCHW", 5: "NCDHW"}
	names := make([]string, rank)
	for i := range names {
		names[i] = "d" + strconv.Itoa(i)
		if assumed[rank] != "" {
			names[i] = assumed[rank][i : i+1]
		}
	}
	return names
}

// NameDims gives the dims of a numbered format the names of DimNames.
func NameDims(f notation.Format) notation.Format {
	if f.Positional() {
		return f.Rename(DimNames(f.Rank()))
	}
	return f
}

// arrange maps the file's axes to logical dims: by the layout that the user names, by the file's name, or else by rank.
func (t *Tensor) arrange(o Options) error {
	if o.Layout != nil {
		fit, err := o.Layout.ForAxes(len(t.FileShape)).ForElements(t.DType.Bits())
		if err != nil {
			return err
		}
		o.Layout = &fit
	}
	if err := cmp.Or(o.Layout.NeedsSizes(), o.Layout.Holds(t.DType.String())); err != nil {
		return err
	}
	if o.Layout != nil && o.Layout.Exact != nil {
		return t.overlay(*o.Layout.Exact, o.Dims, o.Channels)
	}
	if o.Dims != nil {
		names, err := namesOf(o.Dims, len(t.FileShape))
		if err == nil && o.Layout != nil {
			err = fault.New(fault.Usage, "--dims and --from exclude each other").WithHint("--from names the axes of a file, in their order")
		}
		if err != nil {
			return err
		}
		o.Dims = names
	}
	if err := t.checkOwnOrder(o.Layout); err != nil {
		return err
	}
	f := t.axesOf(o)
	if o.Layout != nil && o.Layout.Note != "" {
		t.notes = append(t.notes, o.Layout.Note)
	}
	padded, err := t.name(f, o.Channels)
	if err != nil {
		return err
	}
	t.notePadding(f, padded, o.Channels)
	t.noteContradiction(f)
	return nil
}

// checkOwnOrder refuses --from c and --from fortran for a file that is in the other order: both describe the file's own axes, and its header has said
// how these are stored. An array that is in both orders at once, such as a vector, is either.
func (t *Tensor) checkOwnOrder(given *notation.Layout) error {
	if given == nil || given.Own == notation.NotOwn {
		return nil
	}
	fortran := given.Own == notation.OwnFortran
	packed, err := tensor.Packed(t.FileShape)
	if err != nil || fortran == t.Header.Fortran || packed.FContiguous().OK {
		return err
	}
	requested := "C"
	stored := "Fortran"
	if fortran {
		requested = "Fortran"
		stored = "C"
		packed, err = tensor.ColumnMajor(t.FileShape)
	}
	if err != nil {
		return err
	}
	l, err := packed.Layout(nil, packed.Numel())
	if err != nil {
		return err
	}
	return fault.New(fault.Usage, "the file is in %s order, not in %s order", stored, requested).
		WithHint("--from %s reads its bytes in %s order", text.Shell(l.String()), requested)
}

// axesOf returns the order of the file's axes and records what determined it.
func (t *Tensor) axesOf(o Options) notation.Format {
	if o.Dims != nil {
		t.OrderSource = ByUser
		return notation.RowMajor(o.Dims)
	}
	named, isNamed := t.nameOrder(o.names)
	if o.Layout != nil {
		if !isNamed {
			named = o.Layout.Format
		}
		return t.givenAxes(o.Layout, named)
	}
	if isNamed {
		t.OrderSource = ByName
		return named
	}
	rank := len(t.FileShape)
	if hasUsualNames(rank) {
		t.OrderSource = ByRank
	}
	return notation.RowMajor(DimNames(rank))
}

// givenAxes is axesOf for a layout that the user names. named is the order that the file's name has, or the given one.
func (t *Tensor) givenAxes(given *notation.Layout, named notation.Format) notation.Format {
	if given.Own != notation.NotOwn {
		t.OrderSource = OrderUnknown
		return notation.RowMajor(DimNames(len(t.FileShape)))
	}
	if given.Format.Positional() {
		t.OrderSource = ByStrides
		return NameDims(given.Format)
	}
	t.OrderSource = ByUser
	if named.Explicit() != given.Format.Explicit() {
		t.notes = append(t.notes, fmt.Sprintf("the file's name says %s", named))
	}
	return given.Format
}

// hasUsualNames reports whether DimNames of a rank are those of images: of an array of 2 to 5 axes.
func hasUsualNames(rank int) bool { return rank >= 2 && rank <= 5 }

// nameOrder returns the layout at the end of one of these names; without names, of the source's own.
func (t *Tensor) nameOrder(names []string) (f notation.Format, ok bool) {
	if names == nil {
		names = []string{t.Source.Base()}
	}
	for _, name := range names {
		f, ok = filename.Order(name, t.FileShape)
		if ok {
			return f, true
		}
	}
	return f, false
}

// ReadAs names the axes of a file whose order was assumed, as Options.Layout does on opening, and drops the notes about the assumption.
func (t *Tensor) ReadAs(f notation.Format) error {
	if _, err := t.name(f, 0); err != nil {
		return err
	}
	t.OrderSource = ByUser
	t.notes = nil
	return nil
}

// forgetName gives axes that are named by the member's or the file's name the names that are assumed by rank.
func (t *Tensor) forgetName() error {
	if t.OrderSource != ByName {
		return nil
	}
	rank := len(t.FileShape)
	t.notes = nil
	t.OrderSource = OrderUnknown
	if hasUsualNames(rank) {
		t.OrderSource = ByRank
	}
	_, err := t.name(notation.RowMajor(DimNames(rank)), 0)
	return err
}

// name sets the layout in which the file's axes are the format's. It returns the sizes of the dims including padding.
func (t *Tensor) name(f notation.Format, channels int) (padded []int, err error) {
	if err := t.split(f); err != nil {
		return nil, err
	}
	sizes, err := f.LogicalShape(t.FileShape)
	if err != nil {
		return nil, err
	}
	padded = slices.Clone(sizes)
	if err := setChannels(f, sizes, channels); err != nil {
		return nil, err
	}
	l, order, err := Stored(f, sizes, t.FileShape, t.Header.Fortran)
	if err != nil {
		return nil, err
	}
	t.Layout = l
	t.Format = order
	t.HasFormat = true
	return padded, nil
}

// Stored returns the layout and memory order of a tensor of logical sizes, in the order of the format's names, stored as an array whose
// axes are the format's. Sizes may end inside the last block. Errors are fault.Usage: the array has another shape.
func Stored(axes notation.Format, sizes, fileShape []int, fortran bool) (tensor.Layout, notation.Format, error) {
	pack := tensor.Packed
	order := axes
	if fortran {
		pack = tensor.ColumnMajor
		order = axes.Reversed()
	}
	if shape, err := axes.PhysicalShape(sizes); err != nil || !slices.Equal(shape, fileShape) {
		return tensor.Layout{}, order, fault.New(fault.Usage, "sizes %s in %s do not match an array of shape %s", tensor.Tuple(sizes), axes, tensor.Tuple(fileShape))
	}
	physical, err := pack(fileShape)
	if err != nil {
		return tensor.Layout{}, order, err
	}
	l, err := axes.Place(sizes, fileShape, physical.Strides, 0, physical.Numel())
	return l, order, err
}

// overlay reads the file's data as the storage of a layout with its own sizes and strides: a view.
func (t *Tensor) overlay(exact tensor.Layout, dims []string, channels int) error {
	elems, err := tensor.Numel(t.FileShape)
	if err != nil {
		return err
	}
	if channels != 0 {
		return fault.New(fault.Usage, "layout %s has its own number of channels", exact)
	}
	if err := t.overlayOn(exact, dims, elems); err != nil {
		return err
	}
	if !t.Layout.InBounds() {
		low, high, _ := t.Layout.Span()
		return fault.New(fault.Usage, "layout %s uses offsets %d to %d, the file has %d elements", exact, low, high, elems)
	}
	return nil
}

func (t *Tensor) overlayOn(exact tensor.Layout, dims []string, elems int) error {
	t.StorageView = true
	t.OrderSource = ByStrides
	return t.adopt(exact, dims, elems)
}

// Overlay makes an open tensor another layout of the storage that it has, which must hold it.
func (t *Tensor) Overlay(exact tensor.Layout) error { return t.overlayOn(exact, nil, t.Layout.Alloc()) }

// adopt sets a layout with sizes, names its dims, by rank if the user gave no names, and infers its memory order from its strides.
func (t *Tensor) adopt(exact tensor.Layout, given []string, alloc int) error {
	names, err := namesOf(given, exact.Rank())
	if err != nil {
		return err
	}
	if given != nil {
		t.OrderSource = ByUser
	}
	t.Layout, err = exact.Renamed(names, alloc)
	if err != nil {
		return err
	}
	if note := SwizzleNote(t.Layout, t.DType); note != "" {
		t.notes = append(t.notes, note)
	}
	s, plain := t.Layout.Strided()
	if !plain {
		t.Format, t.HasFormat = notation.Of(t.Layout)
		return nil
	}
	if found := s.Infer(names, KnownOrders(names)).Candidates; len(found) > 0 && !s.Negative() {
		t.Format = notation.Order(names, found[0].Order)
		t.HasFormat = true
	}
	return nil
}

// SwizzleNote returns the note that a layout's swizzle moves nothing, or what the swizzle would be if it counted bytes, as NVIDIA's
// shared-memory descriptors do; empty if neither applies. (recast_layout in CuTe's swizzle_layout.hpp, CUTLASS 4.7)
func SwizzleNote(l tensor.Layout, d dtype.Type) string {
	z := l.Swizzle()
	size := d.ItemSize()
	if z.IsZero() {
		return ""
	}
	lowest := z.Base + max(0, z.Shift) // of the bits that it reads
	low, high, ok := l.Plain().Span()
	if ok && low >= 0 && high>>lowest == 0 {
		return fmt.Sprintf("%s moves no element: it reads bits from %d on, and no offset exceeds %d", z, lowest, high)
	}
	isPower := size >= 2 && size&(size-1) == 0
	if z.Base < 4 || !isPower {
		return ""
	}
	return fmt.Sprintf("%s permutes elements; if it counts bytes, as shared-memory swizzles do, it is %s on elements of %d bytes "+
		"(CuTe's recast_layout)", z, z.Recast(8, 8*size), size)
}

// setChannels replaces the padded channel count by the logical one.
func setChannels(f notation.Format, sizes []int, channels int) error {
	if channels == 0 {
		return nil
	}
	c := slices.Index(f.Names(), "C")
	if c < 0 {
		return fault.New(fault.Usage, "layout %s has no dim C for --channels", f)
	}
	block := 1
	for _, a := range f.Axes() {
		if a.Dim == c && a.Extent == 0 {
			block = a.Div
		}
	}
	if block == 1 && channels != sizes[c] {
		return fault.New(fault.Usage, "%s has no channel padding: C is %d, not %d", f, sizes[c], channels).WithHint("remove --channels")
	}
	if channels > sizes[c] || channels <= sizes[c]-block {
		return fault.New(fault.Usage, "%d channels do not match the file, which has %d in blocks of %d", channels, sizes[c], block).
			WithHint("--channels accepts %d to %d", sizes[c]-block+1, sizes[c])
	}
	sizes[c] = channels
	return nil
}

// notePadding adds a note that the logical sizes of a blocked file are unknown.
func (t *Tensor) notePadding(f notation.Format, padded []int, channels int) {
	if t.DType.Packed() {
		return
	}
	for _, a := range f.Axes() {
		endsInBlocks := a.Extent == 0 && a.Div > 1
		if !endsInBlocks {
			continue
		}
		dim := f.Names()[a.Dim]
		flag := ""
		if dim == "C" {
			flag = "; --channels sets the logical size"
		}
		if flag != "" && channels > 0 {
			continue
		}
		t.notes = append(t.notes, fmt.Sprintf("%s = %d includes any padding, which .npy does not record%s", dim, padded[a.Dim], flag))
	}
}

// noteContradiction adds a note that the shape suggests another order than the file's name.
func (t *Tensor) noteContradiction(f notation.Format) {
	if t.OrderSource == ByName {
		if why := t.Contradiction(f); why != "" {
			t.notes = append(t.notes, fmt.Sprintf("the file's name says %s, but %s", f, why))
		}
	}
}

// asChannels reports whether a size is a common number of image channels.
func asChannels(n int) bool { return n == 1 || n == 3 || n == 4 }

// channelAxis returns the axis C of NCHW, NCDHW and CHW.
func channelAxis(rank int) int { return min(rank-3, 1) }

// mayHaveChannels reports whether a rank is that of an image or a volume with channels.
func mayHaveChannels(rank int) bool { return rank >= 3 && rank <= 5 }

// asKernel reports whether the last two sizes are those of a 1×1 or 3×3 filter, so that the last one is not a channel count.
func asKernel(shape []int) bool {
	rank := len(shape)
	return rank > 3 && shape[rank-1] == shape[rank-2]
}

// channelsLast reports whether the sizes suggest that the last axis, not axis c, counts the channels of an image.
func channelsLast(shape []int, c int) bool {
	last := len(shape) - 1
	return c != last && asChannels(shape[last]) && !asChannels(shape[c]) && !asKernel(shape)
}

// movedLast returns the names with c moved to the end.
func movedLast(names []string, c int) []string {
	return slices.Concat(names[:c], names[c+1:], names[c:c+1])
}

// Contradiction returns why the shape suggests another order of rank 3 to 5: a common channel count at the wrong end and not at the
// expected one; "" if it does not.
func (t *Tensor) Contradiction(f notation.Format) string {
	rank := len(t.FileShape)
	if !mayHaveChannels(rank) || asKernel(t.FileShape) {
		return ""
	}
	if !f.Plain() || f.Rank() != rank {
		return ""
	}
	first, last := channelAxis(rank), rank-1
	channels := slices.IndexFunc(f.Axes(), func(x notation.Axis) bool { return f.Names()[x.Dim] == "C" })
	for _, end := range [][2]int{{first, last}, {last, first}} {
		if axis, other := end[0], end[1]; channels == axis && asChannels(t.FileShape[other]) && !asChannels(t.FileShape[axis]) {
			return fmt.Sprintf("its shape suggests otherwise: axis %d is %d, axis %d is %d", other, t.FileShape[other], axis,
				t.FileShape[axis])
		}
	}
	return ""
}
