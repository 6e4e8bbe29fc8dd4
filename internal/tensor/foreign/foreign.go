// Package foreign recognizes formats of files that are not read, and names the command that converts one to a .npy file, an archive or
// a checkpoint.
package foreign

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// format is a well-known format of files that hold tensors or numbers, and the Python that converts one to a file that is read.
type format struct {
	name    string
	magic   []string // one of these is in the file at byte at; none if it is recognized otherwise
	at      int
	members []string // of a zip archive: a member's name ends in one of these
	inside  []string // the file in a folder of this format
	endings []string // endings of names
	both    bool     // other formats share the magic: the ending must match too
	python  string   // IN is the file, OUT its name without the ending; empty if there is no such line
	advice  string   // a remark after the Python
}

const (
	fromONNX = "import numpy, onnx; from onnx.numpy_helper import to_array; m = onnx.load('IN'); " +
		"numpy.savez('OUT.npz', **{t.name: to_array(t) for t in m.graph.initializer})"
	fromTFLite = "import numpy, tflite; m = tflite.Model.GetRootAsModel(open('IN', 'rb').read(), 0); g = m.Subgraphs(0); " +
		"ts = [(t, m.Buffers(t.Buffer())) for t in map(g.Tensors, range(g.TensorsLength()))]; " +
		"kind = {0: 'f4', 1: 'f2', 2: 'i4', 3: 'u1', 4: 'i8', 6: '?', 7: 'i2', 9: 'i1', 10: 'f8'}; " +
		"numpy.savez('OUT.npz', **{t.Name().decode(): b.DataAsNumpy().view(kind[t.Type()]).reshape(t.ShapeAsNumpy()) for t, b in ts if b.DataLength()})"
	fromKeras = "import h5py, io, numpy, zipfile; f = h5py.File(io.BytesIO(zipfile.ZipFile('IN').read('model.weights.h5'))); d = {}; " +
		"f.visititems(lambda name, x: d.update({name: x[...]}) if isinstance(x, h5py.Dataset) else None); numpy.savez('OUT.npz', **d)"
	fromFlax = "import numpy; from flax.serialization import msgpack_restore as read; from flax.traverse_util import flatten_dict as flat; " +
		"numpy.savez('OUT.npz', **flat(read(open('IN', 'rb').read()), sep='/'))"
	fromPaddle = "import numpy, pickle; d = pickle.load(open('IN', 'rb')); " +
		"numpy.savez('OUT.npz', **{name: x for name, x in d.items() if isinstance(x, numpy.ndarray)})"
	fromPickle = "import numpy, pickle; d = pickle.load(open('IN', 'rb')); d = d if isinstance(d, dict) else {'array': d}; " +
		"numpy.savez('OUT.npz', **{str(name): x for name, x in d.items() if isinstance(x, numpy.ndarray)})"
	fromNeMo = "import tarfile; t = tarfile.open('IN'); t.extract(next(m for m in t if m.name.endswith('model_weights.ckpt')))"
	fromCore = "import numpy, coremltools as ct; m = ct.models.MLModel('IN', skip_model_load=True); " +
		"numpy.savez('OUT.npz', **{name: w.val for name, w in ct.optimize.coreml.get_weights_metadata(m, weight_threshold=0).items()})"
	fromZarr = "import numpy, zarr; z = zarr.open('IN', mode='r'); " +
		"numpy.savez('OUT.npz', **({'array': z} if isinstance(z, zarr.Array) else dict(z.arrays())))"
	trusted = ", if you trust the file: a pickle runs code"
)

// protocols begin pickles of protocols 2 to 5.
var protocols = []string{"\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"}

// formats are recognized by their bytes or the members of a zip archive, the first that fits, and then by the name's ending alone.
//
// Sources: HDF5 1.14, File Format Specification, section II.A; onnx 1.15, numpy_helper.py; MathWorks, MAT-File Format, header text;
// file_identifier in tensorflow/lite/schema/schema.fbs and in executorch's schema/program.fbs; LLAMA_FILE_MAGIC in llama.h of llama.cpp
// before August 2023; netron, source/tensorrt.js; torch/export/pt2_archive/constants.py, and save in torch/export/__init__.py of PyTorch 2.2;
// keras/src/saving/saving_lib.py; nemo/core/connectors/save_restore_connector.py; paddle/framework/io.py;
// Zarr, specification of versions 2 and 3.
var formats = []format{
	{name: "a gzip file", magic: []string{"\x1f\x8b"}, endings: []string{".gz"}, advice: "unpack it first: gunzip -k"},
	{name: "an xz file", magic: []string{"\xfd7zXZ\x00"}, endings: []string{".xz"}, advice: "unpack it first: unxz -k"},
	{name: "a bzip2 file", magic: []string{"BZh"}, endings: []string{".bz2"}, both: true, advice: "unpack it first: bunzip2 -k"},
	{name: "a Zstandard file", magic: []string{"\x28\xb5\x2f\xfd"}, endings: []string{".zst"}, advice: "unpack it first: unzstd"},
	{name: "a MATLAB file", magic: []string{"MATLAB 5.0 MAT-file"}, endings: []string{".mat"},
		python: "import numpy, scipy.io; numpy.save('OUT.npy', scipy.io.loadmat('IN')['NAME'])"},
	{name: "a MATLAB file of version 7.3", magic: []string{"MATLAB 7.3 MAT-file"},
		python: "import h5py, numpy; numpy.save('OUT.npy', h5py.File('IN')['NAME'][...].T)"},
	{name: "an HDF5 file", magic: []string{"\x89HDF\r\n\x1a\n"}, endings: []string{".h5", ".hdf5"},
		python: "import h5py, numpy; numpy.save('OUT.npy', h5py.File('IN')['NAME'][...])"},
	{name: "parameters of Paddle", magic: protocols, endings: []string{".pdparams"}, both: true, python: fromPaddle, advice: trusted},
	{name: "a pickle", magic: protocols, endings: []string{".pkl", ".pickle"},
		python: fromPickle, advice: trusted},
	{name: "a TensorFlow Lite model", magic: []string{"TFL3"}, at: 4, endings: []string{".tflite"}, python: fromTFLite},
	{name: "an ExecuTorch program", magic: []string{"ET12"}, at: 4, endings: []string{".pte"},
		advice: "save the weights of the model it was exported from: torch.save(model.state_dict(), 'model.pt')"},
	{name: "a program of torch.export", members: []string{"/archive_format", "serialized_exported_program.json"}, endings: []string{".pt2"},
		python: "import torch; torch.save(dict(torch.export.load('IN').state_dict), 'OUT.pt')"},
	{name: "a Keras model", members: []string{"model.weights.h5"}, endings: []string{".keras"}, python: fromKeras},
	{name: "a ggml file in a format older than GGUF", magic: []string{"lmgg", "fmgg", "tjgg"},
		advice: "llama.cpp's convert_llama_ggml_to_gguf.py converts a LLaMA model to GGUF; whisper.cpp and rwkv.cpp read their own formats"},
	{name: "a TensorRT engine", magic: []string{"ftrt", "ptrt"}, endings: []string{".engine", ".plan", ".trt"},
		advice: "engines store weights in their kernels' formats: inspect the model it was built from"},
	{name: "a NeMo model", magic: []string{"ustar"}, at: 257, endings: []string{".nemo"}, both: true, python: fromNeMo,
		advice: "; then inspect model_weights.ckpt"},
	{name: "a tar archive", magic: []string{"ustar"}, at: 257, endings: []string{".tar"}, advice: "unpack it first: tar -xf"},
	{name: "a msgpack file", endings: []string{".msgpack"}, python: fromFlax, advice: ", for parameters that flax wrote"},
	{name: "an ONNX model", endings: []string{".onnx"}, python: fromONNX},
	{name: "a Core ML model", inside: []string{"Data/com.apple.CoreML/model.mlmodel"}, endings: []string{".mlmodel"}, python: fromCore,
		advice: ", for an ML program"},
	{name: "a Zarr array or group", inside: []string{".zarray", ".zgroup", "zarr.json"}, python: fromZarr},
	{name: "an image", magic: []string{"\x89PNG\r\n\x1a\n", "\xff\xd8\xff"}, endings: []string{".png", ".jpg", ".jpeg"},
		python: "import numpy, PIL.Image; numpy.save('OUT.npy', numpy.asarray(PIL.Image.open('IN')))"},
	{name: "a table of numbers as text", endings: []string{".csv"}, python: "import numpy; numpy.save('OUT.npy', numpy.loadtxt('IN', delimiter=','))"},
	{name: "a table of numbers as text", endings: []string{".txt", ".tsv"}, python: "import numpy; numpy.save('OUT.npy', numpy.loadtxt('IN'))"},
}

// lfsMagic begins Git LFS's pointer to a file. (git-lfs/git-lfs, docs/spec.md: a pointer is smaller than 1024 bytes)
const lfsMagic = "version https://git-lfs.github.com/spec/v1\n"

// LFSPointer returns the error for a file that starts like this and is only a Git LFS pointer: fault.Unsupported; nil for others.
func LFSPointer(head string) error {
	if !strings.HasPrefix(head, lfsMagic) {
		return nil
	}
	of := ""
	for line := range strings.Lines(head) {
		if size, ok := strings.CutPrefix(strings.TrimSpace(line), "size "); ok {
			if bytes, err := strconv.ParseInt(size, 10, 64); err == nil && bytes >= 0 {
				of = ", which has " + text.ExactBytes(bytes)
			}
		}
	}
	return fault.New(fault.Unsupported, "a Git LFS pointer instead of the file itself%s", of).WithHint("git lfs pull fetches it")
}

// Recognize returns the error for a file with one of the formats, by its first bytes or else by its name: fault.Unsupported; nil for
// others.
func Recognize(name, begins string) error {
	ending := strings.ToLower(filepath.Ext(text.URLPath(name)))
	for i, f := range formats {
		has := func(m string) bool { return len(begins) > f.at && strings.HasPrefix(begins[f.at:], m) }
		if slices.ContainsFunc(f.magic, has) && (!f.both || slices.Contains(f.endings, ending)) {
			return formats[i].refuse(name)
		}
	}
	if ending == ".txt" && !strings.ContainsAny(begins[:min(1, len(begins))], "0123456789+-.# ") {
		return nil // prose
	}
	for i, f := range formats {
		if slices.Contains(f.endings, ending) {
			return formats[i].refuse(name)
		}
		if slices.Contains(f.inside, filepath.Base(name)) {
			return formats[i].refuse(filepath.Dir(name))
		}
	}
	return nil
}

// Folder returns the error for a folder with one of the formats: fault.Unsupported; nil for others.
func Folder(path string) error {
	for i, f := range formats {
		for _, name := range f.inside {
			if info, err := os.Stat(filepath.Join(path, name)); err == nil && info.Mode().IsRegular() {
				return fault.In(text.Quoted(path), formats[i].refuse(filepath.Clean(path)))
			}
		}
	}
	return nil
}

// Zip returns the error for a zip archive with one of the formats, by its members' names: fault.Unsupported; nil for
// others.
func Zip(name string, members []string) error {
	for i, f := range formats {
		for _, end := range f.members {
			if slices.ContainsFunc(members, func(m string) bool { return strings.HasSuffix(m, end) }) {
				return formats[i].refuse(name)
			}
		}
	}
	return nil
}

// refuse returns the error for a file of this format, with the command that converts it as the hint.
func (f *format) refuse(name string) error {
	in, out := name, strings.TrimSuffix(name, filepath.Ext(text.URLPath(name)))
	if text.Scheme(name) != "" || strings.Trim(out, "./") == "" {
		in, out = "FILE", "OUT"
	}
	e := fault.New(fault.Unsupported, "%s, not a .npy file", f.name)
	if f.python == "" {
		return e.WithHint("%s", f.advice)
	}
	literals := []string{"'IN'", text.Python(in)}
	for _, ending := range []string{".npy", ".npz", ".pt"} {
		literals = append(literals, "'OUT"+ending+"'", text.Python(out+ending))
	}
	return e.WithHint("python3 -c %s%s", text.Shell(strings.NewReplacer(literals...).Replace(f.python)), f.advice)
}
