"""Says whether PyTorch takes strides for those of channels_last: a line of JSON out for each line in.

C++ is asked by to(memory_format=…), which returns the tensor itself if suggest_memory_format is that format; Python by
the function of torch._prims_common that PyTorch 1.13 to 2.10 have, null where there is none. torch_like_test.go runs it.
"""
import json
import sys

import torch
import torch._prims_common as prims

FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}
STORAGE = torch.zeros(1 << 17, dtype=torch.uint8)
PYTHON = getattr(prims, "are_strides_like_channels_last", None)


def answer(shape, strides):
    x = STORAGE.as_strided(shape, strides)
    return {
        "cpp": x.to(memory_format=FORMATS[len(shape)]) is x,
        "python": PYTHON(shape, strides) if PYTHON else None,
        "suggested": str(prims.suggest_memory_format(x)),
    }


print("torch", torch.__version__, flush=True)
for line in sys.stdin:
    print(json.dumps(answer(**json.loads(line))), flush=True)
