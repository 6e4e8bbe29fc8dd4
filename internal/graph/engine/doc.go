// Package engine recognizes the files that engines write about a model, and reads the program in each.
//
//	exported     .pt2, an archive of torch.export
//	profile      a trace of PyTorch's profiler, JSON, or gzip of it
//	onednn       a log of oneDNN's verbose mode
//	hlo          the text of an HLO module
//	onnxgraph    an ONNX model
//	tensorrt     the layer information of trtexec --exportLayerInfo, JSON
//
// Every byte is read as hostile: a reader fails with Malformed or Unsupported, or says in Program.Notes what it left out.
package engine
