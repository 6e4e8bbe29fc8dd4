package source

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// AssumeLike renames assumed dims to those of a format of the same rank: converting an array of four axes to OHWI assumes the weights'
// OIHW, not NCHW. It changes nothing if the names are known or the format's letters belong to no family. A checkpoint tensor with
// recorded strides has assumed names too.
func (t *Tensor) AssumeLike(f notation.Format) {
	names := f.Names()
	assumed := t.Assumed() || t.OrderSource == ByStrides && t.Member != nil
	if !assumed || len(names) != t.Layout.Rank() {
		return
	}
	unfamiliar := f.Positional() || notation.AsWritten(names)
	if unfamiliar || text.SameSet(names, t.Layout.Names()) {
		return
	}
	l, err := t.Layout.Renamed(names, t.Layout.Alloc())
	if err != nil {
		return // keep the names: these do not fit
	}
	t.Layout = l
	if t.HasFormat {
		t.Format = t.Format.Rename(names)
	}
}

// Notes returns the notes about the layout's name, and last the Doubt about the assumed order.
func (t *Tensor) Notes() []string {
	notes := slices.Clone(t.notes)
	if doubt := t.Doubt(); doubt != "" {
		notes = append(notes, doubt)
	}
	return notes
}

// Head begins a report about the tensor alone, with its notes and warnings.
func (t *Tensor) Head(schema string) document.Head {
	h := document.NewHead(schema, t.Source, t.Warnings...)
	h.Notes = append([]string{}, t.Notes()...)
	return h
}

// Doubt returns the sentence that the shape suggests LooksLike instead of the assumed order, with the sizes: "its shape suggests NHWC:
// the last axis is 3, axis 1 is 6"; empty if LooksLike is.
func (t *Tensor) Doubt() string {
	looks, why := t.doubt()
	if looks == "" {
		return ""
	}
	return fmt.Sprintf("its shape suggests %s: %s", strings.ToUpper(looks), why)
}

// LooksLike returns the layout, in lower case, that the shape of a file suggests instead of the assumed one: channels last, if the last
// axis is 1, 3 or 4 and the channel axis is not; for weights, filters first or in the middle, if those axes are equal and small and the
// assumed ones are not. It returns "" if the shape suggests none or is empty, or nothing was assumed.
func (t *Tensor) LooksLike() string {
	looks, _ := t.doubt()
	return looks
}

// doubt returns LooksLike and the sizes that suggest it.
func (t *Tensor) doubt() (looks, why string) {
	names := t.Layout.Names()
	rank := len(t.FileShape)
	if !t.Assumed() || t.Kind == KindRaw {
		return "", ""
	}
	if rank != len(names) || slices.Contains(t.FileShape, 0) {
		return "", ""
	}
	if c := slices.Index(names, "C"); c >= 0 && rank >= 3 {
		if !channelsLast(t.FileShape, c) {
			return "", ""
		}
		return strings.ToLower(strings.Join(movedLast(names, c), "")), fmt.Sprintf("the last axis is %d, axis %d is %d", t.FileShape[rank-1], c, t.FileShape[c])
	}
	return t.doubtFilters(names)
}

// ImageStrides returns the sizes and strides, in the order of the assumed dims, of an image or volume whose axes were probably typed in
// memory order: the last one is 1, 3 or 4, the channel axis is not, and each row of pixels ends in padding. Without padding, small
// planes are as likely. ok is false for other tensors and for named axes.
func (t *Tensor) ImageStrides() (image tensor.Strided, ok bool) {
	s, plain := t.Layout.Strided()
	names := DimNames(s.Rank())
	rank := s.Rank()
	if !plain || s.Empty() || !mayHaveChannels(rank) {
		return s, false
	}
	if t.OrderSource != ByStrides || !slices.Equal(t.Layout.Names(), names) {
		return s, false
	}
	c := channelAxis(rank)
	last := rank - 1
	if !channelsLast(s.Shape, c) || s.Strides[last] != 1 {
		return s, false
	}
	for i := range last {
		if s.Strides[i] < s.Shape[i+1]*s.Strides[i+1] {
			return s, false
		}
	}
	if s.Strides[last-2] == s.Shape[last-1]*s.Strides[last-1] {
		return s, false
	}
	moved := func(xs []int) []int { return slices.Concat(xs[:c], xs[last:], xs[c:last]) }
	return tensor.Strided{Shape: moved(s.Shape), Strides: moved(s.Strides), Offset: s.Offset}, true
}

// maxFilter is the largest common filter size.
const maxFilter = 7

// doubtFilters is doubt for weights.
func (t *Tensor) doubtFilters(names []string) (looks, why string) {
	rank := len(names)
	at := slices.Index(names, "I") + 1
	k := rank - at // the last axes: the filter
	if at < 2 || k < 2 || slices.Max(t.FileShape[at:]) <= maxFilter {
		return "", ""
	}
	before := names[:at]
	for from := range at {
		sizes := t.FileShape[from : from+k]
		if len(slices.Compact(slices.Clone(sizes))) != 1 || sizes[0] > maxFilter {
			continue
		}
		moved := slices.Concat(before[:from], names[at:], before[from:])
		if from == 0 && names[0] != "G" { // filters first are followed by their inputs: HWIO
			moved = slices.Concat(names[at:], []string{"I", "O"})
		}
		return strings.ToLower(strings.Join(moved, "")), fmt.Sprintf("axes %d to %d are %d, the last is %d", from, from+k-1, sizes[0], t.FileShape[rank-1])
	}
	return "", ""
}
