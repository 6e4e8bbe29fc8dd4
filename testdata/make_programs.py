"""Writes what engines say about net.py: net.pt2, trace.json.gz, net.onnx, onednn.log and hlo.txt, into the current folder.

PyTorch 2.15, onnx 1.23 with onnxscript, and jax 0.10: python make_programs.py. The log is standard error of
ONEDNN_VERBOSE=1 python make_programs.py log."""
import gzip
import json
import os
import sys
import zipfile

import torch

from net import Net

FOLDERS = {os.path.dirname(os.path.abspath(__file__)) + "/": "/home/me/",
           os.path.dirname(os.path.dirname(torch.__file__)) + "/": "/usr/lib/python3/site-packages/"}


def moved(text):
    """Returns a text with this machine's folders replaced."""
    for here, there in FOLDERS.items():
        text = text.replace(here, there)
    return text


torch.manual_seed(0)
torch.set_num_threads(1)
model = Net().eval().to(memory_format=torch.channels_last)
image = torch.randn(4, 3, 64, 64).to(memory_format=torch.channels_last)


def export():
    """Writes net.pt2 without its sample inputs, with file names instead of paths."""
    torch.export.save(torch.export.export(model, (image,)), "whole.pt2")
    with zipfile.ZipFile("whole.pt2") as whole, zipfile.ZipFile("net.pt2", "w") as net:
        for member in whole.infolist():
            if "sample_inputs" in member.filename:
                continue
            content = whole.read(member)
            if member.filename.endswith("model.json"):
                content = moved(content.decode()).encode()
            net.writestr(zipfile.ZipInfo(member.filename.replace("whole/", "net/"), (1980, 1, 1, 0, 0, 0)), content)


def profile():
    with torch.inference_mode():
        model(image)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True, with_stack=True) as p:
            model(image)
    p.export_chrome_trace("trace.json")
    with open("trace.json") as f:
        trace = json.load(f)
    trace["host_name"] = ""
    with gzip.GzipFile("trace.json.gz", "wb", mtime=0) as f:
        f.write(moved(json.dumps(trace, separators=(",", ":"))).encode())


def onnx():
    import onnx

    torch.onnx.export(model, (image,), "net.onnx", dynamo=True, external_data=False)
    net = onnx.load("net.onnx")
    for node in net.graph.node:
        for p in node.metadata_props:
            p.value = moved(p.value)
    onnx.save(net, "net.onnx")


def hlo():
    import jax
    import jax.numpy as jnp

    def f(image, stem, head):
        dims = ("NCHW", "OIHW", "NCHW")
        x = jax.nn.relu(jax.lax.conv_general_dilated(image, stem, (1, 1), "SAME", dimension_numbers=dims))
        tokens = jnp.transpose(x, (0, 2, 3, 1))
        x = jnp.transpose(tokens - tokens.mean(-1, keepdims=True), (0, 3, 1, 2))
        return jax.lax.conv_general_dilated(x, head, (2, 2), "SAME", dimension_numbers=dims)

    compiled = jax.jit(f).lower(jnp.zeros((4, 3, 64, 64)), jnp.zeros((32, 3, 3, 3)), jnp.zeros((16, 32, 3, 3))).compile()
    with open("hlo.txt", "w") as f:
        f.write(moved(compiled.as_text()))


if "log" in sys.argv:
    with torch.inference_mode():
        model(image)
else:
    export()
    profile()
    onnx()
    hlo()
