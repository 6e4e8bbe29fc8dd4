package convertcmd

import (
	"sync"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/name"
)

// job is one conversion: a source, a task per tensor, and the output.
//
//	openInput ─► decide ─► name ─► place ─► write ─► report
//	tensors      tasks     output  items    elements
//
// Once it is prepared, only reading and writing can fail.
type job struct {
	app     *cli.App
	options *options
	kernels *kernel.Kernels
	in      *input
	format  checkpoint.Format
	tasks   []task
	out     output
	place   *placement
	lost    []string   // warnings about what the output cannot hold
	mu      sync.Mutex // guards done while files are written in parallel
	done    outcome
	ranks   map[int]*conversionFlags // flags for tensors, by rank
	kept    [2]*conversionFlags      // flags for tensors that keep their axes, in C and in Fortran order
}

// outcome is the result of a finished job.
type outcome struct {
	seconds  float64
	verified int    // number of tensors
	text     string // what was compared of the last tensor
	outputs  int    // number of files
	skipped  int    // of these, number that --update kept
}

// upToDate reports whether --update kept all outputs.
func (d *outcome) upToDate() bool { return d.outputs > 0 && d.skipped == d.outputs }

// newJob prepares a conversion. Close the job even after an error.
func newJob(a *cli.App, o *options) (j *job, err error) {
	j = &job{app: a, options: o, format: o.format(), ranks: map[int]*conversionFlags{}}
	if err := o.check(); err != nil {
		return j, err
	}
	j.kernels, err = a.Kernels()
	if err != nil {
		return j, err
	}
	j.in, err = o.openInput(o.Options(a))
	if err != nil {
		return j, err
	}
	o.inputs = a.Inputs(j.in.set.Reads()...)
	j.findFormat()
	if err := o.checkSeveral(j.in, j.format); err != nil {
		return j, err
	}
	if err := j.takeLike(a); err != nil {
		return j, err
	}
	if err := j.decide(); err != nil {
		return j, err
	}
	j.out, err = j.newOutput()
	if err != nil {
		return j, err
	}
	j.place, err = j.newPlacement()
	return j, err
}

// findFormat sets the output's format if it depends on the source.
func (j *job) findFormat() {
	o := j.options
	switch {
	case !o.dir.IsZero() && !j.in.isContainer(): // a file in a folder
		o.unit = &unitOutput{top: o.dir, below: "."}
		o.dir = name.Name{}
	case o.unit != nil && !j.in.one && !j.in.isArrays():
		o.out = o.placed(checkpointName(j.in.set.Path, o.to))
	case !j.in.one && o.out.IsZero() && o.dir.IsZero() && j.in.isArrays():
		j.format = checkpoint.NPZ
		return
	}
	j.format = o.format()
}

func (j *job) close() {
	if j.in == nil {
		return
	}
	for i := range j.tasks {
		if !j.reopens() {
			j.tasks[i].tensor.Close()
		}
	}
	j.in.set.Close()
}

func run(a *cli.App, o *options) error {
	j, err := newJob(a, o)
	defer j.close()
	if err == nil {
		err = j.write()
	}
	if err != nil {
		return err
	}
	report := newReport(j)
	if j.out.isStdout() && !o.dryRun { // standard output carries the data
		a.Reports(true).WriteWarnings(report)
		return nil
	}
	if err := a.Write(report); err != nil || !o.update || !o.dryRun || report.Skipped {
		return err
	}
	return notDone()
}

// check refuses flags that conflict with each other or with the output, for any source.
func (o *options) check() error {
	if err := checkEnding(o.out); err != nil {
		return err
	}
	if o.HasShape() {
		return o.ShapeOfFile(o.source)
	}
	f := o.format()
	to := o.to.Layout
	switch {
	case o.update && o.source.IsStdin():
		return fault.New(fault.Usage, "--update compares modification times, and standard input has none")
	case len(o.match.Patterns) > 0 && to == nil:
		return fault.New(fault.Usage, "--match needs --to, whose tensors it selects").
			WithHint("'SRC:%s' selects tensors without converting them", o.match.Patterns[0])
	case o.compact && f != checkpoint.Torch:
		return fault.New(fault.Usage, "--compact applies to .pt only: other containers have no unused storage")
	case o.align != 0 && f != checkpoint.Torch && f != checkpoint.Safetensors:
		return fault.New(fault.Usage, "--align applies to .pt and .safetensors only: data in .npz and .npy is aligned to 64 bytes")
	}
	return nil
}

// checkSeveral refuses flags and outputs that work for one tensor but not for several, or the reverse.
func (o *options) checkSeveral(in *input, f checkpoint.Format) error {
	shown := o.source.String()
	one := "select one tensor: SRC:NAME"
	whole := !hasAxes(f) || !in.one && !in.isArrays() // tensors from or to a checkpoint
	to := o.to.Layout
	switch {
	case o.source.IsStdin() && !hasAxes(f):
		return fault.New(fault.Usage, "a checkpoint entry needs a name, and standard input has none").WithHint("use -o x.npy, or a file as the source")
	case in.one && hasAxes(f) && o.selects():
		return fault.New(fault.Usage, "--match and --exclude apply to several tensors, and %s has one", shown)
	case hasAxes(f) && (in.one || in.isArrays()) && !o.movesOnly(in):
		if err := o.checkTarget("tlayout convert x.npy --to nhwc, or -o x.nhwc.npy"); err != nil {
			return err
		}
	}
	switch {
	case in.one && hasAxes(f):
		return nil
	case !in.one && o.out.IsZero() && o.dir.IsZero() && !in.isArrays():
		return fault.New(fault.Usage, "missing --output: %s has several tensors", shown).
			WithHint("-o model.safetensors, .pt or .npz; -d FOLDER for one .npy file per tensor")
	case !in.one && o.out.IsStdin():
		return fault.New(fault.Usage, "%s has several tensors, but standard output takes one", shown).
			WithHint("use -o x.npz, or select one tensor: SRC:NAME")
	case !in.one && !o.out.IsZero() && (f == npyFile || f == rawFile):
		return fault.New(fault.Usage, "%s has several tensors, but %s holds one", shown, o.out).
			WithHint("use .pt, .safetensors or .npz, or select one tensor: SRC:NAME")
	case to != nil && (to.Exact != nil || to.Sized != nil):
		return fault.New(fault.Usage, "exact strides apply to one tensor, and %s has several", shown).WithHint("%s", one)
	case (len(o.pitch) > 0 || o.Channels != 0) && whole:
		return fault.New(fault.Usage, "--to-pitch and --channels apply to one tensor, and %s has several", shown).WithHint("%s", one)
	case o.Raw && o.Planes == "":
		return fault.New(fault.Usage, "--raw needs an output of one tensor").WithHint("convert to .npy first: -o x.npy")
	case (o.Layout.Layout != nil || len(o.Dims) > 0) && to == nil && whole:
		return fault.New(fault.Usage, "--from and --dims need --to here")
	}
	return nil
}
