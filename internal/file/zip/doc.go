// Package zip finds the members of a zip archive, checking it strictly, and lays out archives of stored members.
//
// An archive is
//
//	{ header content [descriptor] }… directory [zip64 end, locator] end
//
// where the directory lists every member again, with its name, sizes, checksum and the byte at which its header begins. A
// header written before its content was known has zeros for sizes and checksum, and a descriptor after the content has them.
// Sources: PKWARE's APPNOTE.TXT 6.3.10; the output of NumPy's savez, which uses Python's zipfile, and of torch.save, which
// uses miniz.
//
// Reading takes these steps:
//
//  1. directory.go: the last record of the file locates the directory; its entries become Members, which must not
//     overlap.
//  2. member.go: a member's own header and descriptor must agree with the directory. This is checked when the member is used.
//  3. content.go: the content; its end is reached only if size and checksum are those of the directory.
//  4. Sound, for formats that need it: names are unique, and every byte before the directory belongs to a member.
//
// Input is assumed to be hostile. Go's archive/zip is not used: it hides where a header begins, returns encrypted bytes as if they were
// plain, and accepts archives that two readers see differently: overlapping members, a header that contradicts the directory, bytes
// after the end. Errors are *fault.Error: Malformed where the bytes break the format, Unsupported for members that are encrypted, or
// neither stored nor deflated.
package zip
