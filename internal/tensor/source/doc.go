// Package source turns whatever the user named into a Tensor: a .npy file, standard input, a descriptor of a layout
// that a .npy file cannot hold, or just a shape.
//
// A file's shape is physical: its axes are matched one by one with the axes of the layout that the user names. A
// shape that the user types is logical, in the order in which frameworks list sizes (N,C,D,H,W). In a Tensor both
// have become a tensor.Layout over the logical dims.
package source
