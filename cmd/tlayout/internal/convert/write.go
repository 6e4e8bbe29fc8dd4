package convert

import (
	"hash/crc32"
	"io"
	"time"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/tensor/npz"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// write makes the output: a draft, which is complete, and verified if that is asked for, before it gets its name.
func (j *job) write() (done outcome, err error) {
	header, err := npy.AppendHeader(nil, j.tensor.Header.DType, j.target.Fortran, j.target.FileShape)
	if err != nil {
		return done, err
	}
	if j.out.path == source.Stdin {
		done.seconds, err = j.writeStream(header)
		return done, err
	}
	box, err := j.newContainer(int64(len(header)) + j.bytesWritten())
	if err != nil {
		return done, err
	}
	o := j.options
	file, err := publish.Create(j.out.path, publish.Options{Replace: o.force, Durable: o.durable, Size: box.size})
	if err != nil {
		return done, err
	}
	defer file.Discard()
	if o.dryRun {
		return done, nil
	}
	if done.seconds, err = j.fill(func(data []byte, opts convert.Options) error {
		if _, err := file.WriteAt(header, box.at); err != nil {
			return err
		}
		if err := j.plan.WriteAt(file, box.at+int64(len(header)), data, j.pad, o.memory.N, opts); err != nil {
			return err
		}
		return box.close(file)
	}); err != nil {
		return done, err
	}
	if o.verify {
		if done.verified, err = j.verify(file.Draft()); err != nil {
			return done, err
		}
	}
	return done, file.Commit()
}

// container is what surrounds the array in the output: nothing, or an archive.
type container struct {
	size    int64 // bytes of the whole file
	at      int64 // byte at which the array's .npy header begins
	array   int64 // bytes of that header and the data
	place   *npz.Placement
	layouts source.Record
}

// newContainer plans the output for an array of so many bytes.
func (j *job) newContainer(bytes int64) (container, error) {
	c := container{size: bytes, array: bytes}
	if !j.out.archive {
		return c, nil
	}
	c.layouts = source.NewRecord()
	if j.records() {
		c.layouts.Arrays[member] = source.NewArrayRecord(j.recordedType(), j.target.FileShape, j.target.Layout, j.target.Order)
		c.layouts.SetCRC(member, 0)
	}
	text, err := c.layouts.JSON()
	if err != nil {
		return c, err
	}
	place, err := npz.Place([]npz.New{{Name: member + ".npy", Size: bytes}, {Name: source.RecordName, Size: int64(len(text))}})
	c.place, c.size, c.at = &place, place.Size(), place.Content(0)
	return c, err
}

// records reports whether the output's layout is recorded: not if it keeps axes whose order was assumed, because a record
// is no assumption.
func (j *job) records() bool {
	return !j.keepsAxes() || !j.ofAxes() || j.tensor.Named()
}

// recordedType is the file's type, except for one that a .npy file cannot name.
func (j *job) recordedType() dtype.Type {
	if typ := j.tensor.Header.DType; typ.Kind() != dtype.Void || typ.Fields() != nil {
		return typ
	}
	return j.tensor.DType
}

// close writes what surrounds the array, whose bytes it reads once more for their checksum.
func (c *container) close(file *publish.File) error {
	if c.place == nil {
		return nil
	}
	sum := crc32.NewIEEE()
	if _, err := io.CopyBuffer(struct{ io.Writer }{sum}, io.NewSectionReader(file, c.at, c.array), make([]byte, 1<<20)); err != nil {
		return err
	}
	if len(c.layouts.Arrays) > 0 {
		c.layouts.SetCRC(member, sum.Sum32())
	}
	text, err := c.layouts.JSON()
	if err != nil {
		return err
	}
	crcs := []uint32{sum.Sum32(), crc32.ChecksumIEEE(text)}
	put := func(b []byte, at int64) {
		if err == nil {
			_, err = file.WriteAt(b, at)
		}
	}
	put(text, c.place.Content(1))
	put(c.place.Header(0, crcs[0]))
	put(c.place.Header(1, crcs[1]))
	put(c.place.End(crcs))
	return err
}

// writeStream writes to standard output, if that is no terminal.
func (j *job) writeStream(header []byte) (seconds float64, err error) {
	if cli.TerminalWidth(j.app.Streams.Out) > 0 {
		return 0, fault.New(fault.Usage, "standard output is a terminal").WithHint("send it to a file or a pipe")
	}
	if j.options.dryRun {
		return 0, nil
	}
	out := outputStream{j.app.Stdout}
	return j.fill(func(data []byte, o convert.Options) error {
		if _, err := out.Write(header); err != nil {
			return err
		}
		return j.plan.Write(out, data, j.pad, j.options.memory.N, o)
	})
}

// fill runs what writes the header and the data, with a progress bar, and times it.
func (j *job) fill(write func(data []byte, o convert.Options) error) (seconds float64, err error) {
	start := time.Now()
	bar := cli.NewProgress(j.app.Streams, "writing", j.bytesWritten())
	defer bar.End()
	err = j.tensor.Guard(func() error {
		data, err := j.tensor.Data()
		if err != nil {
			return err
		}
		return write(data, convert.Options{
			Kernels: j.kernels, Threads: j.options.threads, Guard: j.tensor.Guard, Disk: j.tensor, Done: bar.Add,
		})
	})
	return time.Since(start).Seconds(), err
}

// outputStream is standard output with errors that name it.
type outputStream struct{ io.Writer }

func (s outputStream) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if err != nil && fault.ClassOf(err) == fault.Resource {
		err = fault.New(fault.Resource, "cannot write the output: %s", fault.Cause(err))
	}
	return n, err
}
