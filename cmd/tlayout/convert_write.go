package main

import (
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/term"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// write makes the output, and its descriptor where the file alone does not say how its data lies.
func (j *convertJob) write(a *app) error {
	header, err := npy.AppendHeader(nil, j.tensor.Header.DType, j.target.Fortran, j.target.FileShape)
	if err != nil {
		return err
	}
	if j.out == source.Stdin {
		return j.writeStream(a, header)
	}
	o := j.options
	size := int64(len(header)) + j.bytesWritten()
	file, err := publish.Create(j.out, publish.Options{Replace: o.force, Durable: o.durable, Size: size})
	if err != nil {
		return err
	}
	defer file.Discard()
	describe, err := j.prepareDescriptor()
	if err != nil {
		return err
	}
	defer describe.discard()
	if err := j.fill(file, header); err != nil {
		return err
	}
	if err := describe.commit(); err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		describe.undo()
		return err
	}
	return nil
}

// writeStream writes to standard output, if that is no terminal.
func (j *convertJob) writeStream(a *app, header []byte) error {
	if f, ok := a.streams.out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return fault.New(fault.Usage, "standard output is a terminal").WithHint("send it to a file or a pipe")
	}
	if j.target.Hidden {
		a.warn([]string{"standard output carries no descriptor: the reader must know that the data lies as " + j.target.Layout.String()})
	}
	return j.fill(a.stdout, header)
}

// fill writes the header and the data, window by window, and notes the time.
func (j *convertJob) fill(w io.Writer, header []byte) error {
	start := time.Now()
	err := j.tensor.Guard(func() error {
		data, err := j.tensor.Data()
		if err != nil {
			return err
		}
		if _, err := w.Write(header); err != nil {
			return writeFailure(err)
		}
		return j.fillWindows(w, data)
	})
	j.result.Seconds = time.Since(start).Seconds()
	return err
}

func (j *convertJob) fillWindows(w io.Writer, data []byte) error {
	item, alloc := j.plan.ItemSize, j.target.Layout.Alloc()
	if item == 0 || alloc == 0 {
		return nil
	}
	window := int(min(int64(alloc), max(1, j.options.memory.n/int64(item))))
	block := make([]byte, window*item)
	for first := 0; first < alloc; first += window {
		part := block[:min(window, alloc-first)*item]
		j.plan.Fill(part, first, data, j.pad)
		if _, err := w.Write(part); err != nil {
			return writeFailure(err)
		}
	}
	return nil
}

func writeFailure(err error) error {
	if fault.ClassOf(err) != fault.Resource {
		return err
	}
	return fault.New(fault.Resource, "cannot write the output: %s", rootCause(err))
}

// descriptorDraft is a descriptor that is written but not yet published; its zero value is none.
type descriptorDraft struct {
	file  *publish.File
	path  string
	stale bool // an old one must go
}

// prepareDescriptor writes the descriptor, if the target needs one. One that lies there already is an error without
// --force, even where none is needed: it would be taken to describe the new file.
func (j *convertJob) prepareDescriptor() (*descriptorDraft, error) {
	d := &descriptorDraft{path: j.out + source.DescriptorSuffix}
	_, statErr := os.Lstat(d.path)
	exists := statErr == nil
	if !j.target.Hidden {
		if exists && !j.options.force {
			return nil, fault.New(fault.Resource, `"%s" lies there already and would describe the output wrongly`, fault.Quote(d.path)).
				WithHint("--force removes it")
		}
		d.stale = exists
		return d, nil
	}
	desc := source.NewDescriptor(filepath.Base(j.out), j.tensor.DType, j.target.FileShape, j.target.Layout, j.target.Order)
	text := desc.JSON()
	file, err := publish.Create(d.path, publish.Options{Replace: j.options.force, Durable: j.options.durable, Size: int64(len(text))})
	if err != nil {
		return nil, err
	}
	d.file = file
	if _, err := file.Write(text); err != nil {
		file.Discard()
		return nil, err
	}
	return d, nil
}

// commit publishes the descriptor, before the data that it describes: a descriptor without data is harmless, data
// without its descriptor would be misread.
func (d *descriptorDraft) commit() error {
	if d.stale {
		if err := os.Remove(d.path); err != nil {
			return fault.New(fault.Resource, `cannot remove "%s": %s`, fault.Quote(d.path), rootCause(err))
		}
	}
	if d.file == nil {
		return nil
	}
	return d.file.Commit()
}

func (d *descriptorDraft) discard() {
	if d.file != nil {
		d.file.Discard()
	}
}

// undo takes a published descriptor back after the data could not be.
func (d *descriptorDraft) undo() {
	if d.file != nil {
		os.Remove(d.path)
	}
}
