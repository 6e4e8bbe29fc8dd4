package convert

import (
	"sync"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// job is one conversion: a source, what becomes of each of its tensors, and the output.
//
//	openInput ─► decide ─► name ─► place ─► write ─► report
//	tensors      tasks     output  items    elements
//
// Once it is prepared, all is decided: only reading and writing can still fail.
type job struct {
	app     *cli.App
	options *options
	kernels *kernel.Kernels
	in      *input
	format  checkpoint.Format
	tasks   []task
	out     output
	place   *placement
	lost    []string   // warnings of what the output does not hold
	mu      sync.Mutex // guards done, while files are written side by side
	done    outcome
	ranks   map[int]*conversionFlags // the flags for tensors of these ranks
	kept    [2]*conversionFlags      // of those that keep their axes, in C and in Fortran order
}

// outcome is what only a finished job knows.
type outcome struct {
	seconds  float64
	verified int    // tensors
	text     string // what of the last one was compared
	outputs  int    // files: one, or those of a folder
	skipped  int    // of these, those that --update kept
}

// upToDate reports whether nothing had to be written.
func (d *outcome) upToDate() bool { return d.outputs > 0 && d.skipped == d.outputs }

// newJob prepares a conversion. Close it, whatever the error.
func newJob(a *cli.App, o *options) (j *job, err error) {
	j = &job{app: a, options: o, format: o.format(), ranks: map[int]*conversionFlags{}}
	if err := o.check(); err != nil {
		return j, err
	}
	if j.kernels, err = a.Kernels(); err != nil {
		return j, err
	}
	if j.in, err = o.openInput(o.Options(a)); err != nil {
		return j, err
	}
	o.inputs = a.Inputs(j.in.set.Reads()...)
	j.findFormat()
	if err := o.checkSeveral(j.in, j.format); err != nil {
		return j, err
	}
	if err := j.decide(); err != nil {
		return j, err
	}
	if j.out, err = j.newOutput(); err != nil {
		return j, err
	}
	j.place, err = j.newPlacement()
	return j, err
}

// findFormat finds the output's format where the source decides it.
func (j *job) findFormat() {
	o := j.options
	switch {
	case o.dir != "" && !j.in.isContainer(): // a file in a folder
		o.unit, o.dir = &unitOutput{top: o.dir, below: "."}, ""
	case o.unit != nil && !j.in.one && !j.in.isArrays():
		o.out = o.placed(checkpointName(j.in.set.Path, o.to))
	case !j.in.one && o.out == "" && o.dir == "" && j.in.isArrays():
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
	return a.Write(report)
}

// check refuses flags that contradict each other, or the output, whatever the source is.
func (o *options) check() error {
	if err := checkEnding(o.out); err != nil {
		return err
	}
	if o.HasShape() {
		return o.ShapeOfFile(o.source)
	}
	f, to := o.format(), o.to.Layout
	switch {
	case o.update && o.source == source.Stdin:
		return fault.New(fault.Usage, "--update compares an output with its source, and standard input has no time of modification")
	case o.match != "" && to == nil:
		return fault.New(fault.Usage, "--match names the tensors that --to converts, and there is no --to").
			WithHint("'SRC:%s' takes the tensors of matching names only", o.match)
	case o.compact && f != checkpoint.Torch:
		return fault.New(fault.Usage, "--compact is for .pt: other containers have no storage that a tensor does not use")
	case o.align != 0 && f != checkpoint.Torch && f != checkpoint.Safetensors:
		return fault.New(fault.Usage, "--align is for .pt and .safetensors: in .npz and .npy, data begin at a multiple of 64 bytes")
	}
	return nil
}

// checkSeveral refuses what one tensor does not do, and several do not.
func (o *options) checkSeveral(in *input, f checkpoint.Format) error {
	name, one := words.Quoted(o.source), "name one of them: SRC:NAME"
	whole := !hasAxes(f) || !in.one && !in.isArrays() // a checkpoint's tensors, or those of one
	to := o.to.Layout
	switch {
	case o.source == source.Stdin && !hasAxes(f):
		return fault.New(fault.Usage, "standard input has one tensor and no name for it, which a checkpoint needs").WithHint("name a file")
	case in.one && hasAxes(f) && o.match+o.exclude != "":
		return fault.New(fault.Usage, "--match and --exclude are for several tensors, and %s is one", name)
	case hasAxes(f) && (in.one || in.isArrays()) && !o.movesOnly(in):
		if err := o.checkTarget("tlayout convert x.npy --to nhwc, or x.nhwc.npy as its output"); err != nil {
			return err
		}
	}
	switch {
	case in.one && hasAxes(f):
		return nil
	case !in.one && o.out == "" && o.dir == "" && !in.isArrays():
		return fault.New(fault.Usage, "missing --output: %s has several tensors", name).
			WithHint("-o model.safetensors, .pt or .npz; -d FOLDER for a .npy file each")
	case !in.one && o.out == source.Stdin:
		return fault.New(fault.Usage, "%s has several tensors, and standard output takes one", name).
			WithHint("name an .npz with --output, or one of the tensors: SRC:NAME")
	case !in.one && o.out != "" && (f == npyFile || f == rawFile):
		return fault.New(fault.Usage, "%s has several tensors, and %s holds one", name, words.Quoted(o.out)).
			WithHint("end its name in .pt, .safetensors or .npz, or name one of the tensors: SRC:NAME")
	case to != nil && to.Exact != nil:
		return fault.New(fault.Usage, "exact strides are those of one tensor, and %s has several", name).WithHint("%s", one)
	case (len(o.pitch) > 0 || o.Channels != 0) && whole:
		return fault.New(fault.Usage, "--to-pitch and --channels are for one tensor, and %s has several", name).WithHint("%s", one)
	case o.Raw:
		return fault.New(fault.Usage, "--raw is for outputs of one tensor").WithHint("convert to .npy first: -o x.npy")
	case (o.Layout.Layout != nil || len(o.Dims) > 0) && to == nil && whole:
		return fault.New(fault.Usage, "--from and --dims say what the axes are that --to puts in another order, and there is no --to")
	}
	return nil
}
