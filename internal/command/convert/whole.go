package convert

import (
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// whole converts a whole checkpoint into another container, or into a folder. All is decided before a byte is written; tensors are
// then written one after the other, through windows of a bounded size.
type whole struct {
	app          *cli.App
	options      *options
	kernels      *kernel.Kernels
	model        *model
	format       checkpoint.Format // of the output
	out          string
	pieces       []piece
	size         int64 // bytes of the output
	storageBytes int64 // of all storages of a .pt
	align        int64 // that its tensors really have; 0 if nothing is said of it
	done         wholeOutcome
	mu           sync.Mutex // guards done, while files are written side by side, and blocks
	blocks       [][]byte   // free memory of the threads
	lost         []string   // warnings of sharing that the output has not
}

// wholeOutcome is what only a finished run knows.
type wholeOutcome struct {
	written  int64 // bytes of tensors and storages
	seconds  float64
	verified int // tensors
	outputs  int // the file, or those of a folder
	kept     int // of these, that --update kept
}

// sink is an output: where its tensors belong is known, and no byte is written.
type sink interface {
	// write writes everything, compares it if that is asked for, and publishes it.
	write() error
}

func (w *whole) run() error {
	defer w.close()
	if err := w.convert(); err != nil {
		return err
	}
	return w.app.Write(w.report())
}

func (w *whole) close() {
	if w.model != nil {
		w.model.close()
	}
}

// convert does all but to report.
func (w *whole) convert() error {
	if err := w.checkFlags(); err != nil {
		return err
	}
	var err error
	if w.model, err = openModel(w.options.source, w.options.exclude, w.options.Options(w.app), w.options.to.Layout != nil); err != nil {
		return err
	}
	if err := w.targets(); err != nil {
		return err
	}
	if err := w.checkMatches(); err != nil {
		return err
	}
	s, err := w.newSink()
	if err != nil {
		return err
	}
	return s.write()
}

func (w *whole) newSink() (sink, error) {
	switch w.format {
	case checkpoint.Torch:
		return w.newTorch()
	case checkpoint.Safetensors:
		return w.newSafetensors()
	case checkpoint.NPZ:
		return w.newArchive()
	}
	return w.newFolder()
}

// checkFlags refuses what a whole conversion does not do.
func (w *whole) checkFlags() error {
	o := w.options
	w.format, w.out = o.wholeFormat(), o.out
	if len(o.Dims) > 0 && o.Layout.Layout == nil { // of a checkpoint, the axes of its tensors
		o.Layout, o.Dims = cli.Layout{Name: o.Dims.String(), Layout: &notation.Layout{Format: notation.RowMajor(o.Dims)}}, nil
	}
	if w.format == checkpoint.Folder {
		w.out = o.dir
	}
	switch to := o.to.Layout; {
	case o.dir != "" && o.out != "":
		return fault.New(fault.Usage, "--output and --dir both name the output")
	case o.out == "" && o.dir == "":
		return fault.New(fault.Usage, "missing --output: %s has several tensors", words.Quoted(o.source)).
			WithHint("-o model.safetensors, .pt or .npz; -d FOLDER for a .npy file each")
	case w.format == "":
		return fault.New(fault.Usage, "%s has several tensors, and %s holds one", words.Quoted(o.source), words.Quoted(w.out)).
			WithHint("end its name in .pt, .safetensors or .npz, or name one of the tensors: SRC:NAME")
	case o.strides.Given, to != nil && to.Exact != nil:
		return fault.New(fault.Usage, "exact strides are those of one tensor, and %s has several", words.Quoted(o.source)).WithHint("name one of them: SRC:NAME")
	case len(o.pitch) > 0, o.Channels != 0:
		return fault.New(fault.Usage, "--pitch and --channels are for one tensor, and %s has several", words.Quoted(o.source)).WithHint("name one of them: SRC:NAME")
	case o.Raw:
		return fault.New(fault.Usage, "--raw is for outputs of one tensor").WithHint("convert to .npy first: -o x.npy")
	case o.match != "" && to == nil:
		return fault.New(fault.Usage, "--match names the tensors that --to converts, and there is no --to").
			WithHint("'SRC:%s' takes the tensors of matching names only", o.match)
	case len(o.Dims) > 0:
		return fault.New(fault.Usage, "--dims and --from exclude each other").WithHint("--from names the axes of a file, in their order")
	case o.Layout.Layout != nil && to == nil:
		return fault.New(fault.Usage, "--from and --dims say what the axes are that --to puts in another order, and there is no --to")
	case o.compact && w.format != checkpoint.Torch:
		return fault.New(fault.Usage, "--compact is for .pt: other containers have no storage that a tensor does not use")
	case o.align != 0 && w.format != checkpoint.Torch && w.format != checkpoint.Safetensors:
		return fault.New(fault.Usage, "--align is for .pt and .safetensors: in .npz and .npy, data begin at a multiple of 64 bytes")
	}
	return nil
}

// checkMatches refuses a layout that is for no tensor.
func (w *whole) checkMatches() error {
	if w.options.to.Layout == nil {
		return nil
	}
	for _, p := range w.pieces {
		if p.converted {
			return nil
		}
	}
	what := "no tensor of the rank of " + words.Quote(w.options.to.Name)
	if w.options.match != "" {
		what += " that matches " + words.Quoted(w.options.match)
	}
	return fault.New(fault.Usage, "%s has %s", words.Quoted(w.options.source), what).
		WithHint("tlayout inspect %s lists its tensors", words.Shell(words.Quote(w.model.path)))
}

// memberName is a tensor's name as that of a .npy file in an archive, without ".npy": an archive's keys may end so.
func (w *whole) memberName(p *piece) string {
	if w.model.checkpoint == nil {
		return strings.TrimSuffix(p.tensor.Name, ".npy")
	}
	return p.tensor.Name
}

// fileName is a tensor's name as that of a file below a folder: a/b is b.npy in a.
func (p *piece) fileName() (string, error) {
	name := p.tensor.Name
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || len(part) > 250 || strings.ContainsAny(part, `\:*?"<>|`) || strings.HasPrefix(part, ".") || words.Quote(part) != part {
			return "", fault.New(fault.Unsupported, "the name %s cannot be that of a file", words.Quoted(words.Cut(name, 200))).
				WithHint("write .npz, which holds any name, or %s", leaveOut(name))
		}
	}
	return name + ".npy", nil
}

// take reads a tensor that is opened for that.
func (w *whole) take(i int, f func(t *source.Tensor) error) error {
	t, err := w.model.open(i)
	if err != nil {
		return err
	}
	defer t.Close()
	return t.Guard(func() error { return f(t) })
}
