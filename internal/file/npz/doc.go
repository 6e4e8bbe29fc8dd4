// Package npz lists the members of a .npz file under NumPy's names. The file is a zip archive of .npy files, which package zip reads.
package npz
