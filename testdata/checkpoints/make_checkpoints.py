"""Writes the checkpoints of this folder. Made with PyTorch 1.13.0; safetensors and GGUF are written by the lines below.

views.pt and old.pth have tensors of many layouts. plain.pt, plain.safetensors and model.safetensors.index.json with its shards hold
the same elements in C order, none of them shared.
"""
import collections, json, struct

import numpy as np
import torch

base = torch.arange(4 * 3 * 2 * 2, dtype=torch.float32)
wte = torch.arange(12, dtype=torch.float32).reshape(4, 3)
batch = torch.arange(8 * 16, dtype=torch.float32).reshape(8, 16)
views = collections.OrderedDict([
    ("conv1.weight", base.reshape(4, 3, 2, 2).contiguous(memory_format=torch.channels_last)),
    ("conv1.bias", torch.ones(1).expand(4)),  # stride 0
    ("wte.weight", wte),
    ("lm_head.weight", wte),  # tied
    ("fc.weight", torch.arange(6, dtype=torch.float64).reshape(2, 3).t()),
    ("batch.row", batch[2]),  # 64 of the storage's 512 bytes
    ("batch.even", torch.arange(8, dtype=torch.int32)[::2]),  # every second element of its storage
    ("scale", torch.tensor(0.5)),
    ("empty", torch.zeros(0, 3)),
    ("half", torch.tensor([[1.5, -2.0], [0.25, 3.0]], dtype=torch.bfloat16)),
])
plain = collections.OrderedDict((name, t.contiguous().clone(memory_format=torch.contiguous_format)) for name, t in views.items())


torch.save(views, "views.pt")
torch.save(plain, "plain.pt")
torch.save(views, "old.pth", _use_new_zipfile_serialization=False)
torch.manual_seed(0)
torch.save(torch.nn.Linear(2, 3), "module.pt")
torch.save(collections.OrderedDict([
    ("a b", torch.ones(2)), ("a:b", torch.ones(2)), ("a/b", torch.ones(2)), ("a[0]", torch.ones(2)), ("a*", torch.ones(2)),
    ("a\x1b[31m\nb", torch.ones(2)), ("ключ", torch.ones(2)), ("", torch.ones(2)), ("-x", torch.ones(2)),
    ("C:\\w.npy", torch.ones(2)), ("m.pt:w", torch.ones(2)),
]), "names.pt")
weave = torch.arange(8, dtype=torch.float32)
torch.save({"even": weave[::2], "odd": weave[1::2]}, "weave.pt")  # each uses the other's gaps
torch.save({"w": torch.arange(6.).reshape(2, 3), "s": torch.eye(3).to_sparse()}, "sparse.pt")
torch.save({"w": torch.ones(2), "mean": np.asfortranarray(np.arange(-1, 5, dtype=np.float32).reshape(2, 3)), "names": np.array(["a", None])}, "arrays.pt")
renamed = collections.OrderedDict(("model." + name, t) for name, t in plain.items() if name != "scale")
renamed["model.half"] = renamed["model.half"].float()
torch.save(renamed, "renamed.pt")

WORDS = {torch.float32: "F32", torch.float64: "F64", torch.bfloat16: "BF16", torch.int32: "I32"}


def data(t):
    return (t.view(torch.int16) if t.dtype == torch.bfloat16 else t).numpy().tobytes()


def safetensors(path, tensors, align=8):
    header, at = {}, 0
    for name, t in tensors.items():
        n = t.numel() * t.element_size()
        header[name] = {"dtype": WORDS[t.dtype], "shape": list(t.shape), "data_offsets": [at, at + n]}
        at += n
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % align)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(data(t) for t in tensors.values()))


safetensors("plain.safetensors", plain)
names = list(plain)
parts = [{n: plain[n] for n in names[:4]}, {n: plain[n] for n in names[4:]}]
index = {}
for i, part in enumerate(parts):
    file = "model-0000%d-of-00002.safetensors" % (i + 1)
    safetensors(file, part)
    index.update((n, file) for n in part)
total = sum(t.numel() * t.element_size() for t in plain.values())
with open("model.safetensors.index.json", "w") as f:
    json.dump({"metadata": {"total_size": total}, "weight_map": index}, f, indent=1)
    f.write("\n")


def gguf(path):
    """A float32 tensor of ne (3, 2), and one of q4_0 of ne (64, 2): blocks of 32 values in 18 bytes."""
    text = lambda s: struct.pack("<Q", len(s)) + s.encode()
    out = b"GGUF" + struct.pack("<IQQ", 3, 2, 1) + text("general.architecture") + struct.pack("<I", 8) + text("llama")
    out += text("norm.weight") + struct.pack("<IQQIQ", 2, 3, 2, 0, 0)
    out += text("blk.0.attn_q.weight") + struct.pack("<IQQIQ", 2, 64, 2, 2, 32)
    out += b"\0" * (-len(out) % 32)
    out += struct.pack("<6f", *range(6)) + b"\0" * 8
    out += bytes(range(72))
    with open(path, "wb") as f:
        f.write(out)


gguf("q4.gguf")
