package publish

import (
	"os"
	"syscall"
)

// moveNew gives a named draft the output's name if it is free, by a link: there is no exclusive rename.
func (t *target) moveNew(temp string) error {
	if err := t.root.Link(temp, t.base); err != nil {
		return err
	}
	return t.root.Remove(temp)
}

// moveOver gives a named draft the output's name.
func (t *target) moveOver(temp string) error { return t.root.Rename(temp, t.base) }

// syncDir does nothing: the files are in memory.
func syncDir(*os.File) error { return nil }

// identity is equal for all names of a file.
type identity struct{ inode uint64 }

func identify(_ string, info os.FileInfo) identity {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{stat.Ino}
}
