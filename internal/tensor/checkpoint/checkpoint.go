// Package checkpoint is what a container of tensors holds, whatever its format: the packages torch, safetensors and gguf fill
// it from a file, source opens its tensors, inspect tells of it.
package checkpoint

import (
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Format is what kind of file a container is.
type Format string

// The formats.
const (
	Torch       Format = "torch"        // a zip archive with data.pkl, as torch.save has written it since 1.6
	TorchLegacy Format = "torch-legacy" // pickles one after the other, then the storages
	TorchScript Format = "torchscript"  // an archive of torch.jit.save
	Safetensors Format = "safetensors"
	GGUF        Format = "gguf"
	NPZ         Format = "npz"
	NPY         Format = "npy"   // an array alone
	Folder             = NPY     // a .npy file for each tensor
	Raw         Format = "raw"   // bytes without a header
	Typed       Format = "shape" // a layout without a file
	JSON        Format = "json"  // tensors in the memory of a program, which describes them; there are no data
)

// titles are the formats in words.
var titles = map[Format]string{Torch: "PyTorch", TorchLegacy: "PyTorch (legacy)", TorchScript: "TorchScript", Safetensors: "safetensors",
	GGUF: "GGUF", NPZ: "npz", NPY: ".npy files", JSON: "described"}

// Title is the format in words.
func (f Format) Title() string { return titles[f] }

// Saved reports whether torch.save wrote it, as a pickle that torch.load reads.
func (f Format) Saved() bool { return f == Torch || f == TorchLegacy }

// Pickled reports whether it is PyTorch's: a pickle says its tensors, with their strides.
func (f Format) Pickled() bool { return f.Saved() || f == TorchScript }

// Container is the tensors of a checkpoint, in its order, and the storages that they are views of.
type Container struct {
	Format   Format
	Tensors  []Tensor
	Storages []Storage
	Globals  []Global  // what a pickle names, sorted; nothing of it is looked up or called
	Opcodes  []string  // of the pickle, which torch.load(weights_only=True) refuses whatever they name, such as STACK_GLOBAL
	Metadata []Entry   // in the file's order
	Refused  []Refused // what is called a tensor but is not shown
	LeftOut  []LeftOut // arrays of NumPy that are no tensors

	// Locate finds where a storage that is not inline begins, and which bytes of the file tell it and hold it; nil if At of all is known.
	Locate func(storage int) Located
}

// Located is how a storage is found in a file that is slow to read.
type Located struct {
	From, Bytes int64                 // of the file: its header and its content
	Find        func() (int64, error) // reads the header
}

// Tensor is a view of a storage.
type Tensor struct {
	Name    string // keys from the root, joined by dots; any bytes, unique; empty of the root, and of a key that is empty
	Root    bool   // the tensor is the root of a pickle itself, and no value of a dict
	Type    dtype.Type
	View    tensor.Strided // of elements of Type, from the storage's first byte
	Storage int            // index into Storages

	// Encoding says what an opaque element holds: "q4_0: 32 values in 18 bytes". Empty for elements that are numbers.
	Encoding string
	Block    int // values along the last dim that an opaque element holds; 0 for elements that are numbers
}

// Shape is the sizes in values. View counts elements, which of a quantized tensor are blocks.
func (t *Tensor) Shape() []int { return Values(t.View.Shape, t.Block) }

// Values is a shape of blocks in values: so many along the last dim.
func Values(shape []int, block int) []int {
	shape = slices.Clone(shape)
	if n := len(shape); n > 0 && block > 1 {
		shape[n-1] *= block
	}
	return shape
}

// Storage is consecutive bytes of a file.
type Storage struct {
	ID     string // as the file calls it
	File   string // the shard that holds it, a plain name beside the index; empty for the container itself
	At     int64  // its first byte in the file
	Bytes  int64
	Inline bool // it is in no file as it is, but in a pickle as text: At is 0, and Data its bytes
	Data   string
	Device string // that PyTorch had it on: cpu, cuda:0, mps; empty in other formats, and of a storage that no pickle names
}

// Global is a name in a pickle, as module.name.
type Global struct {
	Name        string
	WeightsOnly bool // torch.load(weights_only=True) accepts it
}

// Entry is one of a file's texts about itself.
type Entry struct{ Key, Value string }

// LeftOut is an array of NumPy whose elements are no numbers.
type LeftOut struct {
	Name, Elements string // Elements: Python objects, texts, times
}

// NotShown are what is refused, and then what is left out.
func (c *Container) NotShown() []Refused {
	all := slices.Clone(c.Refused)
	for _, l := range c.LeftOut {
		all = append(all, Refused{Name: l.Name, Why: "it is a NumPy array of " + l.Elements})
	}
	return all
}

// Refused is a tensor that cannot be shown, and why: sparse, quantized, a subclass; or an array of NumPy whose bytes are not read.
type Refused struct {
	Name, Why string
	Storages  []int // that it uses, indices into Storages; their bytes are not unused
}
