// Package npz finds the members of a .npz file, which is a zip archive of .npy files, and nothing else.
//
// An archive is
//
//	{ header content }… directory [zip64 end, locator] end
//
// where the directory lists every member again, with its name, sizes, checksum and the byte at which its header begins.
// Sources: PKWARE's APPNOTE.TXT 6.3.10; the output of NumPy's savez, which uses Python's zipfile.
//
// Reading takes these steps:
//
//  1. directory.go: the last record of the file locates the directory; its entries become Members, which must not
//     overlap.
//  2. member.go: a member's own header must agree with the directory. This is checked when the member is used.
//  3. member.go: the content; its end is reached only if size and checksum are those of the directory.
//
// Every byte read is taken to be hostile. Go's archive/zip is not used: it hides where a header begins, returns encrypted
// bytes as if they were plain, and accepts archives that two readers see differently: overlapping members, a header that
// contradicts the directory, bytes after the end. Errors are *fault.Error: Malformed where the bytes break the format,
// Unsupported for members packed in another way than np.savez and np.savez_compressed do.
package npz
