package convert

import (
	"io"
	"time"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// write makes the output, and its descriptor where the file alone does not say how its data lies.
func (j *job) write(a *cli.App) error {
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
	describe, err := j.newDescriptorDraft()
	if err != nil || o.dryRun {
		return err
	}
	if err := j.fill(a, func(data []byte, o convert.Options) error {
		if _, err := file.Write(header); err != nil {
			return err
		}
		return j.plan.WriteAt(file, int64(len(header)), data, j.pad, j.options.memory.N, o)
	}); err != nil {
		return err
	}
	if err := describe.publish(j.fingerprinted(file, int64(len(header)))); err != nil {
		return err
	}
	err = file.Commit()
	if !file.Published() {
		return also(err, describe.undo())
	}
	return also(err, describe.settle())
}

// writeStream writes to standard output, if that is no terminal.
func (j *job) writeStream(a *cli.App, header []byte) error {
	if cli.TerminalWidth(a.Streams.Out) > 0 {
		return fault.New(fault.Usage, "standard output is a terminal").WithHint("send it to a file or a pipe")
	}
	if j.target.Hidden {
		a.Warn([]string{"standard output carries no descriptor: the reader must know that the data lies as " + j.target.Layout.String()})
	}
	if j.options.dryRun {
		return nil
	}
	out := outputStream{a.Stdout}
	return j.fill(a, func(data []byte, o convert.Options) error {
		if _, err := out.Write(header); err != nil {
			return err
		}
		return j.plan.Write(out, data, j.pad, j.options.memory.N, o)
	})
}

// fill runs what writes the header and the data, with a progress bar, and notes the time.
func (j *job) fill(a *cli.App, write func(data []byte, o convert.Options) error) error {
	start := time.Now()
	bar := cli.NewProgress(a.Streams, j.bytesWritten())
	defer bar.End()
	err := j.tensor.Guard(func() error {
		data, err := j.tensor.Data()
		if err != nil {
			return err
		}
		return write(data, convert.Options{
			Kernels: j.kernels, Threads: j.options.threads, Guard: j.tensor.Guard, Disk: j.tensor, Done: bar.Add,
		})
	})
	j.result.Seconds = time.Since(start).Seconds()
	return err
}

// outputStream is standard output with errors that say so.
type outputStream struct{ io.Writer }

func (s outputStream) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if err != nil && fault.ClassOf(err) == fault.Resource {
		err = fault.New(fault.Resource, "cannot write the output: %s", fault.Cause(err))
	}
	return n, err
}
