// Package pt2 finds the tensors of a program that torch.export.save wrote: parameters, buffers and constants, with their strides.
//
//	open.go    Open: the members of the archive with tensors become a checkpoint.Container
//	config.go  the JSON that maps names to members, sizes, strides and types
//	tensor.go  an entry of it becomes a view of a member, checked against its size
//	pickled.go members that torch.save wrote are archives within the archive, which the package torch reads
//
// There are three layouts of members, all of zip archives:
//
//	2.9 and later: NAME/data/weights/MODEL_weights_config.json and NAME/data/weights/weight_0 …, the bytes of storages; likewise
//	               data/constants with MODEL_constants_config.json and tensor_0 …
//	2.7 and 2.8:   NAME/data/weights/MODEL.pt and NAME/data/constants/MODEL.pt, files of torch.save
//	before:        serialized_state_dict.pt and serialized_constants.pt, likewise; 2.1 calls them .json
//
// If the archive has several models, their names and a dot begin the names of tensors. Objects that are no tensors are left out, and the program
// itself is not read.
//
// Sources: torch/export/pt2_archive/_package.py and constants.py, torch/_export/serde/schema.py of PyTorch 2.15; save in
// torch/export/__init__.py of 2.1 and 2.6. Input is assumed to be hostile.
package pt2
