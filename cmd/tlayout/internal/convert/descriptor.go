package convert

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// descriptorDraft is what becomes of the descriptor beside the output. It is published before the data: one without
// data is harmless, data without it would be misread. Whenever the program dies in between, what lies there is
// refused, for a descriptor's fingerprint is that of its own data.
type descriptorDraft struct {
	path   string
	old    []byte // what lay there before; nil for nothing, or for what could not be read
	there  bool   // something lay there before
	needed bool
	ours   []byte // what was published
	o      publish.Options
}

// newDescriptorDraft looks at what lies there. An old descriptor is an error without --force, even where no new one
// is needed; anything but a file always is.
func (j *job) newDescriptorDraft() (*descriptorDraft, error) {
	d := &descriptorDraft{path: source.DescriptorPath(j.out), needed: j.target.Hidden,
		o: publish.Options{Replace: j.options.force, Durable: j.options.durable}}
	if d.needed {
		if n := len(j.descriptor(strings.Repeat("0", 32)).JSON()); n > source.MaxDescriptor {
			return nil, fault.New(fault.Unsupported, "the output's descriptor would have %d bytes, more than %d", n, source.MaxDescriptor)
		}
	}
	info, err := os.Lstat(d.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d, nil
	case err != nil:
		return nil, fault.New(fault.Resource, "cannot look at %q: %s", d.path, fault.Cause(err))
	case !j.options.force:
		return nil, fault.New(fault.Resource, "%q lies there already and would describe the output wrongly", d.path).
			WithHint("--force replaces output and descriptor")
	case !info.Mode().IsRegular():
		return nil, fault.New(fault.Resource, "%q is no file that could be replaced", d.path)
	}
	d.there, d.old = true, readSmall(d.path)
	return d, nil
}

// readSmall reads a file of a descriptor's size; nil where that is not possible.
func readSmall(path string) []byte {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, source.MaxDescriptor+1))
	if err != nil || len(text) > source.MaxDescriptor {
		return nil
	}
	return text
}

// descriptor describes the output. A dtype that a .npy file cannot name stands here, others are the file's.
func (j *job) descriptor(fingerprint string) source.Descriptor {
	typ := j.tensor.Header.DType
	if typ.Kind() == dtype.Void && typ.Fields() == nil {
		typ = j.tensor.DType
	}
	file := strings.TrimSuffix(source.DescriptorPath(j.out), source.DescriptorSuffix)
	d := source.NewDescriptor(filepath.Base(file), typ, j.target.FileShape, j.target.Layout, j.target.Order)
	d.Fingerprint = fingerprint
	return d
}

// fingerprinted is the descriptor of data that was written to file, from the byte at on.
func (j *job) fingerprinted(file io.ReaderAt, at int64) func() (source.Descriptor, error) {
	return func() (source.Descriptor, error) {
		fingerprint, err := source.Fingerprint(file, at, j.bytesWritten())
		return j.descriptor(fingerprint), err
	}
}

// publish puts the descriptor in its place, if one is needed. If it fails, what lay there before does again.
func (d *descriptorDraft) publish(desc func() (source.Descriptor, error)) error {
	if !d.needed {
		return nil
	}
	text, err := desc()
	if err != nil {
		return err
	}
	d.ours = text.JSON()
	placed, err := put(d.path, d.ours, d.o)
	if err != nil && placed {
		return also(err, d.undo())
	}
	return err
}

// put publishes a small file; placed reports whether it has its name, with or without an error.
func put(path string, text []byte, o publish.Options) (placed bool, err error) {
	o.Size = int64(len(text))
	file, err := publish.Create(path, o)
	if err != nil {
		return false, err
	}
	defer file.Discard()
	if _, err := file.Write(text); err != nil {
		return false, err
	}
	err = file.Commit()
	return file.Published(), err
}

// undo brings back what lay there before, after the data could not be published. What another run has put there
// meanwhile stays.
func (d *descriptorDraft) undo() error {
	switch {
	case !d.needed || !bytes.Equal(readSmall(d.path), d.ours):
		return nil
	case d.old == nil:
		return d.remove()
	}
	_, err := put(d.path, d.old, publish.Options{Replace: true})
	return err
}

// settle removes an old descriptor that the published output does not need. What another run has put there meanwhile
// stays.
func (d *descriptorDraft) settle() error {
	if d.needed || !d.there || d.old != nil && !bytes.Equal(readSmall(d.path), d.old) {
		return nil
	}
	return d.remove()
}

func (d *descriptorDraft) remove() error {
	if err := os.Remove(d.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Resource, "cannot remove %q: %s", d.path, fault.Cause(err)).WithHint("remove it by hand: it does not describe the output")
	}
	return nil
}

// also joins what went wrong after an error to it, in one line.
func also(err, then error) error {
	switch {
	case then == nil:
		return err
	case err == nil:
		return then
	}
	return fault.New(fault.Resource, "%s; %s", err, then)
}
