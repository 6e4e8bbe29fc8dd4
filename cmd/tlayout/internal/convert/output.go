package convert

import (
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// outputName is --out, or <stem>.<layout>.npy beside the input. Names that would overwrite the input, or be read as
// something else, are refused.
func (j *job) outputName() (string, error) {
	o, t := j.options, j.tensor
	out, err := j.namedOutput()
	if err != nil || out == source.Stdin {
		return out, err
	}
	descriptor := source.DescriptorPath(out)
	resolved := strings.TrimSuffix(descriptor, source.DescriptorSuffix)
	refuse := func(why, hint string) (string, error) {
		return "", fault.New(fault.Usage, "output %s %s", words.Quoted(out), why).WithHint("%s", hint)
	}
	switch {
	case strings.HasSuffix(out, source.DescriptorSuffix) || strings.HasSuffix(resolved, source.DescriptorSuffix):
		return refuse("has the name of a descriptor", "end it in .npy")
	case t.Descriptor != "" && (cli.SamePath(descriptor, t.Descriptor) || cli.SamePath(out, t.Descriptor)):
		return refuse("would replace the input's descriptor", "write to another name")
	case t.SameFile(out) || o.source == source.Stdin && cli.SameAsInput(j.app.Streams.In, out):
		return refuse("is the input itself", "write to another name and rename it afterwards")
	case strings.EqualFold(filepath.Ext(out), ".npz"):
		return refuse("has the name of an archive", "end it in .npy")
	}
	return out, nil
}

// namedOutput is the output as the user names it, or its default name.
func (j *job) namedOutput() (string, error) {
	o := j.options
	switch {
	case o.out == source.Stdin && o.verify:
		return "", fault.New(fault.Usage, "--verify needs an output that can be read again").WithHint("name a file with --out")
	case o.out != "":
		return o.out, nil
	case o.source == source.Stdin:
		return "", fault.New(fault.Usage, "missing --out: standard input has no name to derive the output's from").
			WithHint("--out names the output; - is standard output")
	}
	stem, err := outputStem(o.source, j.tensor.Member)
	return stem + "." + j.target.Name + ".npy", err
}

// outputStem is what a default output name begins with: the source's without its ending. For x.npz:w it is x.w.
func outputStem(name string, m *source.Member) (string, error) {
	if m == nil {
		return strings.TrimSuffix(strings.TrimSuffix(name, source.DescriptorSuffix), ".npy"), nil
	}
	array := strings.TrimSuffix(m.Name, ".npy")
	if array == "" || len(array) > 100 || strings.ContainsAny(array, `/\:*?"<>|`) || words.Quote(array) != array {
		return "", fault.New(fault.Usage, "the array's name %s cannot be part of a file's name", words.Quoted(array)).
			WithHint("--out names the output")
	}
	archive := m.Archive
	if strings.EqualFold(filepath.Ext(archive), ".npz") {
		archive = archive[:len(archive)-len(".npz")]
	}
	return archive + "." + array, nil
}

// write makes the output, and its descriptor if the file alone does not determine the layout. It returns how many
// seconds the conversion took, 0 for a dry run.
func (j *job) write() (seconds float64, err error) {
	header, err := npy.AppendHeader(nil, j.tensor.Header.DType, j.target.Fortran, j.target.FileShape)
	if err != nil {
		return 0, err
	}
	if j.out == source.Stdin {
		return j.writeStream(header)
	}
	o := j.options
	size := int64(len(header)) + j.bytesWritten()
	file, err := publish.Create(j.out, publish.Options{Replace: o.force, Durable: o.durable, Size: size})
	if err != nil {
		return 0, err
	}
	defer file.Discard()
	describe, err := j.newDescriptorDraft()
	if err != nil || o.dryRun {
		return 0, err
	}
	if seconds, err = j.fill(func(data []byte, o convert.Options) error {
		if _, err := file.Write(header); err != nil {
			return err
		}
		return j.plan.WriteAt(file, int64(len(header)), data, j.pad, j.options.memory.N, o)
	}); err != nil {
		return seconds, err
	}
	if err := describe.publish(j.fingerprinted(file, int64(len(header)))); err != nil {
		return seconds, err
	}
	err = file.Commit()
	if !file.Published() {
		return seconds, joinErrors(err, describe.undo())
	}
	return seconds, joinErrors(err, describe.settle())
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
