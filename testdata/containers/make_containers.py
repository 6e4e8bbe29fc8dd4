"""Writes the files of this folder: python3 make_containers.py, with zarr 3.1, nibabel 5.4, pynrrd 1.1, tensorflow 2.21 and executorch 1.5.

grid.zarr is a group: chunks of order F without a codec, shards with Zstandard, chunks with gzip. volume.nii.gz is a NIfTI-1 image with a slope,
volume.hdr and .img a NIfTI-2 image in two files, scan.nrrd an image of pixels. digits-idx3-ubyte is an IDX file. net.tflite has a convolution, whose
weights are quantized, behind.tflite the same with its buffers behind the model, weights.ptd a tensor in channels_last order. Element i of each array, in C order, is i.
"""
import gzip
import os
import shutil
import struct
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
import nibabel
import nrrd
import numpy as np
import zarr
from zarr.codecs import GzipCodec, ZstdCodec


def counted(*shape, kind="f4"):
    return np.arange(np.prod(shape), dtype=kind).reshape(shape)


shutil.rmtree("grid.zarr", ignore_errors=True)
group = zarr.create_group("grid.zarr", zarr_format=3)
zarr.create_array("grid.zarr/image", data=counted(6, 8, kind="i2"), chunks=(3, 4), shards=(6, 4), compressors=ZstdCodec(),
                  dimension_names=("y", "x"))
zarr.create_array("grid.zarr/time", data=counted(5, kind="f8"), chunks=(2,), compressors=GzipCodec(), fill_value=-1)
os.remove("grid.zarr/time/c/1")
shutil.rmtree("order.zarr", ignore_errors=True)
zarr.create_array("order.zarr", data=counted(4, 6), chunks=(2, 3), order="F", zarr_format=2, compressors=None, filters=None)
os.remove("order.zarr/.zattrs")

image = nibabel.Nifti1Image(counted(3, 4, 2, kind="i2"), np.eye(4))
raw = bytearray(image.to_bytes())
raw[112:120] = struct.pack("<2f", 0.5, -1)
with open("volume.nii.gz", "wb") as f:
    f.write(gzip.compress(bytes(raw), mtime=0))
nibabel.save(nibabel.Nifti2Pair(counted(3, 4, 2, kind=">i4"), np.eye(4), nibabel.nifti2.Nifti2PairHeader(endianness=">")), "volume.hdr")
nrrd.write("scan.nrrd", counted(3, 8, 4, kind="u1"), {"encoding": "raw", "kinds": ["RGB-color", "domain", "domain"]})
with open("scan.nrrd", "rb") as f:
    lines = [line for line in f.read().split(b"\n") if not line.startswith(b"#")]
with open("scan.nrrd", "wb") as f:
    f.write(b"\n".join(lines))
with open("digits-idx3-ubyte", "wb") as f:
    f.write(struct.pack(">4B3I", 0, 0, 8, 3, 2, 5, 4) + counted(2, 5, 4, kind="u1").tobytes())

import executorch.exir
from executorch.exir._serialize.data_serializer import DataEntry, DataPayload
from executorch.exir.scalar_type import ScalarType
from executorch.exir.tensor_layout import TensorLayout
from executorch.extension.flat_tensor.serialize.serialize import FlatTensorSerializer, FlatTensorConfig

last = np.ascontiguousarray(counted(2, 3, 4, 5).transpose(0, 2, 3, 1))
named = {"conv.weight": DataEntry(0, 16, TensorLayout(ScalarType.FLOAT, [2, 3, 4, 5], [0, 2, 3, 1])), "blob": DataEntry(1, 16, None)}
with open("weights.ptd", "wb") as f:
    f.write(bytes(FlatTensorSerializer(FlatTensorConfig(segment_alignment=16)).serialize(DataPayload([last.tobytes(), b"blob"], named))))

import tensorflow as tf

layer = tf.keras.layers.Conv2D(2, 3, use_bias=False)
net = tf.keras.Sequential([tf.keras.Input((8, 8, 3)), layer])
layer.set_weights([np.ascontiguousarray(counted(2, 3, 3, 3).transpose(1, 2, 3, 0))])
c = tf.lite.TFLiteConverter.from_keras_model(net)
c.optimizations = [tf.lite.Optimize.DEFAULT]
c.representative_dataset = lambda: ([np.ones((1, 8, 8, 3), "f4") * i] for i in range(2))
with open("net.tflite", "wb") as f:
    f.write(c.convert())
c = tf.lite.TFLiteConverter.from_keras_model(net)
c._experimental_use_buffer_offset = True
with open("behind.tflite", "wb") as f:
    f.write(c.convert())
sys.stdout.flush()
