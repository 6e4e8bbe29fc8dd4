package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
)

// draft is a file without its final name.
type draft interface {
	// handle returns the open file. After publish or abandon it may be closed.
	handle() *os.File

	// publish reports what closing the file would report, and gives the file its name in one step. An existing file of
	// that name is replaced, or, without replace, kept, and the error is fs.ErrExist. After an error nothing has changed
	// under that name.
	publish(replace bool) error

	// abandon removes the draft from its directory. It may run while another goroutine uses the handle.
	abandon()
}

// named is a draft with a temporary name in the output's directory. The name does not contain that of the output, which
// may have the maximal length.
type named struct {
	target *target
	file   *os.File
	temp   string
}

// newNamed creates the draft with the permission bits of a new file. If it replaces a file, nobody else may read it until
// it has that file's bits.
func newNamed(p *target) (draft, error) {
	perm := fs.FileMode(0o666)
	if p.found != nil {
		perm = p.found.Mode().Perm() & 0o600
	}
	for range 100 {
		temp := fmt.Sprintf(".tlayout-%016x", rand.Uint64())
		file, err := p.root.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL|largeFile, perm)
		if err == nil {
			return &named{target: p, file: file, temp: temp}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return nil, fs.ErrExist
}

func (d *named) handle() *os.File { return d.file }

func (d *named) publish(replace bool) error {
	if err := d.file.Close(); err != nil {
		return err
	}
	if replace {
		return moveOver(d.target, d.temp)
	}
	return moveNew(d.target, d.temp)
}

func (d *named) abandon() {
	d.file.Close()               //nolint:errcheck // the content does not matter any more
	d.target.root.Remove(d.temp) //nolint:errcheck // there is no other way left
}

// nullDraft is the null device: what is written to it is published already, and there is nothing to abandon.
type nullDraft struct{ device *os.File }

func newNullDraft(p *target) (draft, error) {
	device, err := os.OpenFile(p.base, os.O_WRONLY, 0)
	return nullDraft{device}, err
}

func (d nullDraft) handle() *os.File { return d.device }

func (d nullDraft) publish(bool) error { return nil }

func (d nullDraft) abandon() {}

// IsNull reports whether a path leads to the null device, whose purpose is that something else is measured.
func IsNull(path string) bool {
	info, err := os.Stat(path)
	null, errNull := os.Stat(os.DevNull)
	return err == nil && errNull == nil && info.Mode()&fs.ModeCharDevice != 0 && os.SameFile(info, null)
}
