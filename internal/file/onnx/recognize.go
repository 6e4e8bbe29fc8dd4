package onnx

import (
	"io"

	"github.com/tlayout/tlayout/internal/file/protobuf"
)

// Fields of ModelProto.
const (
	modelVersion    = 1<<3 | protobuf.Varint // ir_version
	modelProducer   = 2<<3 | protobuf.Bytes
	modelProducerV  = 3<<3 | protobuf.Bytes
	modelDomain     = 4<<3 | protobuf.Bytes
	modelNumber     = 5<<3 | protobuf.Varint // model_version
	modelDoc        = 6<<3 | protobuf.Bytes
	modelGraph      = 7<<3 | protobuf.Bytes
	modelOpset      = 8<<3 | protobuf.Bytes
	modelProps      = 14<<3 | protobuf.Bytes
	modelTraining   = 20<<3 | protobuf.Bytes
	modelFunctions  = 25<<3 | protobuf.Bytes
	modelDevices    = 26<<3 | protobuf.Bytes
	maxModelFields  = 100_000
	maxModelVersion = 1000 // of ir_version: 14 in 2026
)

// Recognize reports whether a file of size bytes is a model: a message from its first byte to its last, with a version and a graph, and no field
// that ModelProto does not have. It reads little: contents of fields are skipped.
func Recognize(r io.ReaderAt, size int64) bool {
	file := protobuf.New(r, size)
	hasVersion := false
	hasGraph := false
	n := 0
	for x, err := range file.Fields(file.Whole()) {
		n++
		if err != nil || n > maxModelFields {
			return false
		}
		switch x.Tag {
		case modelVersion:
			hasVersion = x.Value > 0 && x.Value < maxModelVersion
		case modelGraph:
			hasGraph = true
		case modelProducer, modelProducerV, modelDomain, modelNumber, modelDoc, modelOpset, modelProps, modelTraining, modelFunctions, modelDevices:
		default:
			return false
		}
	}
	return hasVersion && hasGraph
}
