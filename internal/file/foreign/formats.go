package foreign

import (
	"strings"

	"github.com/tlayout/tlayout/internal/name"
)

// Lines of Python, each of which TestPython runs on a file that the format's own library wrote.
const (
	fromHDF5 = "import h5py, numpy; d = {}; h5py.File('IN').visititems(lambda name, x: d.update({name: x[...]}) " +
		"if isinstance(x, h5py.Dataset) and x.dtype.kind in 'biufc' and x.size else None); numpy.savez('OUT.npz', **d)"
	fromMATLAB73 = "import h5py, numpy; d = {}; h5py.File('IN').visititems(lambda name, x: d.update({name: x[...].T}) " +
		"if isinstance(x, h5py.Dataset) and x.dtype.kind in 'biufc' and x.size else None); numpy.savez('OUT.npz', **d)"
	fromMATLAB = "import numpy, scipy.io; numpy.savez('OUT.npz', **{k: x for k, x in scipy.io.loadmat('IN').items() " +
		"if isinstance(x, numpy.ndarray) and x.dtype.kind in 'biufc'})"
	fromKeras = "import h5py, io, numpy, zipfile; f = h5py.File(io.BytesIO(zipfile.ZipFile('IN').read('model.weights.h5'))); d = {}; " +
		"f.visititems(lambda name, x: d.update({name: x[...]}) if isinstance(x, h5py.Dataset) else None); numpy.savez('OUT.npz', **d)"
	fromFlax = "import numpy; from flax.serialization import msgpack_restore as read; from flax.traverse_util import flatten_dict as flat; " +
		"numpy.savez('OUT.npz', **flat(read(open('IN', 'rb').read()), sep='/'))"
	fromJoblib = "import joblib, numpy; d = joblib.load('IN'); d = d if isinstance(d, dict) else {'array': d}; " +
		"numpy.savez('OUT.npz', **{str(name): x for name, x in d.items() if isinstance(x, numpy.ndarray)})"
	fromNeMo = "import tarfile; t = tarfile.open('IN'); t.extract(next(m for m in t if m.name.endswith('model_weights.ckpt')))"
	fromCore = "import numpy, coremltools as ct; m = ct.models.MLModel('IN', skip_model_load=True); " +
		"numpy.savez('OUT.npz', **{name: w.val for name, w in ct.optimize.coreml.get_weights_metadata(m, weight_threshold=0).items()})"
	fromCoreLayers = "import numpy, coremltools as ct; s = ct.utils.load_spec('IN'); n = getattr(s, s.WhichOneof('Type')); " +
		"numpy.savez('OUT.npz', **{l.name + '.' + f.name: numpy.array(w.floatValue, 'f4') if w.floatValue else numpy.frombuffer(w.float16Value, 'f2') " +
		"for l in n.layers for f, w in getattr(l, l.WhichOneof('layer')).ListFields() if type(w).__name__ == 'WeightParams' and (w.floatValue or w.float16Value)})"
	fromZarr = "import numpy, zarr; z = zarr.open('IN', mode='r'); " +
		"numpy.savez('OUT.npz', **({'array': z} if isinstance(z, zarr.Array) else dict(z.arrays())))"
	fromOrbax = "import jax.tree_util as tree, numpy, orbax.checkpoint, os; x = orbax.checkpoint.PyTreeCheckpointer().restore(os.path.abspath('IN')); " +
		"numpy.savez('OUT.npz', **{tree.keystr(k, simple=True, separator='/'): a for k, a in tree.tree_leaves_with_path(x)})"
	fromSavedModel = "import numpy, tensorflow as tf; r = tf.train.load_checkpoint('IN' + '/variables/variables'); " + fromReader
	fromCheckpoint = "import numpy, tensorflow as tf; r = tf.train.load_checkpoint('IN'.rsplit('.', 1)[0]); " + fromReader
	fromReader     = "d = {n: r.get_tensor(n) for n, t in r.get_variable_to_dtype_map().items() if t.is_floating or t.is_integer}; numpy.savez('OUT.npz', **d)"
	fromGraph      = "import numpy, tensorflow as tf; g = tf.compat.v1.GraphDef.FromString(open('IN', 'rb').read()); " +
		"numpy.savez('OUT.npz', **{n.name: tf.make_ndarray(n.attr['value'].tensor) for n in g.node if n.op == 'Const' and n.attr['dtype'].type != 7})"
	fromNetCDF = "import netCDF4, numpy; " +
		"numpy.savez('OUT.npz', **{n: numpy.asarray(x[...]) for n, x in netCDF4.Dataset('IN').variables.items() if x.dtype != str})"
	fromTable = "d = {n: t[n].to_numpy() for n in t.column_names}; numpy.savez('OUT.npz', **{n: x if x.dtype.kind in 'biufc' else numpy.stack(x) " +
		"for n, x in d.items() if x.dtype.kind in 'biufc' or len(x) and isinstance(x[0], numpy.ndarray)})"
	fromImage = "import numpy, PIL.Image; numpy.save('OUT.npy', numpy.asarray(PIL.Image.open('IN')))"
	fromWAV   = "import numpy, scipy.io.wavfile; numpy.save('OUT.npy', scipy.io.wavfile.read('IN')[1])"

	trusted = ", if you trust the file: a pickle runs code"
)

// joblib is the module that the pickles of joblib name.
const joblib = "joblib.numpy_pickle"

// IsJoblib reports whether a file that begins with a pickle is joblib's, which no other reader of pickles reads: bytes of arrays are between its
// opcodes.
func IsJoblib(head string) bool { return strings.Contains(head, joblib) }

// protocols begin pickles of protocols 2 to 5.
var protocols = []string{"\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"}

// formats are recognized by their bytes or the members of a zip archive, the first that fits, then as text, and then by the name's ending alone.
//
// Sources: HDF5 1.14, File Format Specification, section II.A; MathWorks, MAT-File Format, header text;
// file_identifier in executorch's schema/program.fbs; LLAMA_FILE_MAGIC in llama.h of llama.cpp
// before August 2023; netron, source/tensorrt.js; torch/export/pt2_archive/constants.py, and save in torch/export/__init__.py of PyTorch 2.2;
// keras/src/saving/saving_lib.py; nemo/core/connectors/save_restore_connector.py; orbax/checkpoint/_src/path/format_utils.py;
// DICOM PS3.10, 7.1; TIFF 6.0,
// section 2, and BigTIFF; FITS standard 4.0, 4.4.1; NetCDF, classic format specification; mxnet, src/ndarray/ndarray.cc, kMXAPINDArrayListMagic;
// Parquet, format README; Arrow, columnar format; SQLite, file format, 1.3; joblib/numpy_pickle.py; RIFF and ISO 14496-12.
//
// To add a format that is recognized and not read: a row here, whose Python was run on such a file.
var formats = []format{
	{name: "a gzip file", magic: []string{"\x1f\x8b"}, endings: []string{".gz"}, advice: "unpack it first: gunzip -k"},
	{name: "an xz file", magic: []string{"\xfd7zXZ\x00"}, endings: []string{".xz"}, advice: "unpack it first: unxz -k"},
	{name: "a bzip2 file", magic: []string{"BZh"}, endings: []string{".bz2"}, sharesMagic: true, advice: "unpack it first: bunzip2 -k"},
	{name: "a Zstandard file", magic: []string{"\x28\xb5\x2f\xfd"}, endings: []string{".zst"}, advice: "unpack it first: unzstd"},
	{name: "a MATLAB file", magic: []string{"MATLAB 5.0 MAT-file"}, endings: []string{".mat"}, python: fromMATLAB},
	{name: "a MATLAB file of version 7.3", magic: []string{"MATLAB 7.3 MAT-file"}, python: fromMATLAB73},
	{name: "an HDF5 file", magic: []string{"\x89HDF\r\n\x1a\n"}, endings: []string{".h5", ".hdf5"}, python: fromHDF5},
	{name: "a joblib file", magic: protocols, contains: joblib, endings: []string{".joblib"}, python: fromJoblib, advice: trusted},
	{name: "an ExecuTorch program", magic: []string{"ET12"}, at: 4, endings: []string{".pte"},
		advice: "save the weights of the model it was exported from: torch.save(model.state_dict(), 'model.pt')"},
	{name: "a program of torch.export", members: []string{"/archive_format", "serialized_exported_program.json"},
		python: "import torch; torch.save(dict(torch.export.load('IN').state_dict), 'OUT.pt')"},
	{name: "a Keras model", members: []string{"model.weights.h5"}, endings: []string{".keras"}, python: fromKeras},
	{name: "a ggml file in a format older than GGUF", magic: []string{"lmgg", "fmgg", "tjgg"},
		advice: "llama.cpp's convert_llama_ggml_to_gguf.py converts a LLaMA model to GGUF; whisper.cpp and rwkv.cpp read their own formats"},
	{name: "a TensorRT engine", magic: []string{"ftrt", "ptrt"}, endings: []string{".engine", ".plan", ".trt"},
		advice: "engines store weights in their kernels' formats: inspect the model it was built from"},
	{name: "a NeMo model", magic: []string{"ustar"}, at: 257, endings: []string{".nemo"}, sharesMagic: true, python: fromNeMo,
		advice: "; then inspect model_weights.ckpt"},
	{name: "a tar archive", magic: []string{"ustar"}, at: 257, endings: []string{".tar"}, advice: "unpack it first: tar -xf"},

	{name: "a DICOM image", magic: []string{"DICM"}, at: 128, endings: []string{".dcm"},
		python: "import numpy, pydicom; numpy.save('OUT.npy', pydicom.dcmread('IN').pixel_array)"},
	{name: "a TIFF image", magic: []string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"}, endings: []string{".tif", ".tiff"},
		python: "import numpy, tifffile; numpy.save('OUT.npy', tifffile.imread('IN'))"},
	{name: "a FITS file", magic: []string{"SIMPLE  = "}, endings: []string{".fits"},
		python: "import numpy; from astropy.io import fits; numpy.save('OUT.npy', fits.getdata('IN'))"},
	{name: "a netCDF file", magic: []string{"CDF\x01", "CDF\x02", "CDF\x05"}, endings: []string{".nc"}, python: fromNetCDF},
	{name: "an image", magic: []string{"\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF87a", "GIF89a", "P5\n", "P6\n"}, endings: []string{".png", ".jpg", ".jpeg"},
		python: fromImage},
	{name: "an image", magic: []string{"WEBP"}, at: 8, endings: []string{".webp"}, python: fromImage},
	{name: "a sound", magic: []string{"WAVE"}, at: 8, endings: []string{".wav"}, python: fromWAV},
	{name: "a video", magic: []string{"ftyp"}, at: 4, endings: []string{".mp4", ".mov"}, advice: "ffmpeg -i FILE -pix_fmt nv12 -f rawvideo OUT.nv12 writes raw frames"},

	{name: "parameters of MXNet", magic: []string{"\x12\x01\x00\x00\x00\x00\x00\x00"},
		advice: "save them with MXNet 1: mxnet.nd.load('FILE'), then .asnumpy() of each and numpy.savez"},
	{name: "a program of Paddle's inference", endings: []string{".pdmodel"}, advice: "its weights are in the .pdiparams beside it"},
	{name: "weights of Paddle's inference", endings: []string{".pdiparams"},
		advice: "save the model with paddle.save(layer.state_dict(), 'x.pdparams'), which is a pickle and read"},
	{name: "a Parquet file", magic: []string{"PAR1"}, endings: []string{".parquet"},
		python: "import numpy, pyarrow.parquet; t = pyarrow.parquet.read_table('IN'); " + fromTable},
	{name: "an Arrow file", magic: []string{"ARROW1"}, endings: []string{".feather"},
		python: "import numpy, pyarrow.feather; t = pyarrow.feather.read_table('IN'); " + fromTable},
	{name: "an Arrow stream", magic: []string{"\xff\xff\xff\xff"}, endings: []string{".arrow", ".arrows"}, sharesMagic: true,
		python: "import numpy, pyarrow; t = pyarrow.ipc.open_stream('IN').read_all(); " + fromTable},
	{name: "an SQLite database", magic: []string{"SQLite format 3\x00"}, advice: "read its rows with Python's sqlite3, and numpy.frombuffer of blobs"},
	{name: "an ELF program or library", magic: []string{"\x7fELF"}, advice: "it holds code, no tensors"},
	{name: "a PDF document", magic: []string{"%PDF-"}, advice: "it holds no tensors"},

	{name: "a msgpack file", endings: []string{".msgpack"}, python: fromFlax, advice: ", for parameters that flax wrote"},
	{name: "a Core ML model", endings: []string{".mlmodel"}, python: fromCoreLayers, advice: ", for a neural network; its weights have no shape"},
	{name: "a Core ML package", inside: []string{"Data/com.apple.CoreML/model.mlmodel"}, endings: []string{".mlpackage"}, python: fromCore,
		advice: ", for an ML program"},
	{name: "a checkpoint of Orbax", inside: []string{"_METADATA", "_sharding"}, python: fromOrbax, advice: ", with arrays only"},
	{name: "a SavedModel of TensorFlow", inside: []string{"saved_model.pb"}, python: fromSavedModel},
	{name: "a graph of TensorFlow", endings: []string{".pb"}, python: fromGraph, advice: ", for a frozen graph"},
	{name: "a checkpoint of TensorFlow", endings: []string{".index", ".data-?????-of-?????"}, python: fromCheckpoint},
}

// FromZarr returns the command that reads a Zarr array or group with a codec that is not read.
func FromZarr(n name.Name) string { return command(fromZarr, n) }
