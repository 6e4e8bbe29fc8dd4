"""Loads checkpoints with PyTorch, with weights_only and without, and says what is in each.

A line of input is {"file": base64}. A line of output is a list of two, each {"error"} or {"keys", "tensors": [{"dtype", "shape", "stride", "offset",
"group", "nbytes", "data"}]}: the elements contiguous, in base64; group is the same number for tensors of one storage, which has
nbytes bytes, -1 if that is 0. With the argument "later", functions and types of later versions have stand-ins of the same size.
"""
import base64, io, json, sys, warnings

warnings.filterwarnings("ignore")
import torch

print(torch.__version__, flush=True)
torch.set_num_threads(1)

if sys.argv[1:] == ["later"]:
    from torch._weights_only_unpickler import _get_allowed_globals

    def rebuild(storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None):
        assert storage.dtype == torch.uint8 and not requires_grad and metadata is None and not backward_hooks
        return torch.empty((0,), dtype=dtype).set_(storage.untyped(), storage_offset, size, stride)

    torch._utils._rebuild_tensor_v3 = rebuild
    torch.storage.UntypedStorage = torch.UntypedStorage
    allowed = {"torch._utils._rebuild_tensor_v3": rebuild, "torch.storage.UntypedStorage": torch.UntypedStorage}
    for name, stand in {"uint16": "int16", "uint32": "int32", "uint64": "int64", "float8_e4m3fn": "int8", "float8_e4m3fnuz": "int8",
                        "float8_e5m2": "int8", "float8_e5m2fnuz": "int8", "float8_e8m0fnu": "int8", "complex32": "complex32"}.items():
        if not hasattr(torch, name):
            setattr(torch, name, getattr(torch, stand))
        allowed["torch." + name] = getattr(torch, name)
    _get_allowed_globals().update(allowed)


def content(t):
    t = t.detach()
    if t.dtype == torch.complex32:
        t = t.view(torch.int32) if t.dim() else t.reshape(1).view(torch.int32)
    t = t.contiguous()
    if t.numel() == 0:
        return b""
    if t.dtype.is_complex:
        t = torch.view_as_real(t).contiguous()
    if t.dtype == torch.bfloat16:
        t = t.view(torch.int16)
    return t.numpy().tobytes()


def load(file, only):
    try:
        loaded = torch.load(io.BytesIO(file), weights_only=only)
    except Exception as e:
        return {"error": type(e).__name__ + ": " + str(e)}
    if isinstance(loaded, torch.Tensor):
        keys, values = None, [loaded]
    else:
        assert type(loaded).__name__ == "OrderedDict", type(loaded)
        keys, values = list(loaded.keys()), loaded.values()
    groups, tensors = {}, []
    for t in values:
        s = t.storage().untyped()
        group = groups.setdefault(s.data_ptr(), len(groups)) if s.nbytes() else -1
        tensors.append({"dtype": str(t.dtype)[6:], "shape": list(t.shape), "stride": list(t.stride()), "offset": t.storage_offset(),
                        "group": group, "nbytes": s.nbytes(), "data": base64.b64encode(content(t)).decode()})
    return {"keys": keys, "tensors": tensors}


for line in sys.stdin:
    file = base64.b64decode(json.loads(line)["file"])
    print(json.dumps([load(file, True), load(file, False)]), flush=True)
