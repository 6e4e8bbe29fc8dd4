package inspect

// Slice is a part of a tensor that is put together from several.
type Slice struct {
	Offsets    []int  `json:"slice_offsets"` // index of the slice's first element in the whole tensor
	Shape      []int  `json:"slice_shape"`   // shape of the slice
	File       string `json:"shard"`         // the file of an index or a model that holds the storage
	DataOffset int64  `json:"stored_at"`     // offset in the file of what is stored of the slice, in bytes
	Stored     int64  `json:"stored_bytes"`  // size in the file, with what torch.save adds
}

// PartOf is where the tensor of one rank belongs in a global tensor.
type PartOf struct {
	Global     []int  `json:"global_shape"`  // shape of the whole tensor, of which a rank has a part
	Offsets    []int  `json:"slice_offsets"` // index of the slice's first element in the whole tensor
	Placements string `json:"placements"`    // PyTorch's placements for the dims of the mesh: Shard(dim=0), Replicate()
}
