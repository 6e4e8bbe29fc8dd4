"""samples.py NAME FILE writes a file in the named format, by its own library, and prints a line of JSON: the arrays that the file holds,
as name, type, shape and elements. It exits with 3, and names the module, where the library is missing."""
import json
import os
import struct
import sys

try:
    import numpy as np

    A = np.arange(24, dtype="f4").reshape(2, 3, 4)
    B = np.arange(6, dtype="i2").reshape(2, 3)
    PIXELS = np.arange(60, dtype="u1").reshape(4, 5, 3)

    def hdf5(path):
        import h5py
        with h5py.File(path, "w") as f:
            f["conv/kernel"], f["conv/bias"], f["name"] = A, B, "text"
            f["none"] = h5py.Empty("f4")
        return {"conv/kernel": A, "conv/bias": B}

    def matlab(path):
        import scipy.io
        scipy.io.savemat(path, {"w": A, "b": B, "s": {"x": 1}, "t": "text"})
        return {"w": A, "b": B}

    def matlab73(path):
        import h5py
        with h5py.File(path, "w", userblock_size=512) as f:
            f["w"], f["b"] = A.T, B.T
        with open(path, "r+b") as f:
            f.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + struct.pack("<HH", 0x200, 0x4d49))
        return {"w": A, "b": B}

    def mlmodel(path):
        import coremltools as ct
        from coremltools.models import datatypes, neural_network
        n = neural_network.NeuralNetworkBuilder([("x", datatypes.Array(3, 8, 8))], [("y", datatypes.Array(2, 6, 6))])
        w = np.arange(54, dtype="f4").reshape(3, 3, 3, 2)
        n.add_convolution("c", 3, 2, 3, 3, 1, 1, "valid", 1, W=w, b=np.ones(2, "f4"), has_bias=True, input_name="x", output_name="y")
        ct.models.utils.save_spec(n.spec, path)
        return {"c.weights": np.ascontiguousarray(w.transpose(3, 2, 0, 1)).ravel(), "c.bias": np.ones(2, "f4")}

    def keras(path):
        import h5py
        import io
        import zipfile
        held = io.BytesIO()
        with h5py.File(held, "w") as f:
            f["layers/dense/vars/0"] = A
        with zipfile.ZipFile(path, "w") as z:
            z.writestr("config.json", "{}")
            z.writestr("model.weights.h5", held.getvalue())
        return {"layers/dense/vars/0": A}

    def msgpack(path):
        from flax.serialization import msgpack_serialize
        with open(path, "wb") as f:
            f.write(msgpack_serialize({"params": {"w": A, "b": B}}))
        return {"params/w": A, "params/b": B}

    def joblib(path):
        import joblib as j
        j.dump({"w": A, "n": 1}, path)
        return {"w": A}

    def orbax(path):
        import orbax.checkpoint as o
        with o.PyTreeCheckpointer() as saver:
            saver.save(os.path.abspath(path), {"w": A, "b": {"c": B}})
        return {"w": A, "b/c": B}

    def zarr(path):
        import zarr as z
        g = z.open_group(path, mode="w")
        g.create_array("w", data=A, compressors=z.codecs.BloscCodec())
        return {"w": A}

    def table():
        import pyarrow
        rows = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(A.ravel()), 4)
        return pyarrow.table({"w": rows, "b": B.ravel(), "name": list("abcdef")}), {"w": A.reshape(6, 4), "b": B.ravel()}

    def parquet(path):
        import pyarrow.parquet
        t, held = table()
        pyarrow.parquet.write_table(t, path)
        return held

    def feather(path):
        import pyarrow.feather
        t, held = table()
        pyarrow.feather.write_feather(t, path)
        return held

    def stream(path):
        import pyarrow
        t, held = table()
        with pyarrow.ipc.new_stream(path, t.schema) as w:
            w.write_table(t)
        return held

    def dicom(path):
        from pydicom import dataset, uid
        d = dataset.Dataset()
        d.Rows, d.Columns, d.BitsAllocated, d.BitsStored, d.HighBit = 2, 3, 16, 16, 15
        d.SamplesPerPixel, d.PhotometricInterpretation, d.PixelRepresentation = 1, "MONOCHROME2", 1
        d.PixelData = B.tobytes()
        d.file_meta = dataset.FileMetaDataset()
        d.file_meta.TransferSyntaxUID = uid.ExplicitVRLittleEndian
        d.file_meta.MediaStorageSOPClassUID = d.SOPClassUID = uid.UID("1.2.840.10008.5.1.4.1.1.7")
        d.file_meta.MediaStorageSOPInstanceUID = d.SOPInstanceUID = uid.UID("1.2.3")
        d.save_as(path, enforce_file_format=True)
        return {"": B}

    def tiff(path):
        import tifffile
        tifffile.imwrite(path, B)
        return {"": B}

    def fits(path):
        from astropy.io import fits as f
        f.writeto(path, A)
        return {"": A}

    def netcdf(path):
        import netCDF4
        with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as d:
            for name, size in zip("xyz", A.shape):
                d.createDimension(name, size)
            d.createVariable("w", "f4", tuple("xyz"))[...] = A
        return {"w": A}

    def png(path):
        import PIL.Image
        PIL.Image.fromarray(PIXELS).save(path, format="PNG")
        return {"": PIXELS}

    def ppm(path):
        import PIL.Image
        PIL.Image.fromarray(PIXELS).save(path, format="PPM")
        return {"": PIXELS}

    def wav(path):
        import scipy.io.wavfile
        scipy.io.wavfile.write(path, 8000, B)
        return {"": B}

    def text(path):
        np.savetxt(path, B, fmt="%d")
        return {"": B.astype("f8")}

    def csv(path):
        np.savetxt(path, B, fmt="%d", delimiter=",", header="a,b,c", comments="")
        return {"": B.astype("f8")}

    def saved_model(path):
        import tensorflow as tf
        m = tf.Module()
        m.w = tf.Variable(A)
        tf.saved_model.save(m, path)
        return {"w/.ATTRIBUTES/VARIABLE_VALUE": A}

    def checkpoint(path):
        import tensorflow as tf
        tf.train.Checkpoint(w=tf.Variable(A)).write(path.rsplit(".", 1)[0])
        return {"w/.ATTRIBUTES/VARIABLE_VALUE": A}

    def graph(path):
        import tensorflow as tf
        with tf.Graph().as_default() as g:
            tf.constant(A, name="w")
            tf.constant("text", name="t")
        with open(path, "wb") as f:
            f.write(g.as_graph_def().SerializeToString())
        return {"w": A}


    def nemo(path):
        import tarfile
        import torch
        torch.save({"w": torch.from_numpy(A)}, "model_weights.ckpt")
        with tarfile.open(path, "w") as t:
            t.add("model_weights.ckpt")
        os.remove("model_weights.ckpt")
        return {"w": A}

    held = globals()[sys.argv[1]](sys.argv[2])
except ModuleNotFoundError as e:
    print(e.name)
    sys.exit(3)
print(json.dumps([[n, x.dtype.name, list(x.shape), [float(v) for v in np.asarray(x).ravel()]] for n, x in sorted(held.items())]))
