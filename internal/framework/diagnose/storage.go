package diagnose

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Messages about what a storage, a file or a buffer cannot hold.
var storageRules = []rule{
	{
		Message: Message{ID: "safetensors-not-contiguous", Framework: "safetensors",
			Text: "You are trying to save a non contiguous tensor: `conv1.weight` which is not allowed. It either means you are trying to save tensors which are " +
				"reference of each other in which case it's recommended to save only the full tensors, and reslice at load time, or simply call `.contiguous()` " +
				"on your tensor to pack it before saving.",
			Reference: "bindings/python/py_src/safetensors/torch.py, safetensors 0.4"},
		words: lazy.Regexp("You are trying to save a non contiguous tensor: `([^`]*)`"),
		answer: func(_ string, m []string) Answer {
			name := text.Quote(m[1])
			return Answer{
				What: name + " is not contiguous, and safetensors files store no strides", Same: tensor.No, Cost: "one copy of each such tensor",
				Facts: []string{"it is transposed, channels_last or a slice of another tensor; the file keeps values, not the memory format",
					"a .pt file keeps strides: torch.save writes the tensor unchanged"},
				Fixes: []string{"save_file({k: v.contiguous() for k, v in state.items()}, path)",
					"model.to(memory_format=torch.channels_last)  # again after loading"},
				Commands: []string{"tlayout inspect " + text.Shell("FILE.pt:"+m[1]), "tlayout convert FILE.pt -o FILE.safetensors"},
			}
		},
	},
	{
		Message: Message{ID: "safetensors-shared", Framework: "safetensors",
			Text: "Some tensors share memory, this will lead to duplicate memory on disk and potential differences when loading them again: " +
				"[{'lm_head.weight', 'wte.weight'}]. A potential way to correctly save your model is to use `save_model`.",
			Reference: "bindings/python/py_src/safetensors/torch.py, safetensors 0.4"},
		words: lazy.Regexp(`Some tensors share memory, this will lead to duplicate memory on disk[^:]*: ?(\[\{[^\]]*\}\])?`),
		answer: func(_ string, m []string) Answer {
			a := Answer{
				What: "several names are views of one storage, and safetensors files have no views", Same: tensor.Yes,
				Cost:  "each cloned name is stored again",
				Facts: []string{},
				Fixes: []string{"safetensors.torch.save_model(model, path)  # load_model ties them",
					"state = {k: v.clone() for k, v in state.items()}  # stores each one, untied"},
				Commands: []string{"tlayout inspect FILE.pt --all  # lists shared storages", "tlayout convert FILE.pt -o FILE.safetensors"},
			}
			if m[1] != "" {
				a.Facts = []string{"one storage each: " + text.Quote(text.Cut(m[1], 200))}
			}
			return a
		},
	},
	{
		Message: Message{ID: "from-numpy-negative", Framework: "PyTorch", Live: true,
			Text: "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently supported. " +
				"(You can probably work around this by making a copy of your array  with array.copy().) ",
			Reference: "torch/csrc/utils/tensor_numpy.cpp, PyTorch 1.13"},
		words: lazy.Regexp(`At least one (?:of the )?strides? in the given numpy array is negative|tensors with negative strides are not (?:currently )?supported`),
		answer: always(Answer{What: "NumPy views such as a[::-1], np.flip or np.rot90 have negative strides, which torch does not support", Same: tensor.No,
			Cost:     "one copy of the array",
			Facts:    []string{"np.ascontiguousarray returns an array of size-1 axes itself, with its negative strides"},
			Fixes:    []string{"x = torch.from_numpy(a.copy())", "x = torch.from_numpy(a[::-1]).flip(0)  # undoes a[::-1]"},
			Commands: []string{"tlayout trace --numpy --shape 4,3 '[::-1]'"}}),
	},
	{
		Message: Message{ID: "from-numpy-itemsize", Framework: "PyTorch", Live: true,
			Text:      "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the memory.",
			Reference: "torch/csrc/utils/tensor_numpy.cpp, PyTorch 1.13"},
		words: lazy.Regexp(`given numpy array strides not a multiple of the element byte size`),
		answer: always(Answer{What: "torch counts strides in elements; these byte strides are not multiples of the itemsize, typically a field of a structured array", Same: tensor.No,
			Cost: "one copy of the array", Fixes: []string{"x = torch.from_numpy(a.copy())"}, Commands: []string{"tlayout inspect FILE.npy"}}),
	},
	{
		Message: Message{ID: "from-numpy-byte-order", Framework: "PyTorch", Live: true,
			Text:      "given numpy array has byte order different from the native byte order. Conversion between byte orders is currently not supported.",
			Reference: "torch/csrc/utils/tensor_numpy.cpp, PyTorch 1.13"},
		words: lazy.Regexp(`given numpy array has byte order different from the native byte order`),
		answer: always(Answer{What: "the array is byte-swapped (>f4 on a little-endian machine), and torch supports only native order", Same: tensor.No, Cost: "one copy of the array",
			Fixes: []string{"x = torch.from_numpy(a.astype(a.dtype.newbyteorder('=')))"}, Commands: []string{"tlayout check FILE.npy --byte-order little"}}),
	},
	{
		Message: Message{ID: "write-to-expanded", Framework: "PyTorch", Live: true,
			Text: "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before " +
				"performing the operation.",
			Reference: "aten/src/ATen/MemoryOverlap.cpp, PyTorch 1.13"},
		words: lazy.Regexp(`more than one element of the written-to tensor refers to a single memory location`),
		answer: always(Answer{What: "an in-place write to an expanded tensor: all elements along a dim of stride 0 have one address", Same: tensor.No,
			Cost: "one copy with all elements of the expanded shape", Fixes: []string{"y = x.expand(shape).clone()  # or .contiguous(), then write to it"},
			Commands: []string{"tlayout trace --shape 1,3 'expand(2,3)'"}}),
	},
	{
		Message: Message{ID: "storage-bounds", Framework: "PyTorch", Live: true,
			Text: "setStorage: sizes [2, 3], strides [3, 1], storage offset 0, and itemsize 4 requiring a storage size of 24 are out of bounds for storage of " +
				"size 16",
			Reference: "aten/src/ATen/native/Resize.h, PyTorch 1.13"},
		words: lazy.Regexp(`sizes ` + list + `, strides ` + list + `, storage offset (\d+), and itemsize (\d+) requiring a storage size of (\d+) are out of bounds for ` +
			`storage of size (\d+)`),
		answer: storageBounds,
	},
	{
		Message: Message{ID: "load-cuda", Framework: "PyTorch", Live: true,
			Text: "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a CPU-only machine, " +
				"please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU.",
			Reference: "torch/serialization.py, PyTorch 1.13"},
		words: lazy.Regexp(`Attempting to deserialize object on (?:a )?(\w+) device`),
		answer: func(_ string, m []string) Answer {
			device := strings.ToUpper(m[1])
			return Answer{What: "the checkpoint has tensors saved on " + article(device) + " " + device + " device that this machine does not have", Same: tensor.Yes,
				Cost:     "nothing: the bytes in the file are the same for every device",
				Fixes:    []string{"state = torch.load(path, map_location='cpu')", "torch.save({k: v.cpu() for k, v in state.items()}, path)  # loads anywhere"},
				Commands: []string{"tlayout inspect FILE.pt  # lists each tensor's device", "tlayout convert FILE.pt -o FILE.safetensors  # reads it without PyTorch"}}
		},
	},
	{
		Message: Message{ID: "memoryview-cast", Framework: "Python", Live: true,
			Text: "memoryview: casts are restricted to C-contiguous views", Reference: "Objects/memoryobject.c, CPython 3.11"},
		words: lazy.Regexp(`memoryview: casts are restricted to C-contiguous views`),
		answer: always(Answer{What: "only C-contiguous arrays can be cast to bytes", Same: tensor.No, Cost: "one copy of the array",
			Fixes: []string{"m = memoryview(np.ascontiguousarray(a)).cast('B')"}, Commands: []string{"tlayout check FILE.npy --contiguous c"}}),
	},
	{
		Message: Message{ID: "opencv-layout", Framework: "OpenCV",
			Text:      "Layout of the output array img is incompatible with cv::Mat (step[ndims-1] != elemsize or step[1] != elemsize*nchannels)",
			Reference: "modules/python/src2/cv2_convert.cpp, OpenCV 4.5"},
		words: lazy.Regexp(`Layout of the output array \S+ is incompatible with cv::Mat`),
		answer: always(Answer{What: "cv::Mat requires channels last without gaps, and OpenCV cannot copy an array that it writes to", Same: tensor.No, Cost: "one copy of the array",
			Fixes:    []string{"img = img.copy()  # after transpose, flip or a slice of channels"},
			Commands: []string{"tlayout check FILE.npy --contiguous c"}}),
	},
	{
		Message: Message{ID: "not-c-contiguous", Framework: "NumPy",
			Text: "ndarray is not C-contiguous", Reference: "numpy/core/src/multiarray/buffer.c, NumPy 1.24"},
		words: lazy.Regexp(`ndarray is not (C-|Fortran )?contiguous`),
		answer: func(_ string, m []string) Answer {
			a := Answer{What: "a library requires a C-contiguous buffer; the array is transposed, sliced or in Fortran order", Same: tensor.No, Cost: "one copy of the array",
				Fixes: []string{"a = np.ascontiguousarray(a)"}, Commands: []string{"tlayout check FILE.npy --contiguous c"}}
			if strings.HasPrefix(m[1], "Fortran") {
				a.What = "a library requires a Fortran-order buffer; the array is not in Fortran order"
				a.Fixes = []string{"a = np.asfortranarray(a)"}
				a.Commands = []string{"tlayout check FILE.npy --contiguous f"}
			}
			return a
		},
	},
}

// storageBounds computes the byte at which a tensor's last element ends.
func storageBounds(_ string, m []string) Answer {
	a := Answer{What: fmt.Sprintf("the tensor ends at byte %s, but its storage at byte %s", m[5], m[6]), Same: tensor.No, Cost: "nothing: the call fails",
		Facts: []string{"as_strided and set_ never copy: the storage must hold the last element; a truncated checkpoint does not"}, Fixes: []string{},
		Commands: []string{"tlayout inspect FILE.pt"}}
	s, ok := strided(m[1], m[2])
	offset, badOffset := strconv.Atoi(m[3])
	size, badSize := strconv.Atoi(m[4])
	if badOffset != nil || badSize != nil {
		return a
	}
	if !ok || s.Empty() {
		return a
	}
	s, err := tensor.NewStrided(s.Shape, s.Strides, offset)
	if err != nil {
		return a
	}
	bytes, fits := tensor.Mul(s.StorageElems(), size)
	if !fits {
		return a
	}
	var sum []string
	for d, n := range s.Shape {
		sum = append(sum, fmt.Sprintf("%d·%d", n-1, s.Strides[d]))
	}
	a.Facts = []string{a.Facts[0], fmt.Sprintf("(%d + %s + 1)·%d = %d bytes, the storage has %s", offset, strings.Join(sum, " + "), size, bytes, m[6])}
	a.Commands = []string{command("inspect", tensor.Strided{Shape: s.Shape, Strides: s.Strides})}
	return a
}

// article returns the article of a device's name in capitals: letters that are read one by one, except CUDA and META.
func article(device string) string {
	if strings.ContainsRune("AEFHILMNORSX", rune(device[0])) && device != "META" {
		return "an"
	}
	return "a"
}
