// Package onnx finds the tensors of an ONNX model: initializers and the tensors of Constant nodes, of the graph and of the bodies of its nodes.
//
//	model.go    Open: a model's graph becomes a checkpoint.Container
//	recognize.go whether a file is a model, by its bytes
//	tensor.go   TensorProto: a name, sizes, a type, and where the elements are
//	values.go   elements in typed fields, some of which are varints and are decoded
//	external.go elements in a file beside the model
//	types.go    the format's numbers of types
//
// A tensor of the graph has the name of its initializer, or of the output of its Constant node. One in the body of a node, such as
// then_branch of If, has the name of that node's first output and of the attribute before it: y.then_branch.w. Bodies of functions and of
// TrainingInfoProto are not read, nor are attributes of Constant nodes that are no tensors: value_ints.
//
// The rules are those of onnx/onnx.proto and onnx/checker.cc of ONNX 1.23 (IR version 14). Input is assumed to be hostile: memory is
// proportional to the names, and to the numbers in varints. Nothing of raw_data is read.
package onnx
