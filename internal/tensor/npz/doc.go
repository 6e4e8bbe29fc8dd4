// Package npz names the members of a .npz file as NumPy does, and lists them. The file is a zip archive of .npy files, which package zip reads.
package npz
