package framework

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/words"
)

// Desc is a DML_BUFFER_TENSOR_DESC.
type Desc struct {
	Sizes    []int
	Strides  []int // elements; nil where the tensor is packed
	DataType string
	Bytes    int // TotalTensorSizeInBytes
}

// NewDesc is the descriptor of a tensor, with leading sizes of 1 up to four dims. ok is false where DirectML has no such
// tensor or type, or its size is beyond an int (tensor.Strided's DirectMLBytes).
func NewDesc(s tensor.Strided, d dtype.Type) (desc Desc, ok bool) {
	bytes, ok := s.DirectMLBytes(dtype.DirectMLBits(d))
	if !ok {
		return Desc{}, false
	}
	desc = Desc{DataType: "DML_TENSOR_DATA_TYPE_" + strings.ToUpper(d.String()), Bytes: bytes}
	desc.Sizes, desc.Strides = s.DirectMLDesc()
	if s.CContiguous().OK {
		desc.Strides = nil
	}
	return desc, true
}

// Lines are the statements of C++ that fill it in.
func (d Desc) Lines() []string {
	lines := []string{"const UINT sizes[] = {" + words.Ints(d.Sizes, ", ") + "};"}
	strides := "nullptr; // packed"
	if d.Strides != nil {
		lines, strides = append(lines, "const UINT strides[] = {"+words.Ints(d.Strides, ", ")+"}; // elements"), "strides;"
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
