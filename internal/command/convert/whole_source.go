package convert

import (
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/safetensors"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// model is the tensors that a whole conversion takes: those of a checkpoint, or the arrays of an archive, that a pattern names.
type model struct {
	path       string
	format     checkpoint.Format
	tensors    []checkpoint.Tensor // those that are taken, in the source's order
	storages   []checkpoint.Storage
	metadata   []checkpoint.Entry   // texts of a safetensors file
	texts      int                  // how many texts there are that only the source's format holds
	size       int64                // bytes of the source
	leftOut    int                  // tensors that are not taken
	others     []checkpoint.LeftOut // arrays that would be taken if they were tensors
	pattern    string               // of the tensors that are taken; empty for all
	exclude    string               // a pattern of tensors that are not taken; empty for none
	excluded   bool                 // it matches one
	warnings   []string
	checkpoint *source.Checkpoint // nil of an archive
	numbers    []int              // of each tensor, its number in the checkpoint
	opener     source.Opener      // of an archive
	keys       []string           // of each tensor, its name in the archive
	alone      bool               // the source is one array, whose name is its file's
}

// openModel opens a checkpoint or an archive, or the tensors of it that a name after a colon matches and --exclude does not; or one array.
// Whether there is a target decides how the axes of arrays are taken.
func openModel(name, exclude string, opts source.Options, target bool) (*model, error) {
	p, ok := source.Locate(name)
	m := &model{path: p.Path, pattern: p.Member, exclude: exclude}
	var err error
	switch {
	case name == source.Stdin:
		return nil, fault.New(fault.Usage, "standard input has one tensor and no name for it, which a checkpoint needs").WithHint("name a file")
	case !ok:
		m.path, m.alone, m.keys = name, true, []string{stemName(name)}
		err = m.takeArrays(opts, target)
	case p.Archive():
		err = m.openArchive(p.Member, opts, target)
	default:
		err = m.openCheckpoint(p.Member, opts)
	}
	if err == nil && exclude != "" && !m.excluded {
		err = unmatched(exclude)
	}
	if err == nil && len(m.tensors) == 0 && exclude != "" {
		err = fault.New(fault.Usage, "--exclude leaves no tensor")
	}
	if err == nil && len(m.tensors) == 0 {
		err = fault.New(fault.Usage, "%s holds no tensors", words.Quoted(name)).WithHint("tlayout inspect %s lists what it holds", words.Shell(words.Quote(p.Path)))
	}
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

func (m *model) openCheckpoint(pattern string, opts source.Options) error {
	k, err := source.OpenCheckpoint(m.path, opts)
	if err != nil {
		return err
	}
	m.checkpoint, m.format, m.storages, m.size = k, k.Format, k.Storages, k.Size
	if err := m.checkIndex(); err != nil {
		return err
	}
	exact := slices.ContainsFunc(k.Tensors, func(t checkpoint.Tensor) bool { return t.Name == pattern })
	named := func(name string) (bool, error) {
		if exact && pattern != "" {
			return name == pattern, nil
		}
		return source.Matches(pattern, name)
	}
	for i, t := range k.Tensors {
		ok, err := named(t.Name)
		if err == nil && ok {
			ok, err = m.keeps(t.Name)
		}
		switch {
		case err != nil:
			return err
		case ok:
			m.tensors, m.numbers = append(m.tensors, t), append(m.numbers, i)
		default:
			m.leftOut++
		}
	}
	if len(m.tensors) == 0 && pattern != "" {
		return fault.New(fault.Usage, "%s has no tensor that matches %s", words.Quoted(m.path), words.Quoted(pattern)).
			WithHint("tlayout inspect %s lists them", words.Shell(words.Quote(m.path)))
	}
	for _, r := range k.Refused {
		ok, _ := named(r.Name)
		if kept, _ := m.keeps(r.Name); ok && kept {
			return fault.New(fault.Unsupported, "tensor %s cannot be converted: %s", words.Quoted(words.Cut(r.Name, 200)), r.Why).WithHint("%s", leaveOut(r.Name))
		}
		m.leftOut++
	}
	for _, l := range k.LeftOut {
		ok, _ := named(l.Name)
		if kept, _ := m.keeps(l.Name); ok && kept {
			m.others = append(m.others, l)
		}
	}
	if k.Format == checkpoint.Safetensors {
		m.joinMetadata(k.Metadata)
	}
	if k.Format == checkpoint.GGUF {
		m.texts = len(k.Metadata)
	}
	return nil
}

// joinMetadata takes the texts of all files of an index, each once. Where files disagree, the first counts.
func (m *model) joinMetadata(all []checkpoint.Entry) {
	first := map[string]string{}
	for _, e := range all {
		value, again := first[e.Key]
		switch {
		case !again:
			first[e.Key] = e.Value
			m.metadata = append(m.metadata, e)
		case value != e.Value:
			m.warnings = append(m.warnings, "the files of the index disagree about __metadata__ "+words.Quoted(words.Cut(e.Key, 60))+"; the first is kept")
		}
	}
}

// checkIndex refuses an index of which tensors are missing; other disagreements are warnings.
func (m *model) checkIndex() error {
	for _, f := range m.checkpoint.Findings {
		switch f.Kind {
		case safetensors.MissingShard, safetensors.MissingTensor, safetensors.Doubled:
			return fault.New(fault.Malformed, "%s: %s", words.Quoted(m.path), f).WithHint("tlayout inspect lists what the files hold")
		}
		m.warnings = append(m.warnings, f.String())
	}
	return nil
}

// openArchive takes arrays as they are stored: their file's axes are the tensor's dims. Where layout.json says another order of the
// axes, or, if there is a target, an array's name, and --from does not, the dims are those of that layout.
func (m *model) openArchive(pattern string, opts source.Options, target bool) error {
	m.format = checkpoint.NPZ
	all, err := source.Arrays(m.path, "", opts)
	if err != nil {
		return err
	}
	if m.keys, err = source.Arrays(m.path, pattern, opts); err != nil {
		return err
	}
	if len(m.keys) == 0 && pattern != "" {
		return fault.New(fault.Usage, "%s has no array that matches %s", words.Quoted(m.path), words.Quoted(pattern)).
			WithHint("tlayout inspect %s lists them", words.Shell(words.Quote(m.path)))
	}
	m.keys = slices.DeleteFunc(m.keys, func(key string) bool {
		kept, bad := m.keeps(key)
		err = cmp.Or(err, bad)
		return !kept
	})
	if err != nil {
		return err
	}
	m.leftOut = len(all) - len(m.keys)
	return m.takeArrays(opts, target)
}

// takeArrays opens the arrays.
func (m *model) takeArrays(opts source.Options, target bool) error {
	for i, key := range m.keys {
		t, err := m.openArray(i, opts)
		var e *fault.Error
		if errors.As(err, &e) && e.Class == fault.Unsupported && !m.alone {
			return e.WithHint("%s", leaveOut(key))
		}
		if err == nil && t.Trailing > 0 && !opts.AllowTrailing {
			t.Close()
			err = trailing(m.arrayName(i), t.Trailing)
		}
		if err != nil {
			return err
		}
		view, err := tensor.Packed(t.FileShape)
		if t.Header.Fortran {
			view, err = tensor.ColumnMajor(t.FileShape)
		}
		if (t.Told > source.ByName || t.Told == source.ByName && target) && opts.Layout == nil {
			var ok bool
			if view, ok = t.Layout.Strided(); !ok || t.Layout.Alloc() != t.Layout.Numel() {
				t.Close()
				return fault.New(fault.Unsupported, "%s is stored in blocks or with padding", words.Quoted(m.arrayName(i))).
					WithHint("convert the archive to a plain layout first: --to nchw -o plain.npz")
			}
		}
		m.tensors = append(m.tensors, checkpoint.Tensor{Name: key, Type: t.DType, View: view, Storage: i})
		m.storages = append(m.storages, checkpoint.Storage{ID: key, Bytes: t.Header.DataBytes})
		m.size += t.Header.DataBytes
		t.Close()
		switch {
		case err != nil:
			return fault.In(words.Quoted(m.arrayName(i)), err)
		case t.FileShape == nil:
			return fault.New(fault.Unsupported, "%s is no array of named axes", words.Quoted(m.arrayName(i)))
		}
	}
	return nil
}

func (m *model) arrayName(i int) string {
	if m.alone {
		return m.path
	}
	return m.path + ":" + m.keys[i]
}

// stemName is what a tensor without a name is called: as its file, without the extension.
func stemName(path string) string {
	base := source.Base(words.URLPath(path))
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// keeps reports whether a tensor is taken as far as --exclude goes.
func (m *model) keeps(name string) (bool, error) {
	if m.exclude == "" {
		return true, nil
	}
	matched, err := source.Matches(m.exclude, name)
	m.excluded = m.excluded || matched
	return !matched, err
}

// leaveOut is the hint of a tensor that cannot be converted: the pattern of its name alone.
func leaveOut(name string) string {
	if name == "" || words.Quote(name) != name {
		return "--exclude PATTERN leaves tensors out"
	}
	return "--exclude " + words.Shell(globs.Replace(name)) + " leaves it out"
}

// globs escapes what patterns do not take literally.
var globs = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

func (m *model) openArray(i int, opts source.Options) (*source.Tensor, error) {
	opts.Layout = nil
	return m.opener.Open(m.arrayName(i), opts)
}

// open opens a tensor; its data are those that view describes.
func (m *model) open(i int) (*source.Tensor, error) {
	if m.checkpoint == nil {
		return m.openArray(i, source.Options{})
	}
	return m.checkpoint.OpenTensor(m.numbers[i], m.path+":"+m.tensors[i].Name, source.Options{})
}

// view is tensor i in the data of what open returns: the storage of PyTorch's, its own bytes of others.
func (m *model) view(i int) tensor.Strided {
	v := m.tensors[i].View
	if !m.pickled() {
		v.Offset = 0
	}
	return v
}

// pickled reports whether the source is PyTorch's, whose tensors have strides and share storages.
func (m *model) pickled() bool { return m.format.Pickled() }

// storage reads the bytes of a storage of a checkpoint.
func (m *model) storage(i int) io.ReaderAt {
	return io.NewSectionReader(storageReader{m.checkpoint, i}, 0, m.storages[i].Bytes)
}

type storageReader struct {
	checkpoint *source.Checkpoint
	storage    int
}

func (r storageReader) ReadAt(p []byte, at int64) (int, error) {
	if err := r.checkpoint.ReadStorage(p, r.storage, at); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (m *model) unchanged() error {
	if m.checkpoint == nil {
		return m.opener.Unchanged()
	}
	return m.checkpoint.Unchanged()
}

func (m *model) close() {
	if m.checkpoint != nil {
		m.checkpoint.Close()
	}
	m.opener.Close()
}

// wholeFormat is the container that an output's name names; "" for none that holds several tensors.
func (o *options) wholeFormat() checkpoint.Format {
	switch ending(o.out) {
	case ".pt", ".pth", ".ckpt":
		return checkpoint.Torch
	case ".safetensors":
		return checkpoint.Safetensors
	case ".npz":
		return checkpoint.NPZ
	}
	if o.dir != "" {
		return checkpoint.Folder
	}
	return ""
}

// isWhole reports whether the conversion is one of a whole checkpoint: into a checkpoint or a folder, or of a checkpoint of which
// several tensors are named.
func (o *options) isWhole(a *cli.App) (bool, error) {
	switch o.wholeFormat() {
	case checkpoint.Torch, checkpoint.Safetensors, checkpoint.Folder:
		return true, nil
	}
	p, ok := source.Locate(o.source)
	if !ok || p.Archive() {
		return false, nil
	}
	if o.wholeFormat() == checkpoint.NPZ && p.Several() {
		return true, nil
	}
	names, err := source.Expand(o.source, o.Options(a))
	return len(names) > 1 || err == nil && names[0] != o.source, err
}
