// Package checkpoint describes the content of a tensor container in any format: the packages torch, safetensors, gguf, onnx, pt2, zarr, tflite and ptd fill it from
// a file, source opens its tensors, inspect reports it.
package checkpoint

import (
	"cmp"
	"io"
	"slices"

	"github.com/tlayout/tlayout/internal/file/ggml"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// Format is the format of a container.
type Format string

// The formats.
const (
	Torch       Format = "torch"        // a zip archive with data.pkl, as torch.save has written it since 1.6
	TorchLegacy Format = "torch-legacy" // consecutive pickles, then the storages
	TorchScript Format = "torchscript"  // an archive of torch.jit.save
	Pickle      Format = "pickle"       // pickles of Python, without torch.save's storages; in a .npy file too, as the elements of an object array
	Safetensors Format = "safetensors"
	GGUF        Format = "gguf"
	ONNX        Format = "onnx"
	PT2         Format = "pt2"         // a program of torch.export
	DCP         Format = "dcp"         // a folder of torch.distributed.checkpoint
	Streams     Format = "torch-row"   // files of torch.save in a row: a .distcp file
	Ranks       Format = "torch-ranks" // files of torch.save, one of each rank, with DTensors
	Zarr        Format = "zarr"
	NPZ         Format = "npz"
	NPY         Format = "npy" // a single array
	TFLite      Format = "tflite"
	PTD         Format = "ptd" // data of an ExecuTorch program
	NIfTI       Format = "nifti"
	NRRD        Format = "nrrd"
	IDX         Format = "idx"
	Sequence    Format = "npy-sequence" // .npy arrays in a row, in one file
	Folder             = NPY            // a .npy file for each tensor
	Raw         Format = "raw"          // bytes without a header
	Typed       Format = "shape"        // a layout without a file
	Planes      Format = "planes"       // an image of several planes, without a header
	JSON        Format = "json"         // tensors in a program's memory, described without data
)

// titles are the formats' descriptions.
//
// To add a container: its Format above and its title here; a package below internal/file that fills a Container from an io.ReaderAt, every rule of the
// format a hostile file in its tests, and a fuzz target; its endings in internal/name/member.go, and in internal/batch/expand.go if every file of that
// ending in a folder is one; its first bytes in recognize, its reader in readCheckpoint of internal/file/source, its name in the hint of refuseMember;
// how convert reads it again in origins of internal/command/convertcmd. Delete its row of internal/file/foreign if it has one. A row
// in TestContentDecides.
var titles = map[Format]string{Torch: "PyTorch", TorchLegacy: "PyTorch (legacy)", TorchScript: "TorchScript", Pickle: "pickle", Safetensors: "safetensors",
	GGUF: "GGUF", ONNX: "ONNX", PT2: "torch.export", Zarr: "Zarr", TFLite: "TensorFlow Lite", PTD: "ExecuTorch data",
	DCP: "PyTorch DCP", Streams: "PyTorch files in a row", Ranks: "PyTorch rank files",
	NPZ: "npz", NPY: ".npy files", Sequence: ".npy arrays in a row", Planes: "planes", JSON: "described"}

// Title returns the format's description.
func (f Format) Title() string { return titles[f] }

// IsArray reports whether a file of the format is one array without a name.
func (f Format) IsArray() bool {
	switch f {
	case NPY, Raw, NIfTI, NRRD, IDX:
		return true
	}
	return false
}

// Saved reports whether torch.save wrote it: a pickle that torch.load reads.
func (f Format) Saved() bool { return f == Torch || f == TorchLegacy }

// Pickled reports whether a pickle describes its tensors, with their strides.
func (f Format) Pickled() bool { return f.Saved() || f == TorchScript || f == Pickle }

// Strided reports whether the format records the strides of its tensors, which are views of storages.
func (f Format) Strided() bool { return f.Pickled() || f == PT2 || f == Streams }

// Sliced reports whether the format has tensors in slices, each of which may be in several files.
func (f Format) Sliced() bool { return f == DCP || f == Ranks }

// InlineIn returns what holds the bytes of an inline storage.
func (f Format) InlineIn() string {
	switch f {
	case ONNX:
		return "varints"
	case Zarr:
		return "chunks"
	}
	return "the pickle"
}

// Container is a checkpoint's tensors, in its order, and the storages that they are views of.
type Container struct {
	Format   Format
	Tensors  []Tensor
	Storages []Storage
	Globals  []Global  // names in the pickles, sorted; none is looked up or called
	Opcodes  []string  // opcodes that torch.load(weights_only=True) always refuses, such as STACK_GLOBAL
	Metadata []Entry   // in the file's order
	Refused  []Refused // tensors that are not shown
	LeftOut  []LeftOut // NumPy arrays that are not tensors

	// Slices has, for each storage of a format with slices, the parts of a tensor whose elements, in C order, are the storage. They are then in
	// no one place: At is 0, and File empty. nil in other formats.
	Slices [][]Slice

	// Locals has the places of the tensors, by name, that are parts of global ones; nil without any.
	Locals map[string]*Local

	// Locate returns the unread header of a storage that is not inline; nil if all headers were read.
	Locate func(storage int) Located
	// Content returns what reads the bytes of an inline storage, from the first one; nil: Data has them.
	Content func(storage int) (io.Reader, error)

	Stated map[string]Stated // by the names of tensors
}

// Stated is what a file says of a tensor besides its layout.
type Stated struct {
	Dims []string // names of dims; nil: none
	Note string   // about how it is stored
}

// SlicesOf returns the slices of a storage; nil for consecutive bytes.
func (c *Container) SlicesOf(storage int) []Slice {
	if c.Slices == nil {
		return nil
	}
	return c.Slices[storage]
}

// Located is the header of a storage in a file that is slow to read, which is read when the storage is used. It is zero if it was read.
type Located struct {
	From, Bytes int64                 // the header and the storage in the file
	Find        func() (int64, error) // compares the header with the directory, and returns the storage's first byte
}

// Tensor is a view of a storage.
type Tensor struct {
	Name    string // keys from the root, joined by dots; any bytes, unique; empty for the root and for an empty key
	Root    bool   // the tensor is the pickle's root, not a dict's value
	Type    dtype.Type
	View    tensor.Strided // in elements of Type, from the storage's first byte
	Storage int            // index into Storages

	// Encoding says what an opaque element holds: "q4_0: 32 values in 18 bytes". Empty for elements that are numbers.
	Encoding string
	Block    int        // values of an opaque element, along the last dim; 0 for numbers
	Quant    *ggml.Type // the parts of such an element; nil if they are unknown
}

// Local is where a tensor of one rank belongs in a global tensor.
type Local struct {
	Shape, Offsets []int  // of the global tensor, and of the part in it
	Placements     string // as PyTorch prints them: Shard(dim=0), Replicate()
}

// Shape returns the sizes in values. View counts elements, which are blocks in a quantized tensor.
func (t *Tensor) Shape() []int { return Values(t.View.Shape, t.Block) }

// Values converts a shape in blocks to values: block values along the last dim.
func Values(shape []int, block int) []int {
	shape = slices.Clone(shape)
	if n := len(shape); n > 0 && block > 1 {
		shape[n-1] *= block
	}
	return shape
}

// Storage is consecutive bytes of a file.
type Storage struct {
	ID     string // the file's name for it
	File   string // the file that holds it, a path below the folder of the index or model; empty: the container itself
	At     int64  // its first byte in the file
	Bytes  int64
	Inline bool // it is text in a pickle, numbers in varints, or chunks: At is 0, and Data or Container.Content has its bytes
	Data   string
	Device string // PyTorch's device: cpu, cuda:0, mps; empty in other formats, and if no pickle names the storage
}

// Global is a name in a pickle, as module.name.
type Global struct {
	Name        string
	WeightsOnly bool // torch.load(weights_only=True) accepts it
}

// Entry is one of a file's metadata texts.
type Entry struct{ Key, Value string }

// LeftOut is a NumPy array whose elements are not numbers.
type LeftOut struct {
	Name, Elements string // Elements: Python objects, texts, times
}

// NotShown returns the refused tensors, then those left out.
func (c *Container) NotShown() []Refused {
	all := slices.Clone(c.Refused)
	for _, l := range c.LeftOut {
		all = append(all, Refused{Name: l.Name, Why: "it is a NumPy array of " + l.Elements})
	}
	return all
}

// Refused is a tensor that cannot be shown, and the reason: sparse, quantized, a subclass; or an unreadable NumPy array.
type Refused struct {
	Name, Why string
	Storages  []int // indices into Storages; their bytes count as used
}

// Names quotes the first three names of tensors for a sentence, and counts the rest: "a, b, c and 4 more".
func Names(names ...string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = text.Quote(text.Cut(cmp.Or(name, "the tensor"), 60))
	}
	return text.First(3, quoted, ", ")
}
