// Package source turns whatever the user named into a Tensor: a .npy file, an array in a .npz archive, standard
// input, a descriptor of a layout that a .npy file cannot hold, or just a shape.
//
// An array that is stored in its archive is mapped where it lies; a deflated one is unpacked into a temporary file.
// Opening checks the archive's directory and the array's two headers. The checksum of a deflated array is compared when it
// is unpacked, that of a stored one when its data are asked for; where a header is all that is wanted, neither is.
//
// A file's shape is physical: its axes are matched one by one with the axes of the layout that the user names. A
// shape that the user types is logical, in the order in which frameworks list sizes (N,C,D,H,W). In a Tensor both
// have become a tensor.Layout over the logical dims.
package source
