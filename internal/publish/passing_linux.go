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

// replace gives the file a passing name and then that of the output.
//
// The passing name is the same for all programs that replace this output, so that one killed between the two steps
// leaves a file that the next one finds. A program holds a lock on its file to show that it lives. Where a living
// one is in the way, the passing name is a random one.
func (d *anonymous) replace() error {
	name := d.passing()
	err := d.lock()
	if err == nil {
		err = d.link(name)
	}
	if errors.Is(err, fs.ErrExist) && d.place.removeDead(name) {
		err = d.link(name)
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, errNoLock) {
		name = fmt.Sprintf(".tlayout-%016x", rand.Uint64())
		err = d.link(name)
	}
	if err != nil {
		return err
	}
	if err := moveOver(d.place, name); err != nil {
		d.place.root.Remove(name) //nolint:errcheck // the first error is the one to tell
		return err
	}
	return nil
}

// passing returns the name between the two steps.
func (d *anonymous) passing() string {
	sum := sha256.Sum256([]byte(d.place.base))
	return fmt.Sprintf(".tlayout-%x", sum[:16])
}

var errNoLock = errors.New("no locks here")

// lock shows that the program lives, until the file is closed.
func (d *anonymous) lock() error {
	if tryLock(d.file) != nil {
		return errNoLock
	}
	return nil
}

// removeDead removes the file of that name, if it is regular and no living program has it locked.
func (p *place) removeDead(name string) bool {
	file, err := p.root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	return tryLock(file) == nil && p.removeSame(name, file)
}

// removeSame removes that name if it still belongs to the file, which is locked, so that nobody else may remove it.
// It can have got another name before it was locked.
func (p *place) removeSame(name string, file *os.File) bool {
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
