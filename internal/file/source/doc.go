// Package source opens whatever the user named as a Tensor: a .npy file, an array in a .npz archive, standard input, a file without a
// header that the user describes, such as the planes of an image, or just a shape, a layout or a type. A layout, (2,3):(5,1)@2, and a type that
// a compiler printed, memref<2x3xf32>, are sources unless there is a file of that name.
//
// An array stored in its archive is mapped where it is; a deflated one is unpacked into a temporary file. Opening checks
// the archive's directory and the array's two headers. The checksum of a deflated array is compared when it is unpacked,
// that of a stored one when its data is first used, and neither if only the header is needed.
//
// A file's shape is physical: its axes are matched one by one with the axes of a layout. A shape that the user types is logical, in the
// order in which frameworks list sizes (N,C,D,H,W). A Tensor has a tensor.Layout over the logical dims in both cases. The OrderSource
// of a file says what determined the order of its axes, the strongest first:
//
//	ByUser     --from nhwc
//	ByRecord   layout.json in the archive that holds the array
//	ByHeader   names of dims in the file itself
//	ByName     x.nhwc.npy: the last part of the file's name, if it fits the shape
//	ByRank     an assumption: 4 axes are NCHW, or OIHW where that is what they are compared with
package source
