"""Provokes the messages that Debian's packages print, those of argv[1], torch or PIL, and writes each with its name, or its kind and the library, as a line of JSON."""
import importlib
import json
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
torch = library = importlib.import_module(sys.argv[1])
print(sys.argv[1], library.__version__, "numpy", np.__version__, flush=True)


def in_place():
    a = np.zeros((3, 4)).T
    a.shape = (12,)


def other_dtype():
    torch.zeros(2, 6, dtype=torch.float16).T.view(torch.float32)


of_pillow = {
    "pillow-channels": lambda: importlib.import_module("PIL.Image").fromarray(np.zeros((3, 224, 224), np.uint8)),
}
of_torch = {
    "view": lambda: torch.arange(24).reshape(2, 3, 4).transpose(1, 2).view(8, 3),
    "view-strides": lambda: torch._refs.view(torch.zeros(4, 6).T, (4, 6)),
    "reshape torch": lambda: torch.arange(12).view(5, 2),
    "reshape numpy": lambda: np.zeros(12).reshape(5, 2),
    "numpy-shape-in-place": in_place,
    "view-dtype": other_dtype,
    "numpy-view-size": lambda: np.zeros((2, 3), "f4").view("f8"),
    "layer-norm-shape": lambda: torch.nn.LayerNorm(64)(torch.zeros(1, 64, 7, 7)),
    "group-norm-groups": lambda: torch.nn.GroupNorm(32, 64)(torch.zeros(1, 7, 7, 64)),
    "group-norm-weight": lambda: torch.nn.GroupNorm(7, 63)(torch.zeros(1, 7, 7, 63)),
    "batch-norm-channels": lambda: torch.nn.BatchNorm2d(64)(torch.zeros(1, 7, 7, 64)),
    "prelu-channels": lambda: torch.nn.PReLU(64)(torch.zeros(1, 7, 7, 64)),
    "linear-features": lambda: torch.nn.Linear(64, 10)(torch.zeros(1, 64, 7, 7)),
    "numpy-view-dtype": lambda: np.zeros((3, 4), "f4").T.view("f2"),
    "conv-channels": lambda: torch.nn.Conv2d(3, 64, 7)(torch.zeros(1, 224, 224, 3)),
    "channels-last-rank": lambda: torch.zeros(2, 3).contiguous(memory_format=torch.channels_last),
    "state-dict-size": lambda: torch.nn.Conv2d(3, 64, 7, bias=False).load_state_dict({"weight": torch.zeros(64, 7, 7, 3)}),
    "shape numpy": lambda: np.copyto(np.zeros((224, 224, 3)), np.zeros((3, 224, 224))),
    "numpy-axes": lambda: np.zeros((3, 224, 224)).transpose(0, 3, 1, 2),
    "from-numpy-negative": lambda: torch.from_numpy(np.zeros(4)[::-1]),
    "from-numpy-itemsize": lambda: torch.from_numpy(np.zeros(3, dtype=[("a", "u1"), ("b", "f4")])["b"]),
    "protocol torch": lambda: torch.from_numpy(np.zeros(4, ">f4")),
    "overlap torch": lambda: torch.zeros(1, 3).expand(2, 3).add_(1),
    "storage-bounds": lambda: torch.as_strided(torch.zeros(4), (2, 3), (3, 1)),
    "load-cuda": lambda: torch.serialization.validate_cuda_device("cuda:0"),
    "memoryview-cast": lambda: memoryview(np.zeros((3, 4)).T).cast("B"),
}
for name, provoke in {"torch": of_torch, "PIL": of_pillow}[sys.argv[1]].items():
    try:
        provoke()
        text = "nothing was raised"
    except Exception as e:
        text = str(e)
    print(json.dumps({"name": name, "text": text}), flush=True)
