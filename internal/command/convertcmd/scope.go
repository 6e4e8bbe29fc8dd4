package convertcmd

import (
	"github.com/tlayout/tlayout/internal/fault"
)

// scope is what is converted into what. It is decided once, when the source is open.
type scope int

const (
	arrayToArray     scope = iota // one tensor into a file of one array, whose axes flags may name
	arraysToArchive               // arrays of an archive into another one
	tensorToTensors               // one tensor into a container of a tensor's dims
	tensorsToTensors              // several tensors, from or to a checkpoint
)

// scopeOf returns the scope of an input and an output format.
func scopeOf(in *input, out *container) scope {
	if in.single && out.axes {
		return arrayToArray
	}
	if in.single {
		return tensorToTensors
	}
	if out.axes && in.isArrays() {
		return arraysToArchive
	}
	return tensorsToTensors
}

// checkScope refuses flags and outputs that do not apply to what is converted.
func (j *job) checkScope() error {
	s := j.settings
	if s.source.IsStdin() && !j.container.axes {
		return fault.New(fault.Usage, "a checkpoint entry needs a name, and standard input has none").WithHint("use -o x.npy, or a file as the source")
	}
	switch j.scope {
	case arrayToArray:
		return j.checkArray()
	case arraysToArchive:
		return j.checkArrays()
	case tensorsToTensors:
		if j.destination.isDerived() {
			return fault.New(fault.Usage, "missing --output: %s has several tensors", s.source).
				WithHint("-o model.safetensors, .pt or .npz; -d FOLDER for one .npy file per tensor")
		}
		if err := j.checkHoldsSeveral(); err != nil {
			return err
		}
	}
	return s.checkTensors()
}

// checkArray checks the flags of one tensor that becomes one array.
func (j *job) checkArray() error {
	if j.options.selects() {
		return fault.New(fault.Usage, "--match and --exclude apply to several tensors, and %s has one", j.settings.source)
	}
	return j.checkArrayTarget()
}

// checkArrays checks the flags of arrays that become an archive.
func (j *job) checkArrays() error {
	if err := j.checkArrayTarget(); err != nil {
		return err
	}
	if err := j.checkHoldsSeveral(); err != nil {
		return err
	}
	if err := j.settings.checkNotExact(); err != nil {
		return err
	}
	return j.settings.checkNotRaw()
}

// checkTensors checks the flags of tensors that come from or become a checkpoint.
func (s *settings) checkTensors() error {
	if err := s.checkNotExact(); err != nil {
		return err
	}
	if len(s.pitch) > 0 || s.Channels != 0 {
		return fault.New(fault.Usage, "--to-pitch and --channels apply to one tensor, and %s has several", s.source).WithHint(selectTensor)
	}
	if err := s.checkNotRaw(); err != nil {
		return err
	}
	if ordered := s.Layout.Layout != nil || len(s.Dims) > 0; ordered && s.to.Layout == nil {
		return fault.New(fault.Usage, "--from and --dims need --to here")
	}
	return nil
}

// selectTensor is the hint for a flag of one tensor.
const selectTensor = "select one tensor: SRC:NAME"

// checkArrayTarget requires a target, unless arrays only change their container.
func (j *job) checkArrayTarget() error {
	if j.movesOnly() {
		return nil
	}
	return j.settings.checkTarget("tlayout convert x.npy --to nhwc, or -o x.nhwc.npy")
}

// movesOnly reports whether a tensor only changes its container, without a target, and so keeps its layout.
func (j *job) movesOnly() bool {
	s := j.settings
	if s.to.Layout != nil || len(s.pitch) > 0 || j.destination.out.IsZero() {
		return false
	}
	rawChanges := s.Raw == j.container.shapes
	return rawChanges || j.in.isContainer() || j.container.records
}

// checkHoldsSeveral refuses an output that holds one tensor.
func (j *job) checkHoldsSeveral() error {
	out := j.destination.out
	if out.IsStdin() {
		return fault.New(fault.Usage, "%s has several tensors, but standard output takes one", j.settings.source).
			WithHint("use -o x.npz, or select one tensor: SRC:NAME")
	}
	if !out.IsZero() && !j.container.several {
		return fault.New(fault.Usage, "%s has several tensors, but %s holds one", j.settings.source, out).
			WithHint("use .pt, .safetensors or .npz, or select one tensor: SRC:NAME")
	}
	return nil
}

// checkNotExact refuses exact strides for several tensors.
func (s *settings) checkNotExact() error {
	if to := s.to.Layout; to != nil && (to.Exact != nil || to.Sized != nil) {
		return fault.New(fault.Usage, "exact strides apply to one tensor, and %s has several", s.source).WithHint(selectTensor)
	}
	return nil
}

// checkNotRaw refuses raw bytes, which are one tensor, unless they are planes.
func (s *settings) checkNotRaw() error {
	if s.Raw && s.Planes == "" {
		return fault.New(fault.Usage, "--raw needs an output of one tensor").WithHint("convert to .npy first: -o x.npy")
	}
	return nil
}
