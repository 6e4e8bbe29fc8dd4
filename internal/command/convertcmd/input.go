package convertcmd

import (
	"cmp"
	"errors"
	"io"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/filename"
	"github.com/tlayout/tlayout/internal/file/safetensors"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// input is the set of tensors that a job converts: the only one of a source, or those that match a pattern and not --exclude.
type input struct {
	set      *source.Set
	name     name.Name // of the source, as typed
	pattern  string    // pattern of tensor names, after the colon
	origin   origin
	single   bool                 // the source names one tensor
	numbers  []int                // indices of the tensors in the set
	leftOut  int                  // number of tensors not selected
	others   []checkpoint.LeftOut // selected arrays that are not tensors
	warnings []string
	metadata []checkpoint.Entry // __metadata__ of a safetensors file
	texts    int                // number of GGUF keys, which no other format holds
	opts     source.Options
}

// openInput opens the source. The only tensor of a container counts as a single tensor, unless the output holds several.
func (s *settings) openInput(opts source.Options) (in *input, err error) {
	in = &input{name: s.source, opts: opts}
	in.set, in.pattern, err = source.Open(s.source, opts)
	if err != nil {
		return nil, err
	}
	in.origin = originOf(in.set.Format)
	if err := in.take(s.options.exclude.Patterns); err != nil {
		in.set.Close()
		return nil, err
	}
	in.single = in.isSingle(s)
	if in.isContainer() && scopeOf(in, s.container()) != arrayToArray {
		in.orderByDims()
	}
	return in, nil
}

// isSingle reports whether the source names one tensor: by its name, or as the only one there, unless the output is a container for it.
func (in *input) isSingle(s *settings) bool {
	if in.pattern != "" {
		return len(in.numbers) == 1 && in.set.Name(in.numbers[0]) == in.name
	}
	if excludes := len(s.options.exclude.Patterns) > 0; excludes || !in.set.IsSingle() {
		return false
	}
	keepsContainer := s.place != nil || s.container().records
	return in.isArrays() || !keepsContainer
}

// orderByDims makes --dims the order of all tensors of their rank.
func (in *input) orderByDims() {
	if dims := in.opts.Dims; len(dims) > 0 && in.opts.Layout == nil {
		in.opts.Dims = nil
		in.opts.Layout = &notation.Layout{Format: notation.RowMajor(dims)}
	}
}

// isContainer reports whether the source is a container with named tensors.
func (in *input) isContainer() bool { return in.set.IsContainer() }

// isArrays reports whether the source has arrays, whose axis order is open, instead of a checkpoint's tensors.
func (in *input) isArrays() bool { return in.origin == arrayFile || in.origin == arrayArchive }

// origin is what holds the tensors of an input.
type origin int

const (
	arrayFile    origin = iota // one array without a name: .npy or raw bytes
	arrayArchive               // .npz: arrays that are opened again for their data, so that they need not stay unpacked in memory
	imagePlanes                // parts of an image's storage
	pickles                    // PyTorch, and its exported programs: storages, and views of them
	tensorFiles                // .safetensors, with texts
	ggufFile
	modelFile // ONNX: tensors of a graph
	otherTensors
)

var origins = map[checkpoint.Format]origin{
	checkpoint.NPY: arrayFile, checkpoint.Raw: arrayFile, checkpoint.NIfTI: arrayFile, checkpoint.NRRD: arrayFile, checkpoint.IDX: arrayFile,
	checkpoint.Typed: arrayFile, checkpoint.NPZ: arrayArchive, checkpoint.Planes: imagePlanes,
	checkpoint.Torch: pickles, checkpoint.TorchLegacy: pickles, checkpoint.TorchScript: pickles, checkpoint.Pickle: pickles, checkpoint.PT2: pickles,
	checkpoint.Safetensors: tensorFiles, checkpoint.GGUF: ggufFile, checkpoint.ONNX: modelFile, checkpoint.TFLite: modelFile,
}

func originOf(f checkpoint.Format) origin {
	if o, ok := origins[f]; ok {
		return o
	}
	return otherTensors
}

// isCheckpoint reports whether the source has several tensors of a checkpoint.
func (in *input) isCheckpoint() bool { return !in.single && !in.isArrays() }

// nameOf returns the name of tensor i.
func (in *input) nameOf(i int) string {
	if !in.isContainer() {
		return stemName(in.name)
	}
	return in.set.TensorName(in.numbers[i])
}

// take selects the tensors that match the pattern but not exclude. A selected tensor that cannot be read is an error.
func (in *input) take(exclude source.Patterns) error {
	if err := in.checkIndex(); err != nil {
		return err
	}
	picked, err := in.set.Pick(in.pattern)
	if err != nil {
		return err
	}
	kept, err := without(exclude, in.set, picked)
	if err != nil {
		return err
	}
	for _, i := range kept {
		if n := i - len(in.set.Tensors); n >= 0 {
			r := in.set.Refused[n]
			return fault.New(fault.Unsupported, "tensor %s cannot be converted: %s", text.Quoted(text.Cut(r.Name, 200)), r.Why).WithHint("%s", leaveOut(r.Name))
		}
	}
	in.numbers = kept
	in.leftOut = len(in.set.Tensors) + len(in.set.Refused) - len(in.numbers)
	for _, l := range in.set.LeftOut {
		named, _ := source.Matches(in.pattern, l.Name)
		if named && !exclude.Match(l.Name) {
			in.others = append(in.others, l)
		}
	}
	switch in.origin {
	case tensorFiles:
		in.joinMetadata(in.set.Metadata)
	case ggufFile:
		in.texts = len(in.set.Metadata)
	}
	return nil
}

// without returns the picked tensors of a set that no pattern excludes. A pattern that excludes nothing is an error, and so is a list of
// patterns that excludes everything.
func without(exclude source.Patterns, set *source.Set, picked []int) (kept []int, err error) {
	names := make([]string, 0, len(picked)+len(set.LeftOut))
	for _, i := range picked {
		name := set.TensorName(i)
		if !exclude.Match(name) {
			kept = append(kept, i)
		}
		names = append(names, name)
	}
	for _, l := range set.LeftOut {
		names = append(names, l.Name)
	}
	if idle := exclude.Idle(names); idle != "" {
		return nil, fault.New(fault.Usage, "nothing matches --exclude %s", text.Quoted(idle))
	}
	if len(kept) == 0 {
		return nil, fault.New(fault.Usage, "--exclude removes every tensor")
	}
	return kept, nil
}

// joinMetadata merges the metadata of all files of an index. If files disagree, the first wins.
func (in *input) joinMetadata(all []checkpoint.Entry) {
	first := map[string]string{}
	for _, e := range all {
		value, again := first[e.Key]
		if !again {
			first[e.Key] = e.Value
			in.metadata = append(in.metadata, e)
		} else if value != e.Value {
			in.warnings = append(in.warnings, "files of the index disagree on __metadata__ "+text.Quoted(text.Cut(e.Key, 60))+"; the first value is kept")
		}
	}
}

// checkIndex refuses an index with missing tensors; other inconsistencies are warnings.
func (in *input) checkIndex() error {
	if err := in.set.CompareReplicas(); err != nil {
		return err
	}
	for _, f := range in.set.Findings {
		switch f.Kind {
		case safetensors.Replicas:
			return fault.New(fault.Malformed, "%s: %s", in.set.Path, f).WithHint("convert the file of one rank")
		case safetensors.MissingShard, safetensors.MissingTensor, safetensors.Doubled:
			return fault.New(fault.Malformed, "%s: %s", in.set.Path, f).WithHint("tlayout inspect lists what the files contain")
		}
		in.warnings = append(in.warnings, f.String())
	}
	return nil
}

// open opens tensor i, with --from if selected. fits is false if --from has another rank, and the tensor was opened without it.
func (in *input) open(i int, selected bool) (t *source.Tensor, fits bool, err error) {
	from := in.opts.Layout
	if !selected && !in.single {
		from = nil
	}
	t, err = in.openAs(i, from)
	if err == nil || in.single {
		return t, true, err
	}
	if from == nil || !from.HasFormat() {
		return t, true, err
	}
	plain, bad := in.openAs(i, nil)
	if bad != nil {
		return nil, false, err
	}
	if plain.Layout.Rank() == len(from.Format.Axes()) {
		plain.Close()
		return nil, false, err
	}
	return plain, false, nil
}

// openAgain reopens the tensor of a task for its data, without reporting it.
func (in *input) openAgain(k *task) (*source.Tensor, error) {
	i := k.i
	opts := in.opts
	opts.Opened = nil
	if !in.single {
		opts.Layout = nil
		opts.Channels = 0
	}
	if d := k.tensor.DType; d.Packed() {
		opts.DType = &d
	}
	return in.set.Tensor(in.numbers[i], opts)
}

func (in *input) openAs(i int, from *notation.Layout) (t *source.Tensor, err error) {
	opts := in.opts
	opts.Layout = from
	if from == nil && !in.single {
		opts.Channels = 0
	}
	packed := from != nil && opts.DType != nil && opts.DType.Packed()
	if !in.single && !in.isArrays() && !packed {
		opts.DType = nil
	}
	if strided := !in.single && in.origin == pickles; strided && from != nil {
		if _, named := source.PackedType(from); !named && !packed {
			opts.Layout = nil
			opts.Dims = storedDims(from)
		}
	}
	t, err = in.set.Tensor(in.numbers[i], opts)
	var e *fault.Error
	if errors.As(err, &e) && e.Class == fault.Unsupported && !in.single {
		err = e.WithHint("%s", leaveOut(in.nameOf(i)))
	}
	return t, err
}

// storedDims returns the dims of a plain order, outermost first: they name the axes of a tensor with recorded strides.
func storedDims(from *notation.Layout) []string {
	names := from.Format.Names()
	dims := []string(nil)
	for _, a := range from.Format.Axes() {
		dims = append(dims, names[a.Dim])
	}
	return dims
}

// views returns the tensors as views of the source's storages; nil for arrays.
func (in *input) views() (all []checkpoint.Tensor) {
	if in.isArrays() {
		return nil
	}
	for _, i := range in.numbers {
		all = append(all, in.set.Tensors[i])
	}
	return all
}

// storage returns a reader of the bytes of a storage.
func (in *input) storage(i int) io.ReaderAt {
	read := func(p []byte, from int) error { return in.set.ReadStorage(p, i, int64(from)) }
	return io.NewSectionReader(readerAt(read), 0, in.set.Storages[i].Bytes)
}

// stemName names a tensor after its file, without the extension and the layout before it, which is not that of every output.
func stemName(file name.Name) string { return cmp.Or(filename.Plain(file.Base()), file.Stem()) }

// leaveOut is the hint for a tensor that cannot be converted: --exclude with a pattern that matches only its name.
func leaveOut(name string) string {
	if name == "" || !text.Typable(name) {
		return "--exclude PATTERN skips tensors"
	}
	return "--exclude " + text.Shell(globs.Replace(name)) + " skips it"
}

// globs escapes the metacharacters of patterns.
var globs = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
