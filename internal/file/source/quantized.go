package source

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/file/ggml"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// Quantized is a value of a quantized tensor. Numbers are texts: they may be nan.
type Quantized struct {
	Coord  []int        `json:"value_coord"`         // indices of a value, in logical order
	Block  int          `json:"block_offset"`        // offset of the block that holds a value
	Index  int          `json:"index_in_block"`      // number of a value in its block
	Pieces []ggml.Piece `json:"code_bits"`           // where the code of a value is
	Code   int          `json:"stored_code"`         // bits of a code; of iq1, iq2 and iq3, the index of a grid and, above it, the sign
	Level  string       `json:"code_level"`          // what a code stands for: value = scale · level + min
	Scale  string       `json:"value_scale"`         // scale of a value's group, multiplied with that of the block
	Min    string       `json:"value_min,omitempty"` // value of level 0, in types that have it
	Value  string       `json:"value"`               // value as text
}

// BlockDim returns the dim along which the blocks of a quantized tensor hold values, which is the innermost axis of its file; -1 for
// numbers, and if the layout splits that axis.
func (t *Tensor) BlockDim() int {
	if t.Block == 0 || !t.HasFormat || !t.Format.Plain() {
		return -1
	}
	axes := t.Format.Axes()
	if len(axes) == 0 {
		return -1
	}
	return slices.Index(t.Layout.Names(), t.Format.Names()[axes[len(axes)-1].Dim])
}

// ValueLayout returns a layout of as many elements as the tensor has values, for their coordinates; without blocks, the tensor's.
func (t *Tensor) ValueLayout() (tensor.Layout, error) {
	if t.BlockDim() < 0 {
		return t.Layout, nil
	}
	s, err := tensor.Packed(t.ValueShape())
	if err != nil {
		return tensor.Layout{}, err
	}
	return s.Layout(t.Layout.Names(), s.Numel())
}

// ValueShape returns the sizes of the dims in values; see BlockDim.
func (t *Tensor) ValueShape() []int {
	shape := t.Layout.Shape()
	if d := t.BlockDim(); d >= 0 {
		shape[d] *= t.Block
	}
	return shape
}

// BlockCoord returns the coordinate of the block that holds the value at a coordinate, and the value's number in it.
//
// Pre: BlockDim is not -1.
func (t *Tensor) BlockCoord(coord []int) (block []int, index int) {
	block = slices.Clone(coord)
	d := t.BlockDim()
	block[d] = coord[d] / t.Block
	index = coord[d] % t.Block
	return block, index
}

// Quantized returns the value at a coordinate in values, of the bytes of its block; nil without blocks.
func (t *Tensor) Quantized(coord []int, block []byte) *Quantized {
	if t.Quant == nil || t.BlockDim() < 0 || block == nil {
		return nil
	}
	at, index := t.BlockCoord(coord)
	c := t.Quant.Decode(block, index)
	q := &Quantized{Coord: coord, Block: t.Layout.At(at...), Index: index, Pieces: c.Pieces,
		Code: c.Code, Level: float32Text(c.Level), Scale: float32Text(c.Scale), Value: float32Text(float64(c.Value))}
	if t.Quant.Mins {
		q.Min = float32Text(c.Min)
	}
	return q
}

// Where says where the code is in the block: "byte 3 bits 0-3".
func (q *Quantized) Where() string {
	pieces := make([]string, len(q.Pieces))
	for i, p := range q.Pieces {
		pieces[i] = p.String()
	}
	return text.And(pieces)
}

// Sum is the value as scale · level + min = value.
func (q *Quantized) Sum() string {
	sum := q.Scale + " · " + q.Level
	if q.Min != "" {
		sum += " + " + q.Min
	}
	return strings.ReplaceAll(sum, "+ -", "- ") + " = " + q.Value
}

var float32s, _ = dtype.Parse("<f4")

// float32Text prints a number in the fewest digits of float32. The largest scales of mxfp4 exceed it.
func float32Text(x float64) string {
	if math.Abs(x) > math.MaxFloat32 && !math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'g', 5, 64)
	}
	return float32s.FormatValue(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(x))))
}
