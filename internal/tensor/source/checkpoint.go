package source

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/gguf"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/tensor/safetensors"
	"github.com/tlayout/tlayout/internal/tensor/torch"
	"github.com/tlayout/tlayout/internal/tensor/zip"
	"github.com/tlayout/tlayout/internal/words"
)

// Checkpoint is an opened checkpoint: its tensors, and the storages that they are views of. Close it.
type Checkpoint struct {
	Path string
	Size int64 // bytes; of an index, of all its files
	*checkpoint.Container
	Files    []string              // of an index: the names of its files; nil of a checkpoint that is one file
	Findings []safetensors.Finding // where an index and its files disagree

	byName   map[string]int    // of Tensors
	notShown map[string]string // why, by name
	b        *input            // the file itself, or the index
	shards   map[string]*input
}

// recognizeContainer tells which container a file is that begins so; "" for none.
func (b *input) recognizeContainer(name, begins string) checkpoint.Format {
	isTorch := endsIn(name, ".pt", ".pth", ".ckpt", ".bin")
	isPickle := len(begins) > 1 && begins[0] == 0x80 && begins[1] >= 2 && begins[1] <= 5 // PROTO, and its number
	switch {
	case strings.HasPrefix(begins, npyMagic), strings.HasPrefix(begins, lfsMagic):
		return ""
	case strings.HasPrefix(begins, "PK"):
		return b.recognizeZip(name, begins)
	case strings.HasPrefix(begins, "GGUF"):
		return checkpoint.GGUF
	case torch.BeginsLegacy(begins), isTorch && isPickle:
		return checkpoint.TorchLegacy
	case len(begins) > 8 && begins[8] == '{' && binary.LittleEndian.Uint64([]byte(begins)) < uint64(b.Size()):
		// 8 bytes of length, then a JSON header (safetensors 0.4, README, section Format)
		return checkpoint.Safetensors
	case endsIn(name, ".safetensors"):
		return checkpoint.Safetensors
	case endsIn(name, indexEnding):
		return index
	case NamesArchive(name):
		return checkpoint.NPZ
	case endsIn(name, ".pt", ".pth", ".ckpt"):
		return checkpoint.Torch
	}
	return ""
}

// recognizeZip tells a zip archive that torch.save writes from one of arrays, by its members: the first, if the file begins with its whole
// name, or any; and by its own name if it has neither.
func (b *input) recognizeZip(name, begins string) checkpoint.Format {
	isPickle := func(member string) bool { return strings.HasSuffix(member, "/data.pkl") }
	isArray := func(member string) bool { return strings.HasSuffix(member, ".npy") }
	var members []string
	if len(begins) > 30 { // a local header, then the name, of which begins may have a part only (APPNOTE.TXT 6.3.10, 4.3.7)
		if end := 30 + int(binary.LittleEndian.Uint16([]byte(begins[26:]))); end <= len(begins) {
			members = append(members, begins[30:end])
		}
	}
	if !slices.ContainsFunc(members, isPickle) && !slices.ContainsFunc(members, isArray) {
		if a, err := zip.Open(b, b.Size(), "a zip archive"); err == nil {
			for _, m := range a.Members {
				members = append(members, m.Name)
			}
		}
	}
	switch {
	case slices.ContainsFunc(members, isPickle):
		return checkpoint.Torch
	case slices.ContainsFunc(members, isArray), NamesArchive(name):
		return checkpoint.NPZ
	case ofMembers(members) != nil:
		return ""
	case endsIn(name, ".pt", ".pth", ".ckpt", ".bin"):
		return checkpoint.Torch
	}
	return ""
}

// index is the format of an index until its files are read.
const index checkpoint.Format = "index"

// OpenCheckpoint opens the checkpoint at path; see Open for the tensors in it.
func OpenCheckpoint(path string, o Options) (*Checkpoint, error) {
	c, err := openContainer(path, o)
	if err != nil {
		return nil, err
	}
	k, err := asCheckpoint(path, c)
	if err != nil {
		c.Close()
	}
	return k, err
}

func asCheckpoint(path string, c container) (*Checkpoint, error) {
	if k, ok := c.(*Checkpoint); ok {
		return k, nil
	}
	return nil, fault.New(fault.Unsupported, "%s is an archive of arrays, not a checkpoint", words.Quoted(path))
}

// OpenDraftCheckpoint opens a checkpoint that is written but has no name yet, and will be at path. Closing it leaves the file open.
func OpenDraftCheckpoint(path string, file *os.File) (*Checkpoint, error) {
	b, err := borrow(words.Quoted(path), file)
	if err != nil {
		return nil, err
	}
	format, err := b.containerFormat(path)
	if err != nil || format == "" || format == checkpoint.NPZ {
		return nil, cmp.Or(err, error(fault.New(fault.Malformed, "%s is no checkpoint", words.Quoted(path))))
	}
	return newCheckpoint(path, b, format)
}

// newCheckpoint reads where the tensors of the file are, and nothing of them. It takes b over.
func newCheckpoint(path string, b *input, format checkpoint.Format) (*Checkpoint, error) {
	k := &Checkpoint{Path: path, Size: b.Size(), b: b}
	err := fault.In(words.Quoted(path), b.Guard(func() (err error) {
		if format == index {
			return k.readIndex()
		}
		k.Container, err = readCheckpoint(b, format)
		return err
	}))
	if err != nil {
		k.Close()
		return nil, err
	}
	k.byName = make(map[string]int, len(k.Tensors))
	for i, t := range k.Tensors {
		k.byName[t.Name] = i
	}
	k.notShown = map[string]string{}
	for _, r := range k.NotShown() {
		k.notShown[r.Name] = r.Why
	}
	return k, nil
}

func readCheckpoint(b *input, format checkpoint.Format) (*checkpoint.Container, error) {
	switch format {
	case checkpoint.GGUF:
		return gguf.Open(b, b.Size(), b.tensors)
	case checkpoint.Safetensors:
		return safetensors.Open(b, b.Size(), b.tensors)
	}
	return torch.Open(b, b.Size(), b.tensors)
}

// readIndex opens the files of an index, and joins what they hold, in the index's order. A file that is missing is a finding.
func (k *Checkpoint) readIndex() error {
	x, err := safetensors.ReadIndex(k.b, k.b.Size(), k.b.tensors)
	if err != nil {
		return err
	}
	k.Size, k.Files, k.shards = 0, x.Files, map[string]*input{}
	opened := map[string]*checkpoint.Container{}
	k.Container = &checkpoint.Container{Format: checkpoint.Safetensors}
	for _, file := range x.Files {
		path := beside(k.Path, file)
		b, err := openInput(path)
		if err != nil {
			continue
		}
		b.tensors = k.b.tensors
		format, err := b.containerFormat(path)
		if err == nil && format == "" {
			err = b.lfsPointer()
		}
		if err == nil && (format == "" || format == index || format == checkpoint.NPZ) {
			err = fault.New(fault.Unsupported, "not a checkpoint")
		}
		if err == nil {
			err = b.Guard(func() error { opened[file], err = readCheckpoint(b, format); return err })
		}
		if err != nil {
			b.Close()
			return fault.In(words.Quoted(file), err)
		}
		k.shards[file], k.Size = b, k.Size+b.Size()
		k.join(file, opened[file])
	}
	k.Findings = x.Check(opened)
	return nil
}

// join adds what a file of an index holds. Of two tensors of one name the first counts, as the findings say.
func (k *Checkpoint) join(file string, c *checkpoint.Container) {
	all := k.Container
	all.Format = c.Format
	first := len(all.Storages)
	for _, s := range c.Storages {
		s.File = file
		all.Storages = append(all.Storages, s)
	}
	for _, t := range c.Tensors {
		t.Storage += first
		all.Tensors = append(all.Tensors, t)
	}
	for _, r := range c.Refused {
		r.Storages = slices.Clone(r.Storages)
		for i := range r.Storages {
			r.Storages[i] += first
		}
		all.Refused = append(all.Refused, r)
	}
	all.LeftOut = append(all.LeftOut, c.LeftOut...)
	for _, g := range c.Globals {
		if !slices.Contains(all.Globals, g) {
			all.Globals = append(all.Globals, g)
		}
	}
	for _, op := range c.Opcodes {
		if !slices.Contains(all.Opcodes, op) {
			all.Opcodes = append(all.Opcodes, op)
		}
	}
	all.Metadata = append(all.Metadata, c.Metadata...)
}

// inputOf is the file that holds a storage.
func (k *Checkpoint) inputOf(s checkpoint.Storage) *input {
	if s.File != "" {
		return k.shards[s.File]
	}
	return k.b
}

// ReadStorage reads len(p) bytes of a storage, from a byte on.
func (k *Checkpoint) ReadStorage(p []byte, storage int, from int64) error {
	s := k.Storages[storage]
	if s.Inline {
		copy(p, s.Data[from:])
		return nil
	}
	b := k.inputOf(s)
	if err := b.bring(s.At, s.Bytes); err != nil {
		return err
	}
	return b.fill(p, s.At+from)
}

// Unchanged returns an error if a file of the checkpoint has changed since it was opened.
func (k *Checkpoint) Unchanged() error {
	for _, b := range k.shards {
		if b.isChanged() {
			return b.changed()
		}
	}
	if k.b == nil {
		return nil // described: it was read whole
	}
	return k.b.Guard(func() error { return nil })
}

// Close closes its files. The tensors of it stay open.
func (k *Checkpoint) Close() {
	for _, b := range k.shards {
		b.Close()
	}
	if k.b != nil {
		k.b.Close()
	}
}

// OpenTensor opens a tensor by its number in Tensors, as the source of that name.
func (k *Checkpoint) OpenTensor(i int, name string, o Options) (*Tensor, error) {
	if k.Format == checkpoint.Described {
		return k.openDescribed(i, name, o)
	}
	view, storage := k.Tensors[i], k.Storages[k.Tensors[i].Storage]
	b := k.inputOf(storage)
	if storage.Inline && storage.Bytes > 0 {
		var err error
		if b, err = holdText(words.Quoted(name), storage.Data); err != nil {
			return nil, err
		}
		defer b.Close() // the tensor shares it
	}
	t := &Tensor{Source: words.Redact(name), Kind: string(k.Format), DType: view.Type, Encoding: view.Encoding, Block: view.Block, input: b}
	t.Member = &Member{Archive: words.Redact(k.Path), Name: view.Name, Of: len(k.Tensors), Packed: storage.Bytes, Size: storage.Bytes,
		Device: storage.Device, Inline: storage.Inline}
	if storage.File != "" {
		t.Member.Archive = words.Redact(beside(k.Path, storage.File))
	}
	if err := t.view(k.Format, view, storage, o); err != nil {
		return nil, fault.In(words.Quoted(name), err)
	}
	b.share()
	if view.Encoding != "" {
		t.notes = append(t.notes, "an element is a block of "+view.Encoding+"; strides and offsets count blocks")
	}
	if o.Opened != nil {
		o.Opened(t)
	}
	return t, nil
}

// view makes the tensor of a checkpoint's. PyTorch records strides: where they are no more than C order of a whole storage, the tensor is an
// array, as others hold and .npy files do, and so is one whose axes the user names. Other strides are known; the dims' names are assumed
// where the order of memory is their own.
func (t *Tensor) view(format checkpoint.Format, v checkpoint.Tensor, s checkpoint.Storage, o Options) error {
	size := int64(v.Type.ItemSize())
	t.Header = npy.Header{DType: v.Type, Descr: npy.Descr(v.Type), DataOffset: s.At, DataBytes: s.Bytes}
	whole := v.View.Offset == 0 && int64(v.View.Numel())*size == s.Bytes
	if !format.Pickled() || (o.Layout != nil || whole) && v.View.CContiguous().OK {
		t.Header.DataOffset += int64(v.View.Offset) * size
		t.Header.DataBytes = int64(v.View.Numel()) * size
		t.Header.Shape = v.View.Shape
		o.names = []string{} // the checkpoint's name says nothing of a tensor's axes
		return t.interpret(o)
	}
	if o.Layout != nil {
		return fault.New(fault.Usage, "its strides are recorded, %s; --from and --layout are for arrays in C order", tensor.Tuple(v.View.Strides)).
			WithHint("--dims N,H,W,C names the dims of its shape")
	}
	if o.Channels != 0 {
		return fault.New(fault.Usage, "its sizes and strides are recorded; --channels is for .npy files")
	}
	elems := 0
	if size > 0 {
		elems = int(s.Bytes / size)
	}
	t.Header.DataBytes = int64(elems) * size
	if o.DType != nil {
		hinted, err := t.DType.Opaque(*o.DType)
		if err != nil {
			return err
		}
		t.DType = hinted
	}
	l, err := v.View.Layout(nil, elems)
	if err != nil {
		return err
	}
	t.Described, t.Told = true, ByStrides
	if err := t.adopt(l, o.Dims, elems); err != nil {
		return err
	}
	if names := DimNames(l.Rank()); o.Dims == nil && t.HasFormat && names[0] != "d0" && t.Format.Explicit() == notation.RowMajor(names).Explicit() {
		t.Told = ByRank
	}
	return nil
}

func (k *Checkpoint) where() string { return k.Path }

func (k *Checkpoint) has(member string) bool {
	_, ok := k.byName[member]
	return ok
}

func (k *Checkpoint) open(name, member string, o Options) (*Tensor, error) {
	if i, ok := k.byName[member]; ok {
		return k.OpenTensor(i, name, o)
	}
	e := fault.New(fault.Usage, "%s has no tensor %s", words.Quoted(k.Path), words.Quoted(member))
	if why, ok := k.notShown[member]; ok {
		return nil, fault.New(fault.Unsupported, "%s: %s", words.Quoted(name), why)
	}
	var names []string
	for _, t := range k.Tensors {
		names = append(names, t.Name)
	}
	if near := words.Nearest(member, names); near != "" {
		return nil, e.WithHint("did you mean %s?", words.Quote(near))
	}
	return nil, e.WithHint("tlayout inspect %s lists them", words.Shell(words.Quote(k.Path)))
}

func (k *Checkpoint) names(pattern string, limit int) (names []string, err error) {
	for _, t := range k.Tensors {
		matched, err := Matches(pattern, t.Name)
		if err != nil {
			return nil, err
		}
		if matched {
			if names = append(names, t.Name); len(names) == limit {
				break
			}
		}
	}
	return names, nil
}

func (k *Checkpoint) complete() []string {
	names, _ := k.names("", len(k.Tensors)) // without a pattern there is no error
	return names
}

func (k *Checkpoint) refuse() error {
	e := fault.New(fault.Usage, "%s is a checkpoint of %s; name one", words.Quoted(k.Path), words.Count(len(k.Tensors), "tensor"))
	if len(k.Tensors) == 0 {
		return fault.New(fault.Usage, "%s holds no tensors", words.Quoted(k.Path))
	}
	if k.Format == checkpoint.Described {
		return fault.New(fault.Usage, "%s describes %s, and this command takes one", shownName(k.Path), words.Count(len(k.Tensors), "tensor")).
			WithHint("tlayout inspect and check take all; others one document")
	}
	return e.WithHint("%s:%s; tlayout inspect lists them", words.Quote(k.Path), words.Quote(k.Tensors[0].Name))
}

func (k *Checkpoint) list(Options) (*Listing, error) {
	if len(k.Findings) > 0 && len(k.shards) == 0 {
		return nil, fault.New(fault.Resource, "%s: %s", words.Quoted(k.Path), k.Findings[0]).
			WithHint("the files of an index are beside it")
	}
	return &Listing{Checkpoint: k}, nil
}

// Warnings are what is wrong with the checkpoint as a whole.
func (k *Checkpoint) Warnings() []string {
	var all []string
	for _, f := range k.Findings {
		all = append(all, fmt.Sprint(f))
	}
	return all
}
