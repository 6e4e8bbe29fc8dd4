package convert

import (
	"cmp"
	"errors"
	"hash/crc32"
	"io"
	"time"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/tensor/zip"
	"github.com/tlayout/tlayout/internal/words"
)

// write makes the output: a draft, which is complete, and verified if that is asked for, before it gets its name.
func (j *job) write() (done outcome, err error) {
	array, err := j.newPart()
	if err != nil {
		return done, err
	}
	if done.bytes = array.bytes; j.out.path == source.Stdin {
		done.seconds, err = j.writeStream(array.header)
		return done, err
	}
	box, err := newContainer(j.out.archive, []part{array})
	if err != nil {
		return done, err
	}
	done.bytes = box.size
	file, err := j.options.create(j.out.path, box.size)
	if err != nil {
		return done, err
	}
	defer file.Discard()
	if done.skipped = file.UpToDate(); done.skipped || j.options.dryRun {
		return done, nil
	}
	if done.seconds, err = j.writePart(file, box, 0); err != nil {
		return done, err
	}
	if err := box.close(file); err != nil {
		return done, err
	}
	if j.options.verify {
		if done.verified, err = j.verify(file.Draft()); err != nil {
			return done, err
		}
	}
	err = file.Commit()
	done.skipped = file.UpToDate()
	return done, err
}

// create begins an output of that many bytes.
func (o *options) create(path string, size int64) (*publish.File, error) {
	opts := publish.Options{Replace: o.force, Update: o.update, Inputs: o.inputs, Derived: o.out == "" || o.unit != nil, Durable: o.durable, Size: size}
	if o.unit != nil {
		if ready, err := o.unit.begins(path, size, o.dryRun); err != nil || !ready {
			return publish.Nowhere(path), err
		}
	}
	file, err := publish.Create(path, opts)
	var e *fault.Error
	if o.second && errors.As(err, &e) && e.Hint == store.Exists("").Hint {
		return nil, e.WithHint("convert takes one source, and its second argument is the output; --force replaces %s", words.Shell(words.Quote(path)))
	}
	return file, err
}

// part is an array of the output.
type part struct {
	member string // its name in an archive, without ".npy"
	header []byte // of its .npy file
	bytes  int64  // of that header and the data
	record *source.ArrayRecord
}

func (j *job) newPart() (part, error) {
	if d := j.tensor.DType; d.Order() == dtype.Big && unspelled(d) {
		return part{}, fault.New(fault.Unsupported, "big-endian %s, which %s cannot say", d, words.Quoted(cmp.Or(j.out.path, "a .npy file"))).
			WithHint("write .safetensors or .pt, which swap the bytes")
	}
	if j.out.raw {
		_, _, err := j.readAgain()
		return part{bytes: j.bytesWritten()}, err
	}
	header, err := npy.AppendHeader(nil, j.tensor.Header.DType, j.target.Fortran, j.target.FileShape)
	if err != nil {
		return part{}, err
	}
	p := part{member: j.out.member, header: header, bytes: int64(len(header)) + j.bytesWritten()}
	if j.records() {
		l, order, err := j.recorded()
		if err != nil {
			return part{}, err
		}
		record := source.NewArrayRecord(j.recordedType(), j.target.FileShape, l, order)
		p.record = &record
	}
	return p, nil
}

// writePart writes header and data of the job's array, which is a part of the output.
func (j *job) writePart(file io.WriterAt, box *container, i int) (seconds float64, err error) {
	header, at := box.parts[i].header, box.at(i)
	return j.fill(func(data []byte, opts convert.Options) error {
		if _, err := file.WriteAt(header, at); err != nil {
			return err
		}
		return j.plan.WriteAt(file, at+int64(len(header)), data, j.pad, j.options.memory.N, opts)
	})
}

// container is what surrounds the arrays in the output: nothing around a single one, or an archive with layout.json.
type container struct {
	parts   []part
	size    int64          // bytes of the whole file
	place   *zip.Placement // nil for a .npy file
	layouts source.Record
}

func newContainer(archive bool, parts []part) (*container, error) {
	c := &container{parts: parts, size: parts[0].bytes, layouts: source.NewRecord()}
	if !archive {
		return c, nil
	}
	members, names := make([]zip.New, len(parts)), map[string]bool{}
	for i, p := range parts {
		if names[p.member] || p.member == source.RecordName {
			return nil, fault.New(fault.Unsupported, "the output would have two members %s", words.Quoted(p.member+".npy")).
				WithHint("rename an array, or convert those of a pattern")
		}
		names[p.member] = true
		members[i] = zip.New{Name: p.member + ".npy", Size: p.bytes}
		if p.record != nil {
			c.layouts.Arrays[p.member] = *p.record
			c.layouts.SetCRC(p.member, 0)
		}
	}
	if len(c.layouts.Arrays) > 0 {
		text, err := c.layouts.JSON()
		if err != nil {
			return nil, err
		}
		members = append(members, zip.New{Name: source.RecordName, Size: int64(len(text))})
	}
	place, err := zip.Place(members)
	c.place, c.size = &place, place.Size()
	return c, err
}

// at is the byte of the output at which a part begins.
func (c *container) at(i int) int64 {
	if c.place == nil {
		return 0
	}
	return c.place.Content(i)
}

// close writes what surrounds the arrays, whose bytes it reads once more for their checksums.
func (c *container) close(file *publish.File) error {
	if c.place == nil {
		return nil
	}
	crcs := make([]uint32, len(c.parts))
	buffer := make([]byte, 1<<20)
	for i, p := range c.parts {
		sum := crc32.NewIEEE()
		if _, err := io.CopyBuffer(struct{ io.Writer }{sum}, io.NewSectionReader(file, c.at(i), p.bytes), buffer); err != nil {
			return err
		}
		crcs[i] = sum.Sum32()
	}
	return c.end(file, crcs)
}

// end writes what surrounds the arrays, whose checksums are given.
func (c *container) end(file io.WriterAt, crcs []uint32) error {
	for i, p := range c.parts {
		if p.record != nil {
			c.layouts.SetCRC(p.member, crcs[i])
		}
	}
	var err error
	put := func(b []byte, at int64) {
		if err == nil {
			_, err = file.WriteAt(b, at)
		}
	}
	if len(c.layouts.Arrays) > 0 {
		text, err := c.layouts.JSON()
		if err != nil {
			return err
		}
		crcs = append(crcs, crc32.ChecksumIEEE(text))
		put(text, c.at(len(c.parts)))
	}
	for i, crc := range crcs {
		put(c.place.Header(i, crc))
	}
	put(c.place.End(crcs))
	return err
}

// records reports whether the output's layout is recorded: not if it keeps axes whose order was assumed, because a record
// is no assumption.
func (j *job) records() bool {
	return !j.keepsAxes() || !j.ofAxes() || j.tensor.Named()
}

// recorded is the layout of the result over the logical dims, and its memory order.
func (j *job) recorded() (l tensor.Layout, order string, err error) {
	if !j.ofAxes() || j.axes == nil {
		return j.target.Layout, j.target.Order, nil
	}
	l, f, err := source.Stored(j.axes.order, j.axes.sizes, j.target.FileShape, j.target.Fortran)
	return l, f.String(), err
}

// recordedType is the file's type, except for one that a .npy file cannot name.
func (j *job) recordedType() dtype.Type {
	if typ := j.tensor.Header.DType; typ.Kind() != dtype.Void || typ.Fields() != nil {
		return typ
	}
	return j.tensor.DType
}

// writeStream writes to standard output, if that is no terminal.
func (j *job) writeStream(header []byte) (seconds float64, err error) {
	if cli.TerminalWidth(j.app.Streams.Out) > 0 {
		return 0, fault.New(fault.Usage, "standard output is a terminal").WithHint("send it to a file or a pipe")
	}
	if err := j.app.RefuseStdout(j.options.inputs); err != nil {
		return 0, err
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
	err = j.tensor.Guard(func() error {
		data, err := j.tensor.Data()
		if err != nil {
			return err
		}
		bar := cli.NewProgress(j.app.Streams, "writing", j.bytesWritten())
		defer bar.End()
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
