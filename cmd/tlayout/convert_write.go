package main

import (
	"io"
	"os"
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
	print := source.NewFingerprint(j.bytesWritten())
	if j.out == source.Stdin {
		return j.writeStream(a, header, print)
	}
	o := j.options
	size := int64(len(header)) + j.bytesWritten()
	file, err := publish.Create(j.out, publish.Options{Replace: o.force, Durable: o.durable, Size: size})
	if err != nil {
		return err
	}
	defer file.Discard()
	describe, err := j.newDescriptorDraft()
	if err != nil || o.dryRun {
		return err
	}
	if err := j.fill(file, header, print); err != nil {
		return err
	}
	if err := describe.publish(j.descriptor(print)); err != nil {
		return err
	}
	err = file.Commit()
	if !file.Published() {
		return also(err, describe.undo())
	}
	return also(err, describe.settle())
}

// writeStream writes to standard output, if that is no terminal.
func (j *convertJob) writeStream(a *app, header []byte, print io.Writer) error {
	if f, ok := a.streams.out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return fault.New(fault.Usage, "standard output is a terminal").WithHint("send it to a file or a pipe")
	}
	if j.target.Hidden {
		a.warn([]string{"standard output carries no descriptor: the reader must know that the data lies as " + j.target.Layout.String()})
	}
	if j.options.dryRun {
		return nil
	}
	return j.fill(a.stdout, header, print)
}

// fill writes the header and the data, window by window, and notes the time. print takes the data too.
func (j *convertJob) fill(w io.Writer, header []byte, print io.Writer) error {
	start := time.Now()
	err := j.tensor.Guard(func() error {
		data, err := j.tensor.Data()
		if err != nil {
			return err
		}
		if _, err := w.Write(header); err != nil {
			return writeFailure(err)
		}
		return j.fillWindows(io.MultiWriter(w, print), data)
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
