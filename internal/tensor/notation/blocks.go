package notation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// A oneDNN memory descriptor holds a blocked layout as
//
//	dims, padded_dims      logical sizes, and the same rounded up to whole blocks
//	strides                of the outer dims: elements from one block of a dim to the next
//	inner_blks, inner_idxs the blocks, outermost first; the last one is contiguous
//	offset0                elements before the first one
//
//	offset = offset0 + Σ outer index · stride + position in the block
//
// (oneDNN 3.7, src/common/memory_desc_wrapper.hpp: off_v)

// inner matches the blocks of a descriptor: 16c, 8i16o2i, or a whole tag, aBcd16b.
var inner = lazy.Regexp(`^([A-Za-z]*)((?:[0-9]+[A-Za-z])+)$`)

var innerBlock = lazy.Regexp(`([0-9]+)([A-Za-z])`)

// FromDescriptor returns the layout of a oneDNN descriptor: logical sizes, the descriptor's strides and offset, and its inner blocks. A
// whole tag names the dims (nChw16c, OIhw16i16o) or keeps their names (aBcd16b); blocks alone refer to dims by name, to O,I,H,W with
// the letters of weights, or by position (16b).
//
// Pre: as many names as sizes; strides count elements. Post: the storage ends with the last block.
func FromDescriptor(blocks string, names []string, s tensor.Strided) (tensor.Layout, error) {
	f, err := innerFormat(blocks, names)
	if err != nil {
		return tensor.Layout{}, err
	}
	dims := make([]tensor.Dim, s.Rank())
	for d, name := range f.names {
		dims[d] = tensor.Dim{Name: name, Size: s.Shape[d]}
	}
	block := 1 // elements of all inner blocks
	for _, a := range slices.Backward(f.axes) {
		if a.Extent != 0 {
			dims[a.Dim].Digits = append(dims[a.Dim].Digits, tensor.Digit{Div: a.Div, Extent: a.Extent, Stride: block})
			block *= a.Extent
		}
	}
	last := s.Offset + block - 1 // end of the last block
	for _, a := range f.axes {
		if a.Extent != 0 {
			continue
		}
		outer := tensor.Digit{Div: a.Div, Extent: ints.CeilDiv(s.Shape[a.Dim], a.Div), Stride: s.Strides[a.Dim]}
		if err := checkOuter(f.names[a.Dim], outer, block, blocks); err != nil {
			return tensor.Layout{}, err
		}
		end, ok := tensor.MulAdd(last, max(outer.Extent-1, 0), outer.Stride)
		if !ok {
			return tensor.Layout{}, fault.New(fault.Unsupported, "strides %s overflow a 64-bit address", tensor.Tuple(s.Strides))
		}
		dims[a.Dim].Digits = append(dims[a.Dim].Digits, outer)
		last = end
	}
	if slices.Contains(s.Shape, 0) {
		last = s.Offset - 1
	}
	l, err := tensor.New(dims, s.Offset, last+1)
	if err != nil {
		return l, err
	}
	if found, ok := Of(l); ok && isLetter(blocks[0]) && !f.Agrees(l) {
		return l, badBlocks(blocks, "strides %s have the order %s", tensor.Tuple(s.Strides), found.Explicit()).
			WithHint("--inner-blocks %s allows strides in any order", strings.TrimLeft(blocks, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))
	}
	return l, nil
}

// checkOuter requires that a stride covers whole inner blocks; the stride of a dim with one block is never used.
func checkOuter(name string, outer tensor.Digit, block int, blocks string) error {
	if outer.Extent <= 1 {
		return nil
	}
	if outer.Stride < 0 {
		return fault.New(fault.Usage, "stride %d of %s is negative, which oneDNN does not support", outer.Stride, name)
	}
	if outer.Stride < block {
		return fault.New(fault.Usage, "stride %d of %s is less than the inner block, %s, of %s", outer.Stride, name,
			text.Quote(clip(blocks)), text.Count(block, "element")).
			WithHint("--strides are the descriptor's, between blocks; remove --inner-blocks for strides between elements")
	}
	if outer.Stride%block != 0 {
		return fault.New(fault.Usage, "stride %d of %s is not a multiple of the inner block, %s, of %s", outer.Stride, name,
			text.Quote(clip(blocks)), text.Count(block, "element"))
	}
	return nil
}

// innerFormat parses inner blocks as a format that ends in them. The order of its outer axes has no meaning.
func innerFormat(blocks string, names []string) (Format, error) {
	if len(names) > maxOneDNN {
		return Format{}, badBlocks(blocks, "oneDNN has at most %d dims, --shape has %d", maxOneDNN, len(names))
	}
	m := inner.Get().FindStringSubmatch(blocks)
	if m == nil {
		return Format{}, badBlocks(blocks, "want the form 16c, 8i16o2i or aBcd16b").
			WithHint("write the descriptor's inner_blks and inner_idxs, outermost first: --inner-blocks 16c")
	}
	if m[1] != "" { // a whole tag
		return tagFormat(blocks, names)
	}
	split := innerBlock.Get().FindAllStringSubmatch(m[2], -1)
	letters := make([]string, len(split))
	for i, b := range split {
		letters[i] = strings.ToUpper(b[2])
	}
	names, spelled, err := blockedDims(blocks, letters, names)
	if err != nil {
		return Format{}, err
	}
	var axes []written
	for i := range names {
		axes = append(axes, written{letter: byte('A' + i)})
	}
	for i, b := range split {
		n, err := strconv.Atoi(b[1])
		if err != nil || n < 1 || n > maxBlock {
			return Format{}, badBlocks(blocks, "block %s is outside 1 to %d", b[1], maxBlock)
		}
		axes = append(axes, written{byte('A' + slices.Index(spelled, letters[i])), n})
	}
	f, err := fromWritten(blocks, axes)
	return f.Rename(names), err
}

// maxOneDNN is oneDNN's DNNL_MAX_NDIMS.
const maxOneDNN = 12

// tagFormat parses a whole tag.
func tagFormat(tag string, names []string) (Format, error) {
	l, err := Parse(tag)
	if err != nil {
		return Format{}, err
	}
	f := l.Format
	if f.Rank() != len(names) {
		return Format{}, badBlocks(tag, "the tag has %d dims, --shape has %d", f.Rank(), len(names))
	}
	if f.Positional() {
		return f.Rename(names), nil
	}
	return f, nil
}

// weightDims are the dims of weights by rank.
var weightDims = map[int][]string{2: {"OI"}, 3: {"OIW"}, 4: {"OIHW", "GOIW"}, 5: {"OIDHW", "GOIHW"}, 6: {"GOIDHW"}}

// blockedDims returns the names of the dims that blocks with these letters split, and the letters of all dims in the blocks: their
// names, those of weights, or their positions.
func blockedDims(blocks string, letters, names []string) (dims, spelled []string, err error) {
	missing := func(dims []string) int {
		return slices.IndexFunc(letters, func(c string) bool { return !slices.Contains(dims, c) })
	}
	if missing(names) < 0 {
		return names, names, nil
	}
	var fitting [][]string
	for _, weights := range weightDims[len(names)] {
		if w := strings.Split(weights, ""); missing(w) < 0 {
			fitting = append(fitting, w)
		}
	}
	positions := make([]string, len(names))
	for i := range positions {
		positions[i] = positionName(i, len(names))
	}
	if len(fitting) > 1 && len(names) != 4 { // of 4 dims, O,I,H,W are more common than G,O,I,W
		return nil, nil, badBlocks(blocks, "the dims may be O,I,D,H,W or G,O,I,H,W").
			WithHint("write the whole tag: OIdhw%s or gOIhw%s", clip(blocks), clip(blocks))
	}
	if len(fitting) > 0 {
		return fitting[0], fitting[0], nil
	}
	if missing(positions) < 0 {
		return names, positions, nil
	}
	return nil, nil, badBlocks(blocks, "no dim %s; the dims are %s", letters[missing(names)], strings.Join(names, ", "))
}

func badBlocks(blocks, format string, args ...any) *fault.Error {
	e := fault.New(fault.Usage, format, args...)
	e.Text = "inner blocks " + text.Quoted(clip(blocks)) + ": " + e.Text
	return e
}
