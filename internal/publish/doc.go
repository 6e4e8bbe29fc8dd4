// Package publish writes a file that appears whole or not at all.
//
//  1. Create checks the output's name and opens a draft in its directory.
//  2. Write fills the draft; it is not visible under the output's name.
//  3. Commit gives the draft its name, or Discard drops it.
//
// What is under the name afterwards:
//
//	                            new file    new, Durable    Replace
//	before Commit               nothing     nothing         the old file
//	error, kill -9, full disk   nothing     nothing         the old file
//	Commit returned nil         all bytes   all bytes       all bytes
//	... and then a power cut    anything    all bytes       all bytes
//
// A new file without Durable is atomic but not durable: a power cut or system crash within the next half minute or so may
// leave it missing, empty or incomplete. Nothing less does.
//
// Without Replace, an existing file is never touched. The system call that gives the name decides: of several writers to
// one name exactly one succeeds. With Replace the last one wins, and every reader sees a whole file.
//
// # Leftovers
//
// On Linux the draft has no name (O_TMPFILE), so it vanishes with the program however that ends. To replace a file it
// needs a name between two system calls, linkat and renameat; a program killed right there leaves a complete draft
// ".tlayout-…", which the next replacement of that output removes. File systems without nameless files (NFS, FAT) and
// other systems use a named draft, which survives kill -9. On a signal that can be handled, Cleanup removes all of them.
//
// # Limits
//
//   - A replaced file keeps its permission bits, without setuid and setgid. Owner, access lists, extended attributes
//     and other hard links stay with the old file.
//   - Symbolic links are followed when the draft is created, not again at Commit.
//   - If only the directory's fsync fails, the new file is in place, and the error of Commit says that it may not survive.
//   - Windows has no fsync for directories: Durable covers the file alone. A file that a reader holds open cannot be
//     replaced there; Commit tries for two seconds.
//   - Options.Size reserves disk space on Linux only.
package publish
