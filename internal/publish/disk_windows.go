package publish

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
)

// patience is how long to wait for a reader that blocks a move.
const patience = 2 * time.Second

// moveNew gives the draft the output's name if it is free.
func moveNew(p *target, temp string) error {
	from, err := windows.UTF16PtrFromString(filepath.Join(p.dir, temp))
	if err != nil {
		return err
	}
	to, err := windows.UTF16PtrFromString(filepath.Join(p.dir, p.base))
	if err != nil {
		return err
	}
	return patiently(func() error { return windows.MoveFileEx(from, to, 0) })
}

// moveOver gives the draft the output's name.
func moveOver(p *target, temp string) error {
	return patiently(func() error { return p.root.Rename(temp, p.base) })
}

// patiently repeats move while another program has one of the files open.
func patiently(move func() error) error {
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := move()
		busy := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if !busy || time.Now().After(end) {
			return err
		}
	}
}

// syncDir does nothing: directories cannot be synced here.
func syncDir(*os.File) error { return nil }
