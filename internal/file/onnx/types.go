package onnx

import (
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/protobuf"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Fields of TensorProto with elements, by their numbers.
const (
	floatData  = 4
	int32Data  = 5
	stringData = 6
	int64Data  = 7
	rawData    = 9
	doubleData = 10
	uint64Data = 11
)

// elementFields are the tags of fields with elements: each number alone, or packed.
var elementFields = map[int64]int{
	floatData<<3 | protobuf.Bytes: floatData, floatData<<3 | protobuf.Fixed32: floatData,
	int32Data<<3 | protobuf.Bytes: int32Data, int32Data<<3 | protobuf.Varint: int32Data,
	stringData<<3 | protobuf.Bytes: stringData, rawData<<3 | protobuf.Bytes: rawData,
	int64Data<<3 | protobuf.Bytes: int64Data, int64Data<<3 | protobuf.Varint: int64Data,
	doubleData<<3 | protobuf.Bytes: doubleData, doubleData<<3 | protobuf.Fixed64: doubleData,
	uint64Data<<3 | protobuf.Bytes: uint64Data, uint64Data<<3 | protobuf.Varint: uint64Data,
}

// fieldNames are the names of these fields.
var fieldNames = map[int]string{floatData: "float_data", int32Data: "int32_data", stringData: "string_data", int64Data: "int64_data",
	rawData: "raw_data", doubleData: "double_data", uint64Data: "uint64_data"}

// typeString is the number of STRING.
const typeString = 8

// types are the numbers of TensorProto.DataType, and the field that has elements without raw_data. Types below a byte are packed in raw_data and
// in each number of int32_data, the first element in the lowest bits.
var types = map[uint64]struct {
	name  string // name for dtype.Parse
	field int
}{
	1: {"<f4", floatData}, 2: {"uint8", int32Data}, 3: {"int8", int32Data}, 4: {"<u2", int32Data}, 5: {"<i2", int32Data}, 6: {"<i4", int32Data},
	7: {"<i8", int64Data}, 9: {"bool", int32Data}, 10: {"<f2", int32Data}, 11: {"<f8", doubleData}, 12: {"<u4", uint64Data},
	13: {"<u8", uint64Data}, 14: {"<c8", floatData}, 15: {"<c16", doubleData}, 16: {"<bfloat16", int32Data},
	17: {"float8_e4m3fn", int32Data}, 18: {"float8_e4m3fnuz", int32Data}, 19: {"float8_e5m2", int32Data}, 20: {"float8_e5m2fnuz", int32Data},
	21: {"uint4", int32Data}, 22: {"int4", int32Data}, 23: {"float4_e2m1fn", int32Data}, 24: {"float8_e8m0fnu", int32Data},
	25: {"uint2", int32Data}, 26: {"int2", int32Data},
}

// refusedTypes are those whose elements cannot be shown.
var refusedTypes = map[uint64]string{
	0: "it has no type", typeString: "its elements are texts",
	27: "elements of FLOAT6E2M3 have 6 bits, which cross bytes", 28: "elements of FLOAT6E3M2 have 6 bits, which cross bytes",
}

// typeOf returns the type with this number, and the field that has its elements without raw_data. The error is why it cannot be shown.
func typeOf(number uint64) (d dtype.Type, field int, err error) {
	t, known := types[number]
	if known {
		d, err = dtype.Parse(t.name)
		return d, t.field, err
	}
	if why := refusedTypes[number]; why != "" {
		return dtype.Type{}, 0, fault.New(fault.Unsupported, "%s", why)
	}
	return dtype.Type{}, 0, fault.New(fault.Unsupported, "its type %d does not exist in ONNX 1.23", number)
}

// TypeOf returns the element type with this number of TensorProto.DataType; ok is false for one that cannot be shown.
func TypeOf(number uint64) (d dtype.Type, ok bool) {
	d, _, err := typeOf(number)
	return d, err == nil
}
