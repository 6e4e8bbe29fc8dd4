package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// descriptorDraft is what becomes of the descriptor beside the output. It is published before the data: one without
// data is harmless, data without it would be misread. Whenever the program dies in between, what lies there is
// refused, for a descriptor's fingerprint is that of its own data.
type descriptorDraft struct {
	path   string
	old    []byte // what lay there before; nil for nothing
	needed bool
	o      publish.Options
}

// newDescriptorDraft looks at what lies there. An old descriptor is an error without --force, even where no new one
// is needed.
func (j *convertJob) newDescriptorDraft() (*descriptorDraft, error) {
	d := &descriptorDraft{path: source.DescriptorPath(j.out), needed: j.target.Hidden,
		o: publish.Options{Replace: j.options.force, Durable: j.options.durable}}
	old, err := os.ReadFile(d.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d, nil
	case err != nil:
		return nil, fault.New(fault.Resource, "cannot read %q: %s", d.path, rootCause(err))
	case !j.options.force:
		return nil, fault.New(fault.Resource, "%q lies there already and would describe the output wrongly", d.path).
			WithHint("--force replaces output and descriptor")
	}
	d.old = old
	return d, nil
}

// descriptor describes the output. A dtype that a .npy file cannot name stands here, others are the file's.
func (j *convertJob) descriptor(print *source.Fingerprint) source.Descriptor {
	dtype := j.tensor.Header.DType
	if dtype.Kind() == tensor.Void && dtype.Fields() == nil {
		dtype = j.tensor.DType
	}
	file := strings.TrimSuffix(source.DescriptorPath(j.out), source.DescriptorSuffix)
	d := source.NewDescriptor(filepath.Base(file), dtype, j.target.FileShape, j.target.Layout, j.target.Order)
	d.Fingerprint = print.String()
	return d
}

// publish puts the descriptor in its place, if one is needed.
func (d *descriptorDraft) publish(desc source.Descriptor) error {
	if !d.needed {
		return nil
	}
	return d.put(desc.JSON(), d.o)
}

func (d *descriptorDraft) put(text []byte, o publish.Options) error {
	o.Size = int64(len(text))
	file, err := publish.Create(d.path, o)
	if err != nil {
		return err
	}
	defer file.Discard()
	if _, err := file.Write(text); err != nil {
		return err
	}
	return file.Commit()
}

// undo brings back what lay there before, after the data could not be published.
func (d *descriptorDraft) undo() error {
	switch {
	case !d.needed:
		return nil
	case d.old == nil:
		return d.remove()
	}
	return d.put(d.old, publish.Options{Replace: true})
}

// settle removes an old descriptor that the published output does not need.
func (d *descriptorDraft) settle() error {
	if d.needed || d.old == nil {
		return nil
	}
	return d.remove()
}

func (d *descriptorDraft) remove() error {
	if err := os.Remove(d.path); err != nil {
		return fault.New(fault.Resource, "cannot remove %q: %s", d.path, rootCause(err)).WithHint("remove it by hand: it does not describe the output")
	}
	return nil
}
