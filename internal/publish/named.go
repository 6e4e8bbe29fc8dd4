package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
)

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
