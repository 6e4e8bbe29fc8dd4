package convertcmd

import (
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/file/safetensors"
	"github.com/tlayout/tlayout/internal/file/torch"
	"github.com/tlayout/tlayout/internal/file/zip"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// placement is the plan of a file: the offsets of its tensors, and what surrounds them.
type placement struct {
	items []item
	size  int64 // bytes of the file
	data  int64 // bytes of its tensors
	align int64 // alignment of the tensors; 0 if not reported
	// frame writes everything but the items; may be nil. It gets the CRC-32 of every item if sum is set.
	frame func(file io.WriterAt, sums []uint32) error
	sum   bool
}

// item is a range of bytes of a file: a header and a tensor's elements, or a storage of the source.
type item struct {
	at      int64
	header  []byte
	task    *task
	cut     checkpoint.Cut // without a task: the parts of the source's storage
	storage int
}

// placeFile plans a .npy file for the only task.
func (j *job) placeFile() (*placement, error) { return placeArray(&j.tasks[0]) }

// placeArray plans a .npy file.
func placeArray(k *task) (*placement, error) {
	header, err := npy.AppendHeader(nil, k.stored, k.target.Fortran, k.shape)
	if err != nil {
		return nil, err
	}
	return &placement{items: []item{{header: header, task: k}}, size: int64(len(header)) + k.bytes(), data: k.bytes()}, nil
}

// placeRaw plans raw bytes, if flags exist that read them again.
func (j *job) placeRaw() (*placement, error) {
	k := &j.tasks[0]
	if _, _, err := j.readAgain(k); err != nil {
		return nil, err
	}
	return &placement{items: []item{{task: k}}, size: k.bytes(), data: k.bytes()}, nil
}

// placeArchive plans an .npz: one .npy file per tensor, and layout.json, which records what these cannot.
func (j *job) placeArchive() (*placement, error) {
	p := &placement{}
	files := []zip.New(nil)
	layouts := document.NewRecord()
	taken := map[string]bool{document.RecordName: true}
	for i := range j.tasks {
		k := &j.tasks[i]
		placed, err := placeArray(k)
		if err != nil {
			return nil, fault.In(text.Quoted(text.Cut(k.name, 200)), err)
		}
		if k.name == "" {
			return nil, fault.New(fault.Unsupported, "an unnamed tensor cannot be a member of an archive").WithHint("use .pt or .safetensors")
		}
		if taken[k.name] {
			return nil, fault.New(fault.Unsupported, "the output would have two members %s", text.Quoted(k.name+".npy")).
				WithHint("rename an array, or select some: SRC:PATTERN")
		}
		taken[k.name] = true
		p.items = append(p.items, placed.items[0])
		p.data = p.data + placed.data
		files = append(files, zip.New{Name: k.name + ".npy", Size: placed.size})
		record, err := k.record()
		if err != nil {
			return nil, err
		}
		if record != nil {
			layouts.Arrays[k.name] = *record
			layouts.SetCRC(k.name, 0)
		}
	}
	a := &members{tasks: j.tasks, layouts: layouts}
	if len(layouts.Arrays) > 0 {
		text, err := layouts.JSON()
		if err != nil {
			return nil, err
		}
		files = append(files, zip.New{Name: document.RecordName, Size: int64(len(text))})
	}
	var err error
	a.place, err = zip.Place(files)
	for i := range p.items {
		p.items[i].at = a.place.Content(i)
	}
	p.size = a.place.Size()
	p.frame = a.frame
	p.sum = true
	j.duplicates("npz")
	return p, err
}

// members is everything in an .npz but the arrays.
type members struct {
	tasks   []task
	place   zip.Placement
	layouts document.Record
}

// frame writes layout.json, the members' headers and the directory.
func (a *members) frame(file io.WriterAt, sums []uint32) error {
	if len(a.layouts.Arrays) > 0 {
		for i, k := range a.tasks {
			if _, ok := a.layouts.Arrays[k.name]; ok {
				a.layouts.SetCRC(k.name, sums[i])
			}
		}
		text, err := a.layouts.JSON()
		if err != nil {
			return err
		}
		if _, err := file.WriteAt(text, a.place.Content(len(sums))); err != nil {
			return err
		}
		sums = append(sums, crc32.ChecksumIEEE(text))
	}
	return a.place.Frame(file, sums)
}

// placeSafetensors plans a .safetensors file.
func (j *job) placeSafetensors() (*placement, error) {
	p := &placement{}
	items := make([]safetensors.Item, len(j.tasks))
	for i, k := range j.tasks {
		items[i] = safetensors.Item{Name: k.name, Type: k.dtype, Shape: k.shape}
		if k.dtype.Packed() {
			items[i].Type = k.stored
		}
		p.data += k.bytes()
	}
	texts := j.in.metadata
	if j.in.origin == pickles && !j.permutes() {
		texts = []checkpoint.Entry{{Key: "format", Value: "pt"}} // without it, transformers refuses the file
	}
	header, err := safetensors.NewHeader(items, texts, j.options.alignOr(64))
	if err != nil {
		return nil, err
	}
	p.size = header.Size
	for i := range j.tasks {
		k := &j.tasks[i]
		p.items = append(p.items, item{at: header.At[i], task: k})
		if alignment := safetensors.Alignment(header.At[i]); k.bytes() > 0 && (p.align == 0 || alignment < p.align) {
			p.align = alignment
		}
	}
	p.frame = func(file io.WriterAt, _ []uint32) error {
		_, err := file.WriteAt(header.Text, 0)
		return err
	}
	j.duplicates("safetensors")
	return p, nil
}

// permutes reports whether a tensor's axes are stored in another order than its dims.
func (j *job) permutes() bool {
	for i := range j.tasks {
		if to := j.tasks[i].request.to.Layout; to.HasFormat() &&
			!slices.IsSortedFunc(to.Format.Axes(), func(a, b notation.Axis) int { return a.Dim - b.Dim }) {
			return true
		}
	}
	return false
}

func (o *options) alignOr(other int) int {
	if o.align == 0 {
		return other
	}
	return o.align
}

// storages are the storages of a PyTorch checkpoint to be written, and its tensors, which are views of them: those of the source, whole or cut to the
// used parts, and one per tensor whose elements move. Tensors that were the same view share one.
type storages struct {
	tensors []checkpoint.Tensor
	items   []item
	sizes   []int64
}

func (s *storages) add(it item, bytes int64) (storage int) {
	s.items = append(s.items, it)
	s.sizes = append(s.sizes, bytes)
	return len(s.items) - 1
}

// placeTorch plans a PyTorch checkpoint.
func (j *job) placeTorch() (*placement, error) {
	var s storages
	if j.in.origin == pickles {
		j.keepStorages(&s)
	} else {
		for i := range j.tasks {
			k := &j.tasks[i]
			t := checkpoint.Tensor{Name: k.name, Type: k.dtype, View: k.view(), Encoding: k.tensor.Encoding}
			t.Storage = s.add(item{task: k}, int64(t.View.Numel())*int64(t.Type.ItemSize()))
			s.tensors = append(s.tensors, t)
		}
	}
	p := &placement{align: int64(j.options.alignOr(64)), sum: true}
	place, err := torch.Place(s.tensors, s.sizes, int(p.align))
	if err != nil {
		return nil, err
	}
	var written []int // indices of storages
	for storage, at := range place.Storages() {
		it := s.items[storage]
		it.at = at
		p.items = append(p.items, it)
		p.data = p.data + s.sizes[storage]
		written = append(written, storage)
	}
	p.size = place.Size()
	p.frame = func(file io.WriterAt, sums []uint32) error {
		of := make([]uint32, len(s.items))
		for i, storage := range written {
			of[storage] = sums[i]
		}
		return place.Frame(file, of)
	}
	return p, nil
}

// view returns the tensor as the only one in its storage.
func (k *task) view() tensor.Strided {
	v, _ := k.target.Layout.Strided()
	v.Offset = 0
	return v
}

// keepStorages keeps tensors that do not move in their storages. Storages that lost a tensor, and with --compact all, are cut to what the remaining
// ones use.
func (j *job) keepStorages(s *storages) {
	tensors := j.in.views()
	old := j.in.set.Storages
	rest := &checkpoint.Container{Storages: old}
	touched := make([]bool, len(old))
	moved := map[string]int{} // from a view to its new storage
	var stays []int
	s.tensors = make([]checkpoint.Tensor, len(tensors))
	s.items = make([]item, len(old))
	s.sizes = make([]int64, len(old))
	for i, t := range tensors {
		k := &j.tasks[i]
		t.Type = k.dtype
		if !k.action.moves() {
			if k.action == inPlace { // only the strides of dims of size 1 differ, or their order
				offset := t.View.Offset
				t.View = k.view()
				t.View.Offset = offset
			}
			rest.Tensors = append(rest.Tensors, t)
			stays = append(stays, i)
			continue
		}
		touched[t.Storage] = true
		key := fmt.Sprint(t.Storage, t.Type, t.View, k.target.Layout)
		to, again := moved[key]
		if !again {
			to = s.add(item{task: k}, k.bytes())
			moved[key] = to
		}
		t.Storage = to
		t.View = k.view()
		s.tensors[i] = t
	}
	compacted := checkpoint.Compact(rest)
	if _, kept := compacted.Saves(rest); j.options.compact && kept > 0 {
		j.lost = append(j.lost, fmt.Sprintf("%s between elements of overlapping views stay unused", text.Bytes(kept)))
	}
	for n, storage := range old {
		cut := checkpoint.Cut{Bytes: storage.Bytes, Parts: []checkpoint.Part{{Run: storage.Bytes}}}
		if touched[n] || j.options.compact {
			cut = compacted.Storages[n]
		}
		s.items[n], s.sizes[n] = item{cut: cut, storage: n}, cut.Bytes
	}
	for n, i := range stays {
		s.tensors[i] = rest.Tensors[n]
		if at := rest.Tensors[n].Storage; touched[at] || j.options.compact {
			s.tensors[i] = compacted.Tensors[n]
		}
	}
	for _, group := range checkpoint.Overlapping(tensors) {
		if slices.ContainsFunc(group, func(i int) bool { return s.tensors[i].Storage != s.tensors[group[0]].Storage }) {
			j.lost = append(j.lost, fmt.Sprintf("%s no longer share storage: at least one was converted", j.someNames(group)))
		}
	}
}

// duplicates warns about tensors that share storage, which the output's container cannot express.
func (j *job) duplicates(format string) {
	for _, group := range checkpoint.Overlapping(j.in.views()) {
		j.lost = append(j.lost, fmt.Sprintf("%s share storage; %s cannot express that, so each is written separately", j.someNames(group), format))
	}
}

// someNames returns the first names of some tasks.
func (j *job) someNames(indices []int) string {
	names := make([]string, len(indices))
	for k, i := range indices {
		names[k] = j.tasks[i].name
	}
	return checkpoint.Names(names...)
}
