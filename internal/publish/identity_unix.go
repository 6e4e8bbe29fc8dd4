//go:build unix

package publish

import (
	"os"
	"syscall"
)

// identity is the same for all names of a file.
type identity struct{ device, inode uint64 }

func identify(_ string, info os.FileInfo) identity {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{uint64(stat.Dev), uint64(stat.Ino)} //nolint:unconvert // their types differ between systems
}
