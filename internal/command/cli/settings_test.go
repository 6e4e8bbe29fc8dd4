//go:build unix

package cli

import (
	"io/fs"
	"testing"
)

// TestDistrust: whoever could have written a file decides whether it is read, for all owners, groups and modes.
func TestDistrust(t *testing.T) {
	const root, caller, other = 0, 1000, 1001
	const file, dir, link = fs.FileMode(0), fs.ModeDir, fs.ModeSymlink
	for _, c := range []struct {
		mode     fs.FileMode
		uid, gid int
		want     string
	}{
		{file | 0o600, caller, caller, ""},
		{file | 0o644, caller, 50, ""},
		{file | 0o644, root, root, ""},
		{file | 0o644, other, caller, "belongs to another user (uid 1001)"},
		{file | 0o600, other, other, "belongs to another user (uid 1001)"},
		{file | 0o664, caller, caller, ""}, // umask 002 and a group of one's own
		{file | 0o664, caller, 50, "is writable by others"},
		{file | 0o664, root, root, "is writable by others"}, // by the group of root
		{file | 0o646, caller, caller, "is writable by others"},
		{file | 0o666, root, root, "is writable by others"},
		{link | 0o777, caller, caller, ""},
		{link | 0o777, root, root, ""},
		{link | 0o777, other, other, "belongs to another user (uid 1001)"},
		{dir | 0o755, caller, caller, ""},
		{dir | 0o755, other, other, ""}, // the file in it has an owner of its own
		{dir | 0o775, caller, caller, ""},
		{dir | 0o775, caller, 50, "is writable by others"},
		{dir | 0o777, root, root, "is writable by others"},
		{dir | 0o777 | fs.ModeSticky, root, root, ""},
		{dir | 0o775 | fs.ModeSticky, caller, 50, ""},
		{dir | 0o777 | fs.ModeSticky, other, other, "is writable by others"}, // its owner replaces what is in it
	} {
		if got := distrustMode(c.mode, c.uid, c.gid, caller); got != c.want {
			t.Errorf("%v of %d:%d: %q, expected %q", c.mode, c.uid, c.gid, got, c.want)
		}
	}
}
