"""Writes ExecuTorch's .ptd files with executorch, of random types, sizes and orders of dims, and answers the tensors in them.

Reads one JSON request a line from standard input, writes one JSON reply a line to standard output. Needs executorch, torch and numpy.
"""
import json
import logging
import random
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import executorch.exir  # noqa: E402,F401
import torch  # noqa: E402
from executorch.exir._serialize._cord import Cord  # noqa: E402
from executorch.exir._serialize.data_serializer import DataEntry, DataPayload  # noqa: E402
from executorch.exir.tensor import dim_order_from_stride, scalar_type_enum  # noqa: E402
from executorch.exir.tensor_layout import TensorLayout  # noqa: E402
from executorch.extension.flat_tensor.serialize.serialize import FlatTensorSerializer  # noqa: E402
from importlib.metadata import version  # noqa: E402

print("executorch", version("executorch"), flush=True)
KINDS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64, torch.bool, torch.bfloat16,
         torch.uint16]

for line in sys.stdin:
    request = json.loads(line)
    rng = random.Random(request["seed"])
    buffers, named, reply = [], {}, []
    for i in range(rng.randrange(1, 4)):
        kind = rng.choice(KINDS)
        shape = [rng.randrange(2, 5) for _ in range(rng.randrange(5))]
        order = list(range(len(shape)))
        rng.shuffle(order)
        n = 1
        for size in shape:
            n *= size
        raw = bytearray(rng.randbytes(n * kind.itemsize) if kind != torch.bool else [rng.randrange(2) for _ in range(n)])
        x = torch.frombuffer(raw, dtype=kind).reshape([shape[d] for d in order]).permute([order.index(d) for d in range(len(shape))])
        assert list(x.shape) == shape
        layout = TensorLayout(scalar_type_enum(kind), shape, list(dim_order_from_stride(x.stride())))
        buffers.append(bytes(raw))
        named[f"w.{i}"] = DataEntry(len(buffers) - 1, rng.choice([1, 16, 64]), layout)
        flat = x.contiguous().view(-1).view(torch.uint8) if n * kind.itemsize else []
        reply.append({"name": f"w.{i}", "dtype": str(kind).removeprefix("torch."), "shape": shape, "bytes": bytes(flat.tolist()).hex()})
    with open(request["path"], "wb") as f:
        f.write(bytes(FlatTensorSerializer().serialize(DataPayload(buffers, named))))
    back = FlatTensorSerializer().deserialize(Cord(open(request["path"], "rb").read()))
    assert sorted(back.named_data) == sorted(named)
    print(json.dumps(reply), flush=True)
