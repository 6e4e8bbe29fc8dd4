package publish

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// maxWait is how long to wait for a reader that blocks a move.
const maxWait = 2 * time.Second

// moveNew gives a named draft the output's name if it is free: unlike os.Rename, syscall.Rename keeps an existing file.
func (t *target) moveNew(temp string) error {
	return patiently(func() error { return syscall.Rename(filepath.Join(t.dir, temp), filepath.Join(t.dir, t.base)) })
}

// moveOver gives a named draft the output's name.
func (t *target) moveOver(temp string) error {
	return patiently(func() error { return t.root.Rename(temp, t.base) })
}

// patiently retries move while another program has one of the files open.
func patiently(move func() error) error {
	for end := time.Now().Add(maxWait); ; time.Sleep(20 * time.Millisecond) {
		err := move()
		busy := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if !busy || time.Now().After(end) {
			return err
		}
	}
}

// syncDir does nothing: directories cannot be synced here.
func syncDir(*os.File) error { return nil }

// identity is equal for all spellings of a file's path. Two hard links differ: replacing one keeps the other.
type identity string

func identify(name string, _ os.FileInfo) identity {
	if path, err := filepath.EvalSymlinks(name); err == nil {
		name = path
	}
	if path, err := filepath.Abs(name); err == nil {
		name = path
	}
	return identity(strings.ToLower(name))
}
