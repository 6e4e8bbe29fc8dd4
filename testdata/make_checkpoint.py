"""Writes model.pt and m.safetensors: python3 make_checkpoint.py, with PyTorch 1.13."""

import collections
import json
import struct

import torch

base = torch.arange(2048, dtype=torch.float32)
state = collections.OrderedDict()
state["conv1.weight"] = torch.arange(8 * 3 * 3 * 3, dtype=torch.float32).reshape(8, 3, 3, 3).contiguous(memory_format=torch.channels_last)
state["conv1.bias"] = torch.zeros(8)
state["embed.weight"] = torch.arange(40, dtype=torch.float32).reshape(10, 4)
state["head.weight"] = state["embed.weight"]  # tied
state["stats.mean"] = base[16:24]  # a view that is saved with all of its storage
state["proj.weight"] = torch.arange(12, dtype=torch.bfloat16).reshape(3, 4).t()
torch.save(state, "model.pt")

# m.safetensors: two arrays, a float32 (2,3), 0 to 5, and b (2), by the format's README.
header = json.dumps({"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "b": {"dtype": "F32", "shape": [2], "data_offsets": [24, 32]}})
header += " " * (-len(header) % 8)
with open("m.safetensors", "wb") as f:
    f.write(struct.pack("<Q", len(header)) + header.encode() + struct.pack("<8f", 0, 1, 2, 3, 4, 5, 0, 0))
