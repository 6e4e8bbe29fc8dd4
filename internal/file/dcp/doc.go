// Package dcp reads a checkpoint of torch.distributed.checkpoint: which tensors a folder holds, of which shape and type, and which slice of each is
// in which bytes of which file. It looks up, imports and calls nothing that a pickle names.
//
//	.metadata       a pickle of Metadata: the tensors with their chunks, and where the bytes of each are
//	__0_0.distcp    files of torch.save in a row, one for each chunk, or for an object that is not a tensor
//
// Sources: torch/distributed/checkpoint/metadata.py and filesystem.py (_StorageInfo, _write_item) of PyTorch 2.15; TensorProperties without strides
// and _StorageInfo without transform_descriptors are those of older versions.
//
// Input is assumed to be hostile. Memory is proportional to the metadata. Errors are *fault.Error: Malformed where the bytes break the format,
// Unsupported where PyTorch may read more, Resource for more tensors than the limit.
package dcp
