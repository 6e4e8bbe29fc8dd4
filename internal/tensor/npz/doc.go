// Package npz finds the members of a .npz file, which is a zip archive of .npy files, and nothing else.
//
// An archive is
//
//	{ header content }… directory [zip64 end, locator] end
//
// where the directory lists every member again, with its name, sizes, checksum and the byte at which its header begins.
// Sources: APPNOTE.TXT 6.3.10 of PKWARE; what NumPy's savez writes by way of Python's zipfile.
//
// Reading goes through these steps, each in the file of that name:
//
//  1. end: the last record of the file leads to the directory.
//  2. directory: its entries become Members, which must not overlap each other.
//  3. local: a member's own header must say what the directory says of it. This is checked for a member that is used.
//  4. content: the bytes as they were packed; the end is reached only if size and checksum are those of the directory.
//
// Every byte read is taken to be hostile. Go's archive/zip is not used, for it hides where a header begins and accepts
// what makes two readers see two archives: members that overlap, a header that differs from the directory, bytes behind
// the end; it also hands out encrypted bytes as if they were plain. Errors are *fault.Error: Malformed where the bytes
// break the format, Unsupported where it is met but the member is packed in another way than np.savez and
// np.savez_compressed do it.
package npz
