package convert

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// descriptorDraft publishes the descriptor beside the output, before the data: a descriptor without data is harmless,
// data without it would be misread. If the program dies in between, the descriptor is refused when it is read, because
// its fingerprint is that of data which is not there.
type descriptorDraft struct {
	path   string
	old    []byte // the file at path before; nil if there was none, or it could not be read
	there  bool   // there was a file at path before
	needed bool
	ours   []byte // what was published
	o      publish.Options
}

// newDescriptorDraft reads an old descriptor. Without --force an old one is an error, even if no new one is needed;
// anything but a regular file always is.
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
		return nil, fault.New(fault.Resource, "cannot read %s: %s", words.Quoted(d.path), fault.Cause(err))
	case !j.options.force:
		return nil, fault.New(fault.Resource, "%s already exists and would misdescribe the output", words.Quoted(d.path)).
			WithHint("--force replaces output and descriptor")
	case !info.Mode().IsRegular():
		return nil, fault.New(fault.Resource, "%s is not a regular file and cannot be replaced", words.Quoted(d.path))
	}
	d.there, d.old = true, readSmall(d.path)
	return d, nil
}

// readSmall reads a file of a descriptor's size; nil if it cannot, or if the file is larger.
func readSmall(path string) []byte {
	text, err := cli.ReadRegular(path, source.MaxDescriptor)
	if err != nil {
		return nil
	}
	return text
}

// descriptor describes the output. Its dtype is the file's, except for one that a .npy file cannot name.
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

// fingerprinted is the descriptor of the data in file that begins at byte at.
func (j *job) fingerprinted(file io.ReaderAt, at int64) func() (source.Descriptor, error) {
	return func() (source.Descriptor, error) {
		fingerprint, err := source.Fingerprint(file, at, j.bytesWritten())
		return j.descriptor(fingerprint), err
	}
}

// publish writes the descriptor if one is needed. If that fails, it restores the old one.
func (d *descriptorDraft) publish(desc func() (source.Descriptor, error)) error {
	if !d.needed {
		return nil
	}
	text, err := desc()
	if err != nil {
		return err
	}
	d.ours = text.JSON()
	placed, err := writeFile(d.path, d.ours, d.o)
	if err != nil && placed {
		return joinErrors(err, d.undo())
	}
	return err
}

// writeFile publishes a small file; placed reports whether it has its name, with or without an error.
func writeFile(path string, text []byte, o publish.Options) (placed bool, err error) {
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

// undo restores the old descriptor after the data could not be published. What another run has written meanwhile
// stays.
func (d *descriptorDraft) undo() error {
	switch {
	case !d.needed || !bytes.Equal(readSmall(d.path), d.ours):
		return nil
	case d.old == nil:
		return d.remove()
	}
	_, err := writeFile(d.path, d.old, publish.Options{Replace: true})
	return err
}

// settle removes an old descriptor that the published output does not need. What another run has written meanwhile
// stays.
func (d *descriptorDraft) settle() error {
	if d.needed || !d.there || d.old != nil && !bytes.Equal(readSmall(d.path), d.old) {
		return nil
	}
	return d.remove()
}

func (d *descriptorDraft) remove() error {
	if err := os.Remove(d.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Resource, "cannot remove %s: %s", words.Quoted(d.path), fault.Cause(err)).
			WithHint("remove it by hand: it does not describe the output")
	}
	return nil
}

// joinErrors joins two errors in one line; nil if neither is one.
func joinErrors(err, then error) error {
	switch {
	case then == nil:
		return err
	case err == nil:
		return then
	}
	return fault.New(fault.Resource, "%s; %s", err, then)
}
