package publish

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"

	"golang.org/x/sys/unix"
)

// replace gives the file a temporary name and then that of the output.
//
// The temporary name is the same for all programs that replace this output, so that a program killed between the two
// steps leaves a file that the next one finds and removes. A program locks its file to show that it is alive. If a living
// one has the name, this one takes a random name.
func (d *anonymous) replace() error {
	name := d.passing()
	err := d.lock()
	if err == nil {
		err = d.link(name)
	}
	if errors.Is(err, fs.ErrExist) && d.target.removeDead(name) {
		err = d.link(name)
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, errNoLock) {
		name = fmt.Sprintf(".tlayout-%016x", rand.Uint64())
		err = d.link(name)
	}
	if err != nil {
		return err
	}
	if err := moveOver(d.target, name); err != nil {
		d.target.root.Remove(name) //nolint:errcheck // the first error is reported
		return err
	}
	return nil
}

// passing returns the temporary name.
func (d *anonymous) passing() string {
	sum := sha256.Sum256([]byte(d.target.base))
	return fmt.Sprintf(".tlayout-%x", sum[:16])
}

var errNoLock = errors.New("no locks here")

// lock shows that the program is alive, until the file is closed.
func (d *anonymous) lock() error {
	if tryLock(d.file) != nil {
		return errNoLock
	}
	return nil
}

// removeDead removes the file of that name if it is regular and no living program has locked it.
func (p *target) removeDead(name string) bool {
	file, err := p.root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	return tryLock(file) == nil && p.removeSame(name, file)
}

// removeSame removes that name if it still is the locked file's, which nobody else may remove. The file may have been
// renamed before it was locked.
func (p *target) removeSame(name string, file *os.File) bool {
	opened, err := file.Stat()
	if err != nil || !opened.Mode().IsRegular() {
		return false
	}
	found, err := p.root.Lstat(name)
	return err == nil && os.SameFile(opened, found) && p.root.Remove(name) == nil
}

func tryLock(file *os.File) error {
	return again(func() error { return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
}
