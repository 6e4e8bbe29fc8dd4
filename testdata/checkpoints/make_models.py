"""Writes model.onnx, beside.onnx with its external data, and program.pt2: python3 make_models.py, with onnx 1.23 and PyTorch 2.15.

model.onnx has a tensor of each way to store elements: raw_data, typed fields, varints, values below a byte, a Constant node, the body of an If.
"""
import os
import zipfile

import numpy as np
import onnx
import torch
from onnx import TensorProto as T
from onnx import helper, numpy_helper

w = np.arange(12, dtype="f4").reshape(2, 1, 3, 2)
then = helper.make_graph([], "then", [], [], [numpy_helper.from_array(np.float32([3]), "w")])
nodes = [helper.make_node("Constant", [], ["shape"], value=helper.make_tensor("value", T.INT64, [2], [-1, 6])),
         helper.make_node("If", ["c"], ["y"], then_branch=then, else_branch=helper.make_graph([], "else", [], []))]
initializers = [numpy_helper.from_array(w, "conv.weight"), helper.make_tensor("conv.bias", T.FLOAT, [2], [1, -2]),
                helper.make_tensor("scale", T.BFLOAT16, [], [1.5]), helper.make_tensor("q", T.INT4, [3], [1, -8, 7]),
                helper.make_tensor("mask", T.BOOL, [2, 1], [True, False]), helper.make_tensor("words", T.STRING, [1], [b"x"])]
model = helper.make_model(helper.make_graph(nodes, "g", [], [], initializers), producer_name="make_models.py", ir_version=10,
                          opset_imports=[helper.make_opsetid("", 21)])
onnx.save(model, "model.onnx")

beside = helper.make_model(helper.make_graph([], "g", [], [], [numpy_helper.from_array(w, "w"), numpy_helper.from_array(w[0], "v")]), ir_version=10,
                           opset_imports=[helper.make_opsetid("", 21)])
onnx.save(beside, "beside.onnx", save_as_external_data=True, location="beside.onnx.data", size_threshold=0)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(2, 3, 2).to(memory_format=torch.channels_last)
        self.conv.weight.data.copy_(torch.arange(24.).reshape(3, 2, 2, 2))
        self.conv.bias.data.copy_(torch.tensor([1., 2, 3]))
        self.register_buffer("step", torch.tensor(7))
        self.register_buffer("row", torch.arange(12.).reshape(3, 4)[1:, 1:3])

    def forward(self, x):
        return self.conv(x) + self.row.sum() + self.step


torch.export.save(torch.export.export(Net().eval(), (torch.zeros(1, 2, 4, 4),)), "whole.pt2")
folders = {os.path.dirname(os.path.abspath(__file__)): "/home/me", os.path.dirname(os.path.dirname(torch.__file__)): "/usr/lib/python3"}
with zipfile.ZipFile("whole.pt2") as whole, zipfile.ZipFile("program.pt2", "w") as program:
    for member in whole.infolist():  # the program names the files of this machine
        content = whole.read(member)
        for here, there in folders.items():
            content = content.replace(here.encode(), there.encode())
        program.writestr(zipfile.ZipInfo(member.filename.replace("whole/", "program/"), (1980, 1, 1, 0, 0, 0)), content)
os.remove("whole.pt2")
