package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// formatsDirectML is a DML_BUFFER_TENSOR_DESC. Sizes is empty where there is none, and Why says why.
type formatsDirectML struct {
	Sizes    []int    `json:"sizes"`
	Strides  []int    `json:"strides"` // null where the tensor is packed NCHW
	DataType string   `json:"data_type"`
	Bytes    int      `json:"total_tensor_size_in_bytes"`
	Why      string   `json:"why,omitempty"`
	Code     []string `json:"code"`
}

// maxDirectML is DML_TENSOR_DIMENSION_COUNT_MAX1, of feature level 3.0; before it was 5.
const maxDirectML = 8

// directMLShape is the layout as sizes and strides: of the dims, leading ones added; of one dim a digit where dims are
// in blocks. nil where DirectML cannot have it.
func (r *formatsReport) directMLShape() *tensor.Strided {
	s, plain := r.layout.Strided()
	if !plain {
		if r.Explicit == "" {
			return nil // no order of axes to name the dims by
		}
		s = r.splitDims()
	}
	if _, ok := s.DirectMLBytes(8); !ok || s.Rank() > maxDirectML {
		return nil
	}
	return &s
}

// splitDims makes a dim of every digit, the most significant first: N, C//16, C%16, H, W. It has the padding too.
func (r *formatsReport) splitDims() tensor.Strided {
	var s tensor.Strided
	for d := range r.layout.Rank() {
		for _, g := range slices.Backward(r.layout.Dim(d).Digits) {
			s.Shape, s.Strides = append(s.Shape, g.Extent), append(s.Strides, g.Stride)
		}
	}
	s.Offset = r.layout.Offset()
	return s
}

// digitAxes are a dim's axes, the most significant first.
func (r *formatsReport) digitAxes(d int) []notation.Axis {
	axes := slices.DeleteFunc(slices.Clone(r.format.Axes()), func(a notation.Axis) bool { return a.Dim != d })
	slices.SortStableFunc(axes, func(a, b notation.Axis) int { return b.Div - a.Div })
	return axes
}

// strideDirectML fills in the shape and strides of the descriptor.
func (r *formatsReport) strideDirectML(row *formatsFramework) {
	s := r.directMLShape()
	if s == nil {
		return
	}
	if row.Shape, row.Strides = s.DirectMLDesc(); s.CContiguous().OK {
		row.Strides = nil
	}
	if r.Strides == nil {
		row.Order = "split"
	}
}

// directML writes the descriptor.
func (r *formatsReport) directML(dtype tensor.DType) *formatsDirectML {
	s, bits := r.directMLShape(), tensor.DirectMLBits(dtype)
	none := func(why string) *formatsDirectML { return &formatsDirectML{Sizes: []int{}, Why: why, Code: []string{}} }
	switch {
	case bits == 0:
		return none("it has no " + dtype.String())
	case r.Strides == nil && r.Explicit == "":
		return none("its blocks are in no order")
	case s == nil:
		return none("it takes 1 to 8 dims without a size of 0, strides of at least 0, and less than 2³² elements")
	}
	bytes, ok := s.DirectMLBytes(bits)
	if !ok {
		return none("the tensor is larger than an address can count")
	}
	d := &formatsDirectML{DataType: "DML_TENSOR_DATA_TYPE_" + strings.ToUpper(dtype.String()), Bytes: bytes}
	if d.Sizes, d.Strides = s.DirectMLDesc(); s.CContiguous().OK {
		d.Strides = nil
	}
	if r.Strides == nil {
		d.Why = fmt.Sprintf("strides of %s cannot say blocks; with a dim for each digit, %d in all, they can, "+
			"for operators that work element by element", strings.Join(r.Dims, ","), len(d.Sizes))
	}
	d.Code = d.lines()
	return d
}

// splitNames name the dims of splitDims, leading ones included.
func (r *formatsReport) splitNames() string {
	var names []string
	explicit := strings.Split(r.Explicit, " ")
	for d := range r.format.Rank() {
		for _, a := range r.digitAxes(d) {
			names = append(names, explicit[slices.Index(r.format.Axes(), a)])
		}
	}
	for len(names) < 4 {
		names = append([]string{"1"}, names...)
	}
	return strings.Join(names, ",")
}

func (d *formatsDirectML) lines() []string {
	lines := []string{"const UINT sizes[] = " + braces(d.Sizes) + ";"}
	strides := "nullptr; // packed"
	if d.Strides != nil {
		lines, strides = append(lines, "const UINT strides[] = "+braces(d.Strides)+"; // elements"), "strides;"
	}
	count := ""
	if len(d.Sizes) > 5 {
		count = " // feature level 3.0; 5 before"
	}
	return append(lines,
		"DML_BUFFER_TENSOR_DESC desc = {};",
		"desc.DataType = "+d.DataType+";",
		fmt.Sprintf("desc.DimensionCount = %d;%s", len(d.Sizes), count),
		"desc.Sizes = sizes;",
		"desc.Strides = "+strides,
		fmt.Sprintf("desc.TotalTensorSizeInBytes = %d; // DMLCalcBufferTensorSize", d.Bytes),
		"desc.GuaranteedBaseOffsetAlignment = 0;")
}
