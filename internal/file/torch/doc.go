// Package torch finds the tensors of a PyTorch checkpoint: their shapes, strides and offsets, and where their storages are in the file.
// It looks up, imports and calls nothing that the file's pickles name.
//
// There are three formats:
//
//	zip      NAME/data.pkl, NAME/data/0 …, NAME/byteorder, NAME/version: torch.save since 1.6; each data/N is a storage
//	script   the same with NAME/constants.pkl, NAME/constants/0 … and code: torch.jit.save
//	legacy   five pickles (a number, 1001, the machine, the object, the storages' keys); for each key its number of elements, 8
//	         bytes, and its elements: torch.save before 1.6, or with _use_new_zipfile_serialization=False
//
// Reading takes these steps:
//
//  1. archive.go, legacy.go: the pickles become graphs, and storages get their places in the file.
//  2. storage.go: a persistent id names a storage; its size must be that of the bytes in the file.
//  3. walk.go: the graph is walked from its root, without recursion, and names what it meets.
//  4. rebuild.go: a call of torch._utils._rebuild_tensor_v2 and its like is a tensor, checked against its storage.
//  5. numpy.go: an array of NumPy is a tensor whose bytes are in the pickle.
//  6. weights.go: which names and opcodes torch.load(weights_only=True) accepts.
//
// Sources: PyTorch's torch/serialization.py (_save, _load, _legacy_save, _legacy_load), torch/_utils.py (_rebuild_tensor and
// those after it), torch/storage.py (_dtype_to_storage_type_map), caffe2/serialize/inline_container.cc, of 1.13 and of
// the main branch at commits named where they matter. Files of 1.13 and 2.15 are compared, in both directions.
//
// Input is assumed to be hostile. Memory is proportional to the pickles. Errors are *fault.Error that name the tensor or the storage:
// Malformed where the bytes break the format, Unsupported where PyTorch may read more than this package.
package torch
