//go:build unix

package cli

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openAtOnce opens a pipe without waiting for its other end.
const openAtOnce = syscall.O_NONBLOCK

// distrust returns why somebody other than the caller and root could have written a file, or placed it in a folder; "" if nobody could.
func distrust(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "has no owner"
	}
	return distrustMode(info.Mode(), int(stat.Uid), int(stat.Gid), os.Geteuid())
}

// distrustMode is distrust for a mode, owner and group. A folder may belong to another user: files they place in it are theirs. In a sticky folder,
// such as /tmp, nobody can replace files of others. A group with the caller's own number is private to the caller, which allows umask 002; Debian's
// ssh has this exception too.
func distrustMode(mode fs.FileMode, uid, gid, caller int) string {
	owned := uid == caller || uid == 0
	open := mode.Perm()&0o002 != 0 || mode.Perm()&0o020 != 0 && gid != caller
	switch {
	case !mode.IsDir() && !owned:
		return fmt.Sprintf("belongs to another user (uid %d)", uid)
	case !open, mode&fs.ModeSymlink != 0: // a link has no permissions of its own
		return ""
	case mode.IsDir() && mode&fs.ModeSticky != 0 && owned:
		return ""
	}
	return "is writable by others"
}
