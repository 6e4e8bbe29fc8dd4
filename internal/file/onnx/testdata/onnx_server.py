"""Writes ONNX models with the package onnx, of tensors of every type, as raw_data, in typed fields, and as external data, and answers their names,
types, sizes and elements as numpy_helper reads them.

Reads one JSON request a line from standard input, writes one JSON reply a line to standard output. Needs onnx 1.23, numpy and ml_dtypes.
"""
import json
import os
import random
import sys

import numpy as np
import onnx
from onnx import TensorProto, external_data_helper, helper, numpy_helper

print("onnx", onnx.__version__, flush=True)

REFUSED = {TensorProto.UNDEFINED, TensorProto.STRING, TensorProto.FLOAT6E2M3, TensorProto.FLOAT6E3M2}
KINDS = [n for n in TensorProto.DataType.values() if n not in REFUSED]
BITS = {TensorProto.UINT4: 4, TensorProto.INT4: 4, TensorProto.FLOAT4E2M1: 4, TensorProto.UINT2: 2, TensorProto.INT2: 2}


def array(rng, kind):
    """Random elements of any bits."""
    shape = [rng.choice([0, 1, 1, 2, 3, 5]) for _ in range(rng.randrange(5))]
    d = helper.tensor_dtype_to_np_dtype(kind)
    n = int(np.prod(shape, dtype=int))
    if kind == TensorProto.BOOL:
        return np.array([rng.random() < 0.5 for _ in range(n)], d).reshape(shape)
    bits = BITS.get(kind)
    raw = rng.randbytes(n * d.itemsize) if bits is None else bytes(rng.randrange(1 << bits) for _ in range(n))
    a = np.frombuffer(raw, d).reshape(shape)
    if kind in (TensorProto.INT4, TensorProto.INT2):  # ml_dtypes extends the sign
        half = 1 << (bits - 1)
        a = (((np.frombuffer(raw, np.uint8).astype(np.int8) ^ half) - half).astype(d)).reshape(shape)
    return a


def packed(kind, a):
    """The bytes of elements in a file."""
    bits = BITS.get(kind)
    if bits is None:
        return a.tobytes()
    values = [v & ((1 << bits) - 1) for v in a.reshape(-1).view(np.uint8).tolist()]
    per = 8 // bits
    values += [0] * (-len(values) % per)
    return bytes(sum(v << (bits * k) for k, v in enumerate(values[i:i + per])) for i in range(0, len(values), per))


def typed(t, kind, a):
    """Puts elements into the field of their type."""
    field = getattr(t, helper.tensor_dtype_to_field(kind))
    flat = a.reshape(-1)
    if kind in BITS:
        field.extend(packed(kind, a))
    elif kind in (TensorProto.COMPLEX64, TensorProto.COMPLEX128):
        field.extend(flat.view(flat.real.dtype).tolist())
    elif kind in (TensorProto.FLOAT, TensorProto.DOUBLE):
        field.extend(flat.tolist())
    elif flat.dtype.kind in "iu" and kind <= TensorProto.UINT64:
        field.extend(flat.tolist())
    else:
        field.extend(flat.view(f"u{flat.dtype.itemsize}").astype("i8").tolist())


def tensor(rng, name, kind):
    a = array(rng, kind)
    t = TensorProto(name=name, data_type=kind, dims=a.shape)
    raw = kind in (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.COMPLEX64, TensorProto.COMPLEX128) and np.isnan(a).any()
    if raw or rng.random() < 0.5:  # a NaN's bits do not survive Python's float
        t.raw_data = packed(kind, a)
    else:
        typed(t, kind, a)
    back = numpy_helper.to_array(t)
    if back.tobytes() != a.tobytes() or list(back.shape) != list(a.shape):
        raise ValueError(f"onnx reads {name} of type {kind} as {back}, not {a}")
    return t, {"name": name, "type": kind, "shape": list(a.shape), "bytes": packed(kind, a).hex()}


for line in sys.stdin:
    q = json.loads(line)
    rng = random.Random(q["seed"])
    nodes, initializers, constants, want = [], [], [], []
    for i in range(rng.randrange(12)):
        t, w = tensor(rng, f"t{i}", rng.choice(KINDS))
        if rng.random() < 0.2:
            nodes.append(helper.make_node("Constant", [], [t.name], value=t))
            constants.append(w)
        else:
            initializers.append(t)
            want.append(w)
    model = helper.make_model(helper.make_graph(nodes, "g", [], [], initializers), producer_name="é")
    folder, base = os.path.split(q["path"])
    if rng.random() < 0.5:
        external_data_helper.convert_model_to_external_data(model, all_tensors_to_one_file=rng.random() < 0.7, location=base + ".data",
                                                            size_threshold=rng.choice([0, 8]), convert_attribute=rng.random() < 0.5)
    onnx.save(model, q["path"])
    print(json.dumps(constants + want), flush=True)
