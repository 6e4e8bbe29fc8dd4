package convertcmd

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/filename"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/publish"
)

// settings are the options for one source: what they, the arguments and the batch determine together. The options stay as parsed.
type settings struct {
	options *options
	request
	destination
	second  bool // the output was given as second argument
	threads int  // 0 for all cores
	memory  int64
}

// settingsFor returns the settings for a source whose output only flags name.
func (o *options) settingsFor(source name.Name) *settings {
	return &settings{
		options: o, request: request{conversionFlags: o.conversionFlags, source: source},
		destination: destination{out: o.out, dir: o.dir}, threads: o.threads, memory: o.memory.N,
	}
}

// settingsOf returns the settings for arguments, SRC and perhaps OUT. Without --to, an output named x.nhwc.npy sets NHWC.
func (o *options) settingsOf(cmd *cobra.Command, args []name.Name) (*settings, error) {
	s := o.settingsFor(args[0])
	if len(args) > 1 {
		if err := cli.TakeOutput(cmd, &s.out, args[1]); err != nil {
			return nil, err
		}
		s.second = true
	}
	if s.to.Layout != nil {
		return s, nil
	}
	file := s.out
	if c, _ := containerOf(file); !c.shapes {
		file = file.WithEnding(".npy")
	}
	if layout, ok := filename.Layout(file.Base()); ok {
		s.named = s.out
		return s, s.to.Set(layout)
	}
	if s.second && args[1].Ending() == "" {
		if layout := (cli.Layout{}); layout.Set(args[1].Typed()) == nil {
			return nil, missingTarget("did you mean --to " + args[1].Typed() + "?")
		}
	}
	return s, nil
}

// destination is where a result goes.
type destination struct {
	out   name.Name    // the output, as named; none if its name derives from the source's
	dir   name.Name    // a folder that gets a .npy file for each tensor
	place *batchFolder // a folder that gets a file of a derived name; nil: beside the source
}

// batchFolder is the folder of one result of a batch.
type batchFolder struct {
	top   name.Name // the folder of all results
	below string    // the path below it to this result's folder, with slashes
}

func (f *batchFolder) path() name.Name { return f.top.Join(f.below) }

// ready makes the folder. With dryRun, it reports whether the folder exists.
func (f *batchFolder) ready(dryRun bool) (ok bool, err error) {
	if f.top.IsRemote() {
		return true, nil
	}
	if dryRun {
		return f.path().IsFolder(), nil
	}
	return true, publish.MakeFolder(f.top, filepath.FromSlash(f.below))
}

// placed returns the path of an output with a derived name.
func (d destination) placed(n name.Name) name.Name {
	if d.place == nil {
		return n
	}
	return d.place.path().Join(n.Base())
}

// isDerived reports whether the result's name derives from the source's.
func (d destination) isDerived() bool { return d.out.IsZero() && d.dir.IsZero() }

// container returns the output's format, from its name; npyFile if it has none.
func (d destination) container() *container {
	if d.out.IsZero() && !d.dir.IsZero() {
		return npyFolder
	}
	c, _ := containerOf(d.out)
	return c
}

// destinationOf returns the destination for an input, and its format: a folder holds the tensors of a container, but the only file of other sources; the
// result of a batch's checkpoint is named after it.
func (s *settings) destinationOf(in *input) (destination, *container) {
	d := s.destination
	if !d.dir.IsZero() && !in.isContainer() {
		d = destination{place: &batchFolder{top: d.dir, below: "."}}
	} else if d.place != nil && in.isCheckpoint() {
		d.out = d.placed(checkpointName(in.set.Path, s.to))
	}
	if d.isDerived() && !in.single && in.isArrays() {
		return d, npzFile
	}
	return d, d.container()
}

// checkpointName names a checkpoint's result: same container, x.nhwc.pt, or safetensors for one that is not written.
func checkpointName(file name.Name, to cli.Layout) name.Name {
	if _, isWritten := containerOf(file); !isWritten && !file.IsIndex() {
		file = file.WithEnding(".safetensors")
	}
	if to.Layout == nil {
		return file
	}
	return file.BeforeEnding("." + strings.Trim(fileLetters.Get().ReplaceAllString(strings.ToLower(to.Name), "-"), "-"))
}

// fileLetters matches what file names should not contain.
var fileLetters = lazy.Regexp(`[^a-z0-9_]+`)

// check refuses flags that conflict with each other or with the output, for any source.
func (s *settings) check() error {
	o := s.options
	if err := checkEnding(s.out); err != nil {
		return err
	}
	if s.HasShape() {
		return s.ShapeOfFile(s.source)
	}
	f := s.container()
	if o.update && s.source.IsStdin() {
		return fault.New(fault.Usage, "--update compares modification times, and standard input has none")
	}
	if len(o.match.Patterns) > 0 && s.to.Layout == nil {
		return fault.New(fault.Usage, "--match needs --to, whose tensors it selects").
			WithHint("'SRC:%s' selects tensors without converting them", o.match.Patterns[0])
	}
	if o.compact && !f.views {
		return fault.New(fault.Usage, "--compact applies to .pt only: other containers have no unused storage")
	}
	if o.align != 0 && !f.aligns {
		return fault.New(fault.Usage, "--align applies to .pt and .safetensors only: data in .npz and .npy is aligned to 64 bytes")
	}
	return nil
}

// options are the flags of convert, as parsed: nothing writes them afterwards.
type options struct {
	conversionFlags
	padValue string
	out      name.Name
	memory   cli.Bytes
	threads  int
	force    bool
	update   bool
	durable  bool
	verify   bool
	dryRun   bool
	dir      name.Name    // folder that gets one .npy file per tensor
	match    cli.Patterns // of the tensors of a checkpoint that --to converts; none: all
	exclude  cli.Patterns // of tensors to leave out
	recipe   name.Name    // file that describes a checkpoint to be made of the source
	compact  bool
	align    int // bytes; 0 for the default
	many     manyFlags
}

// defaultMemory limits the memory for tiles of the result, in bytes.
const defaultMemory = 64 << 20

// selects reports whether a flag selects tensors by their names.
func (o *options) selects() bool { return len(o.match.Patterns)+len(o.exclude.Patterns) > 0 }

// replaces reports whether a flag allows existing results.
func (o *options) replaces() bool { return o.force || o.update }

// asksWhetherDone reports whether the exit code tells if results are missing.
func (o *options) asksWhetherDone() bool { return o.update && o.dryRun }

// manyFlags select the sources of a batch and the shard to convert.
type manyFlags struct {
	cli.Lists
	shard string
	jobs  int
}

func (f *manyFlags) add(cmd *cobra.Command) {
	f.AddLists(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.shard, "shard", "", "convert only shard `K/N` of the sources, K from 0 to N-1; auto reads K/N from the environment of an array job")
	cli.CountVar(flags, &f.jobs, "jobs", 0, "number of sources to convert at once (default: all cores; 16 for object stores)")
}

// selected returns the shard that --shard selects.
func (f *manyFlags) selected(a *cli.App) (batch.Shard, error) {
	switch f.shard {
	case "":
		return batch.Shard{}, nil
	case "auto":
		return batch.FromEnvironment(a.Streams.Env)
	}
	s, err := batch.ParseShard(f.shard)
	return s, fault.In("--shard", err)
}

// conversionFlags select the target layout, and how the source is read.
type conversionFlags struct {
	cli.Source
	to    cli.Layout
	pitch []string
}

func (f *conversionFlags) addConversion(cmd *cobra.Command) {
	f.AddReading(cmd)
	flags := cmd.Flags()
	flags.Var(&f.to, "to", "memory order of the result, outermost axis first, or exact strides: '(2,3):(5,1)'")
	flags.StringSliceVar(&f.pitch, "to-pitch", nil, "pad the rows of the result to a multiple: W=64B in bytes, W=16 in elements")
	cli.Repeatable(cmd, "to-pitch")
}

// checkTarget requires a target layout. example is a valid command line.
func (f *conversionFlags) checkTarget(example string) error {
	if f.to.Layout == nil {
		return missingTarget(example + "; for the names: tlayout help layouts")
	}
	return nil
}

func missingTarget(hint string) error {
	return fault.New(fault.Usage, "missing --to LAYOUT").WithHint("%s", hint)
}
