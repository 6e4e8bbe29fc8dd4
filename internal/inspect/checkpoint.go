package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// Checkpoint is the report on a whole checkpoint. Its JSON names are a contract.
type Checkpoint struct {
	document.Head
	Format    string `json:"format"`
	FileBytes int64  `json:"file_bytes"` // size of the file, or of an index's files
	// files of an index, or of a model's external data
	Files       []string            `json:"files" jsonschema:"null for a single file"`
	TensorBytes int64               `json:"tensor_bytes"` // sum over tensors, shared or not
	Tensors     []CheckpointTensor  `json:"tensors"`      // the tensors, in the file's order
	Storages    []CheckpointStorage `json:"storages"`     // bytes that tensors are views of
	Unused      int64               `json:"unused_bytes"` // storage in no element of a tensor
	// largest power of two ≤ 4096 that divides the byte offsets of tensors; 0 without data
	Alignment int64 `json:"alignment"`
	// whether torch.load(weights_only=True) accepts it, PyTorch 2.15
	WeightsOnly *bool               `json:"weights_only" jsonschema:"null without a pickle"`
	Globals     []CheckpointGlobal  `json:"globals"`  // names in the pickle; none is imported or called
	Opcodes     []string            `json:"opcodes"`  // opcodes that torch.load(weights_only=True) refuses, PyTorch 2.15
	Metadata    []CheckpointText    `json:"metadata"` // the file's texts about itself
	Refused     []CheckpointRefused `json:"refused"`  // tensors not shown, and why
}

// CheckpointTensor is a tensor of a checkpoint. Strides and offset are in elements, from the start of the storage.
type CheckpointTensor struct {
	Name       string     `json:"name"` // its name
	NameBytes  []byte     `json:"name_base64,omitempty"`
	DType      string     `json:"dtype"`
	Encoding   string     `json:"encoding,omitempty"`
	Shape      []int      `json:"shape"`
	BlockShape []int      `json:"block_shape,omitempty"`
	Strides    []int      `json:"strides"`
	Offset     int        `json:"storage_offset"`
	Storage    int        `json:"storage_index"` // index of its storage in storages
	Device     string     `json:"device,omitempty"`
	NBytes     int64      `json:"nbytes"` // size of the data without padding, in bytes
	DataOffset int64      `json:"data_offset"`
	InPickle   bool       `json:"in_pickle,omitempty"`
	Contiguous contiguity `json:"contiguous"`
	Suggested  string     `json:"suggested_memory_format"`
	// contiguous, channels_last, channels_last_3d, transposed (F-contiguous), permuted (dense), expanded (stride 0) or strided (gaps)
	Format  string              `json:"memory_format"`
	*PartOf `json:",omitempty"` // of one rank

	low, high int64 // byte range of the elements in the storage; empty if equal
}

// CheckpointStorage is a range of bytes of a file that tensors are views of.
type CheckpointStorage struct {
	ID   string `json:"id"`              // the storage's id
	File string `json:"shard,omitempty"` // the file of an index or a model that holds the storage
	// slices that are put together, each of which may be in another file
	Slices []Slice `json:"slices,omitempty"`
	NBytes int64   `json:"nbytes"` // size of the data without padding, in bytes
	// storage in elements of tensors; an upper bound if that is unknown
	Used    int64    `json:"used_bytes" jsonschema:"unknown for a refused tensor, or too many elements to count"`
	Tensors []string `json:"tensor_names"` // the tensors in the storage
	Unknown string   `json:"-"`
}

// CheckpointGlobal is a name in a pickle, which is neither imported nor called.
type CheckpointGlobal struct {
	Name        string `json:"name"`         // its name
	WeightsOnly bool   `json:"weights_only"` // whether torch.load(weights_only=True) accepts it, PyTorch 2.15
}

// CheckpointText is a text of the file's metadata.
type CheckpointText struct {
	Key   string `json:"key"` // name of the entry
	Value string `json:"value"`
}

// CheckpointRefused is an entry that cannot be shown as a tensor.
type CheckpointRefused struct {
	Name string `json:"name"` // its name
	Why  string `json:"why"`  // the reason
}

// NewCheckpoint reports on a checkpoint. It reads no data.
func NewCheckpoint(k *source.Set) *Checkpoint {
	r := &Checkpoint{Head: document.NewHead("tlayout/checkpoint/v1", k.Path, k.Warnings()...), Format: string(k.Format),
		FileBytes: k.Size, Files: k.Files, Tensors: make([]CheckpointTensor, 0, len(k.Tensors)), Storages: make([]CheckpointStorage, 0, len(k.Storages)),
		Globals: []CheckpointGlobal{}, Opcodes: append([]string{}, k.Opcodes...), Metadata: []CheckpointText{}, Refused: []CheckpointRefused{}}
	known := forms{}
	for _, t := range k.Tensors {
		x := newCheckpointTensor(t, k.Storages[t.Storage], known)
		x.PartOf = newPartOf(k.Locals[t.Name])
		r.Tensors = append(r.Tensors, x)
		r.TensorBytes += min(r.Tensors[len(r.Tensors)-1].NBytes, math.MaxInt64-r.TensorBytes)
	}
	r.addStorages(k)
	for _, g := range k.Globals {
		r.Globals = append(r.Globals, CheckpointGlobal(g))
	}
	for _, m := range k.Metadata {
		r.Metadata = append(r.Metadata, CheckpointText(m))
	}
	for _, x := range k.NotShown() {
		r.Refused = append(r.Refused, CheckpointRefused{x.Name, x.Why})
	}
	if k.Format.Saved() {
		ok := len(r.Opcodes) == 0 && !slices.ContainsFunc(r.Globals, func(g CheckpointGlobal) bool { return !g.WeightsOnly })
		r.WeightsOnly = &ok
	}
	r.align()
	return r
}

// form is what follows from a shape and its strides alone. Its parts are shared: they do not change.
type form struct {
	strides         []int
	contiguous      contiguity
	suggested, name string // PyTorch's memory formats
}

// forms are the known ones, by shape and strides. A model has many tensors of few forms, and each would take 500 bytes.
type forms map[string]*form

// get returns the form of a view.
func (known forms) get(view tensor.Strided) *form {
	key := fmt.Sprint(view.Shape, view.Strides)
	if f, ok := known[key]; ok {
		return f
	}
	f := &form{strides: append([]int{}, view.Strides...), suggested: string(view.SuggestMemoryFormat()), name: view.FormatName()}
	if l, err := view.Layout(nil, tensor.Unbounded); err == nil {
		f.contiguous = newContiguity(l)
	}
	known[key] = f
	return f
}

func newCheckpointTensor(t checkpoint.Tensor, s checkpoint.Storage, known forms) CheckpointTensor {
	view := t.View
	f := known.get(t.View)
	x := CheckpointTensor{Name: t.Name, NameBytes: text.RawBytes(t.Name), DType: t.Type.String(), Encoding: t.Encoding,
		Shape: append([]int{}, t.Shape()...), Strides: f.strides, Offset: view.Offset, Storage: t.Storage, Device: s.Device,
		NBytes: sizeOf(view.Numel(), t.Type), DataOffset: s.At + t.Type.Size(int64(view.Offset)), InPickle: s.Inline, Suggested: f.suggested, Format: f.name,
		Contiguous: f.contiguous}
	if t.Block > 0 {
		x.BlockShape = view.Shape
	}
	if l, err := view.Layout(nil, tensor.Unbounded); err == nil {
		if low, high, ok := l.Span(); ok {
			x.low = t.Type.Size(int64(low))
			x.high = t.Type.Size(int64(high + 1))
		}
	}
	return x
}

// sizeOf returns the bytes of n elements, at most those that an int64 counts.
func sizeOf(n int, d dtype.Type) int64 {
	if _, ok := tensor.Mul(n, d.ItemSize()); ok {
		return d.Size(int64(n))
	}
	return math.MaxInt64
}

// addStorages sets Storages and Unused.
func (r *Checkpoint) addStorages(k *source.Set) {
	for i, used := range checkpoint.Usage(k.Container) {
		s := CheckpointStorage{ID: k.Storages[i].ID, File: k.Storages[i].File, Slices: newSlices(k.SlicesOf(i)), NBytes: k.Storages[i].Bytes, Used: used.Bytes, Tensors: []string{}}
		if !used.Exact {
			s.Unknown = inexactWhy(k, used)
		}
		r.Storages = append(r.Storages, s)
		r.Unused += s.NBytes - s.Used
	}
	for _, t := range r.Tensors {
		s := &r.Storages[t.Storage]
		s.Tensors = append(s.Tensors, t.Name)
	}
}

// inexactWhy is why the used bytes of a storage are only an upper bound.
func inexactWhy(k *source.Set, used checkpoint.Used) string {
	if used.Refused >= 0 {
		return "bytes used by " + checkpoint.Names(k.Refused[used.Refused].Name) + " unknown"
	}
	return "too many elements to count in tensors with gaps"
}

// maxAlignment limits the reported alignment, in bytes: a page.
const maxAlignment = 4096

func (r *Checkpoint) align() {
	if f := checkpoint.Format(r.Format); f == checkpoint.JSON || f.Sliced() {
		return // descriptions have no addresses, slices several
	}
	for _, t := range r.Tensors {
		if t.NBytes > 0 && !t.InPickle {
			r.Alignment = int64(1) << min(bits.TrailingZeros64(uint64(t.DataOffset)), bits.TrailingZeros64(uint64(cmp.Or(r.Alignment, maxAlignment))))
		}
	}
}

// Shares returns the first other tensor in the storage, and their number. Names are unique.
func (r *Checkpoint) Shares(t *CheckpointTensor) (first string, n int) {
	all := r.Storages[t.Storage].Tensors
	n = len(all) - 1
	if n > 0 {
		first = all[0]
		if first == t.Name {
			first = all[1]
		}
	}
	return first, n
}

// Headline counts: model.pt: torch, 161 tensors in 94 storages, 97.8 MiB; 12.1 MiB unused.
func (r *Checkpoint) Headline() string {
	total := int64(0)
	for _, s := range r.Storages {
		total += s.NBytes
	}
	s := fmt.Sprintf("%s: %s, %s", text.Quote(r.Source), r.kindText(), text.Count(len(r.Tensors), "tensor"))
	if len(r.Storages) != len(r.Tensors) {
		s += " in " + text.Count(len(r.Storages), "storage")
	}
	if r.Format == string(checkpoint.Planes) {
		s += fmt.Sprintf(", %d bytes", total) // exact: a file has this size
	} else {
		s += ", " + text.Bytes(total)
	}
	if r.Unused > 0 {
		s += fmt.Sprintf("; %s unused", text.Bytes(r.Unused))
	}
	return s
}

func (r *Checkpoint) kindText() string {
	kind := checkpoint.Format(r.Format).Title()
	if len(r.Files) > 0 {
		kind += " in " + text.Count(len(r.Files), "file")
	}
	return kind
}

// Highlights are the lines of the first screen, the largest waste first.
func (r *Checkpoint) Highlights() []string {
	lines := append(labeled("unused: ", r.Waste(), "more storage"), labeled("shared: ", r.sharing(), "more storage")...)
	if odd := r.names(func(t *CheckpointTensor) bool { return !t.Contiguous.C }); len(odd) > 0 {
		line := fmt.Sprintf("not contiguous: %s", checkpoint.Names(odd...))
		if checkpoint.Format(r.Format).Saved() {
			line += "; safetensors refuses these"
		}
		lines = append(lines, line)
	}
	lines = append(lines, labeled("local: ", r.parts(), "more part")...)
	lines = append(lines, labeled("device: ", r.devices(), "more device")...)
	if blocks := r.names(func(t *CheckpointTensor) bool { return t.BlockShape != nil }); len(blocks) > 0 {
		lines = append(lines, fmt.Sprintf("quantized: %s; strides count blocks, shapes values", checkpoint.Names(blocks...)))
	}
	return append(lines, r.FileHighlights()...)
}

// FileHighlights are the highlights of the checkpoint itself, not of its tensors.
func (r *Checkpoint) FileHighlights() (lines []string) {
	if r.Alignment > 0 {
		every := "every tensor"
		if slices.ContainsFunc(r.Tensors, func(t CheckpointTensor) bool { return t.InPickle }) {
			every += " outside " + checkpoint.Format(r.Format).InlineIn()
		}
		lines = append(lines, fmt.Sprintf("alignment: %s begins at a multiple of %s", every, text.Bytes(r.Alignment)))
	}
	if r.WeightsOnly != nil {
		verdict := "accepts every name in the pickle"
		if !*r.WeightsOnly {
			verdict = "refuses " + r.Unsafe()
		}
		lines = append(lines, "torch.load(weights_only=True), PyTorch 2.15: "+verdict)
	}
	if n := len(r.Refused); n > 0 {
		lines = append(lines, fmt.Sprintf("skipped %s: %s", text.Quote(text.Cut(r.Refused[0].Name, 60)), r.Refused[0].Why))
		if n > 1 {
			lines = append(lines, fmt.Sprintf("skipped %s", text.Count(n-1, "more tensor")))
		}
	}
	return lines
}

// Unsafe names what of the pickle torch.load(weights_only=True) refuses; empty if nothing.
func (r *Checkpoint) Unsafe() string {
	var refused []string
	for _, g := range r.Globals {
		if !g.WeightsOnly {
			refused = append(refused, g.Name)
		}
	}
	if len(refused) > 0 {
		return "GLOBAL " + checkpoint.Names(refused...)
	}
	if len(r.Opcodes) > 0 {
		return "opcode " + checkpoint.Names(r.Opcodes...)
	}
	return ""
}

// Waste says what the tensors use of each storage with unused bytes, those with the most first.
func (r *Checkpoint) Waste() (lines []string) {
	var wasteful []*CheckpointStorage
	for i := range r.Storages {
		if s := &r.Storages[i]; s.Used < s.NBytes {
			wasteful = append(wasteful, s)
		}
	}
	slices.SortStableFunc(wasteful, func(a, b *CheckpointStorage) int { return cmp.Compare(b.NBytes-b.Used, a.NBytes-a.Used) })
	for _, s := range wasteful {
		who := "no tensor uses"
		if n := len(s.Tensors); n > 0 {
			who = fmt.Sprintf("%s %s %s of", checkpoint.Names(s.Tensors...), text.Plural(n, "uses", "use"), text.Bytes(s.Used))
		}
		lines = append(lines, fmt.Sprintf("%s the %s of storage %s", who, text.Bytes(s.NBytes), text.Quote(s.ID)))
	}
	return lines
}

// SharedBy says which tensors are views of a storage.
func SharedBy(names []string, storage string) string {
	return checkpoint.Names(names...) + " are views of storage " + text.Quote(storage)
}

// labeled labels the first three lines of a list, and counts the rest.
func labeled(label string, lines []string, noun string) []string {
	for i := range lines {
		if i == 3 {
			return append(lines[:i], label+text.Count(len(lines)-i, noun))
		}
		lines[i] = label + lines[i]
	}
	return lines
}

// sharing lists the storages that several tensors share.
func (r *Checkpoint) sharing() (lines []string) {
	for _, s := range r.Storages {
		if len(s.Tensors) > 1 {
			lines = append(lines, SharedBy(s.Tensors, s.ID))
		}
	}
	return lines
}

// deviceText names a device and what torch.load needs without it, of a file that torch.load reads; every machine has meta.
func deviceText(device, format string) string {
	text := text.Quote(device)
	if device != "meta" && format != string(checkpoint.JSON) {
		text += "; without it, torch.load needs map_location='cpu'"
	}
	return text
}

// devices lists the tensors that are not on the CPU.
func (r *Checkpoint) devices() (lines []string) {
	on := map[string][]string{}
	for _, t := range r.Tensors {
		if t.Device != "" && t.Device != "cpu" {
			on[t.Device] = append(on[t.Device], t.Name)
		}
	}
	for _, device := range slices.Sorted(maps.Keys(on)) {
		lines = append(lines, fmt.Sprintf("%s on %s", checkpoint.Names(on[device]...), deviceText(device, r.Format)))
	}
	return lines
}

// names returns the names of the tensors for which is returns true.
func (r *Checkpoint) names(is func(*CheckpointTensor) bool) (names []string) {
	for i := range r.Tensors {
		if is(&r.Tensors[i]) {
			names = append(names, r.Tensors[i].Name)
		}
	}
	return names
}

// Group counts the tensors of one type and memory format.
type Group struct {
	DType, Format string
	Tensors       int
	NBytes        int64
}

// Groups returns the tensors by type and memory format, most bytes first.
func (r *Checkpoint) Groups() []Group {
	var groups []Group
	at := map[[2]string]int{}
	for i := range r.Tensors {
		t := &r.Tensors[i]
		key := [2]string{cmp.Or(encodingName(t.Encoding), t.DType), t.Format}
		if _, ok := at[key]; !ok {
			at[key] = len(groups)
			groups = append(groups, Group{DType: key[0], Format: key[1]})
		}
		g := &groups[at[key]]
		g.Tensors = g.Tensors + 1
		g.NBytes = g.NBytes + min(t.NBytes, math.MaxInt64-g.NBytes)
	}
	sorting.By(groups, func(a, b Group) int { return cmp.Compare(b.NBytes, a.NBytes) })
	return groups
}
