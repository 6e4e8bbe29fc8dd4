"""Loads what convert writes with PyTorch, with weights_only and without, or NumPy, and says what is in it.

A line of input is {"path"}. A line of output is a list of {"error"} or {"keys", "tensors": [{"dtype", "shape", "stride", "group", "data"}]}:
the elements contiguous, in base64; group is the same number for tensors of one storage that is not empty, -1 otherwise.
"""
import base64, json, sys, warnings

warnings.filterwarnings("ignore")
import numpy, torch

print("torch", torch.__version__, "numpy", numpy.__version__, flush=True)
torch.set_num_threads(1)


def load(path, only):
    loaded = torch.load(path, weights_only=only)
    groups, tensors = {}, []
    for t in loaded.values():
        s = t.storage()._untyped() if hasattr(t.storage(), "_untyped") else t.storage().untyped()
        data = t.detach().clone(memory_format=torch.contiguous_format).reshape(-1).view(torch.uint8).numpy().tobytes() if t.numel() else b""
        tensors.append({"dtype": str(t.dtype)[6:], "shape": list(t.shape), "stride": list(t.stride()),
                        "group": groups.setdefault(s.data_ptr(), len(groups)) if s.nbytes() else -1, "data": base64.b64encode(data).decode()})
    return {"keys": list(loaded.keys()), "tensors": tensors}


def arrays(path):
    with numpy.load(path, allow_pickle=False) as z:
        keys = [k for k in z.files if k != "layout.json"]
        return {"keys": keys, "tensors": [{"dtype": str(z[k].dtype), "shape": list(z[k].shape), "stride": [], "group": -1,
                                           "data": base64.b64encode(z[k].tobytes()).decode()} for k in keys]}


for line in sys.stdin:
    path, answer = json.loads(line)["path"], []
    for only in (True, False):
        try:
            answer.append(arrays(path) if path.endswith(".npz") else load(path, only))
        except Exception as e:
            answer.append({"error": type(e).__name__ + ": " + str(e)})
    print(json.dumps(answer), flush=True)
