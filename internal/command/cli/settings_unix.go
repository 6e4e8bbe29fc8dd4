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

// distrust says why others than the caller and root can have written a file, or put one into a folder; "" if they cannot.
func distrust(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "has no owner"
	}
	return distrustMode(info.Mode(), int(stat.Uid), int(stat.Gid), os.Geteuid())
}

// distrustMode is distrust for what has this mode, owner and group. A folder may be another user's: a file that they put
// into it is theirs. In one with the sticky bit, such as /tmp, nobody replaces the files of others. A group with the caller's
// own number is the caller's alone, which is what lets a umask be 002; Debian's ssh makes this exception too.
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
	return "can be written by others"
}
