"""Makes, for each of 45 small models, a .pt2, a profile and the changes that PyTorch makes as it runs: python models.py FOLDER [NAME ...].

The witness is PyTorch's profiler, read here without tlayout: in NAME.changes.json, a change is an aten::copy_ whose two sides have different
memory orders, with the operator of the user's program in which it runs, its shape and both orders."""
import inspect
import json
import os
import sys

import torch
import torch.nn.functional as F
from torch import nn

CL = torch.channels_last


def conv(i, o, k=3, **options):
    return nn.Conv2d(i, o, k, padding=k // 2, **options)


class Chain(nn.Sequential):
    """A chain in channels_last: nothing changes."""

    def __init__(self):
        super().__init__(conv(3, 8), nn.BatchNorm2d(8), nn.ReLU(), conv(8, 8), nn.MaxPool2d(2), conv(8, 16), nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(16, 10))


class Plain(Chain):
    """The same in NCHW."""


class Weights(Chain):
    """Only the weights are channels_last: the first conv2d copies its input."""


class Detour(nn.Module):
    """contiguous() in the middle, which conv2d undoes."""

    def __init__(self):
        super().__init__()
        self.a, self.b = conv(3, 8), conv(8, 8)

    def forward(self, x):
        return self.b(self.a(x).relu().contiguous())


class DetourTwice(Detour):
    def forward(self, x):
        x = self.a(x).contiguous()
        return self.b((x * 2).relu().contiguous(memory_format=CL))


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = conv(3, 8), conv(8, 8), conv(8, 8)

    def forward(self, x):
        x = self.a(x)
        return self.c(F.relu(x + self.b(x)))


class Norm(nn.Module):
    """layer_norm over channels by permutes, as ConvNeXt has it."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.n = conv(3, 8), conv(8, 8), nn.LayerNorm(8)

    def forward(self, x):
        x = self.a(x)
        x = self.n(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return self.b(x)


class NormPlain(Norm):
    """The same in NCHW: layer_norm copies into rows."""


class Tokens(nn.Module):
    """Flattens pixels into tokens and back, as a vision transformer has them."""

    def __init__(self):
        super().__init__()
        self.a, self.l = conv(3, 8), nn.Linear(8, 8)

    def forward(self, x):
        x = self.a(x)
        n, c, h, w = x.shape
        y = self.l(x.flatten(2).transpose(1, 2))
        return y.transpose(1, 2).reshape(n, c, h, w) + x


class TokensPlain(Tokens):
    pass


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = conv(3, 8), conv(8, 8), conv(16, 8)

    def forward(self, x):
        a = self.a(x)
        b = F.interpolate(self.b(F.max_pool2d(a, 2)), scale_factor=2.0)
        return self.c(torch.cat([a, b], 1))


class UNetMixed(UNet):
    """One branch of cat is NCHW."""

    def forward(self, x):
        a = self.a(x)
        b = F.interpolate(self.b(F.max_pool2d(a, 2)), scale_factor=2.0).contiguous()
        return self.c(torch.cat([a, b], 1))


class Depthwise(nn.Sequential):
    def __init__(self):
        super().__init__(conv(3, 8), conv(8, 8, groups=8), conv(8, 16, 1), nn.Hardswish(), conv(16, 16, groups=16), conv(16, 8, 1))


class DepthwisePlain(Depthwise):
    pass


class SqueezeExcite(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.d, self.u, self.b = conv(3, 8), conv(8, 4, 1), conv(4, 8, 1), conv(8, 8)

    def forward(self, x):
        x = self.a(x)
        return self.b(x * torch.sigmoid(self.u(F.relu(self.d(x.mean((2, 3), keepdim=True))))))


class Shuffle(nn.Module):
    """Channel shuffle by view, transpose, reshape, as ShuffleNet has it."""

    def __init__(self):
        super().__init__()
        self.a, self.b = conv(3, 8), conv(8, 8)

    def forward(self, x):
        x = self.a(x)
        n, c, h, w = x.shape
        x = x.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)
        return self.b(x)


class ShufflePlain(Shuffle):
    pass


class PixelShuffle(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = conv(3, 16), conv(4, 4)

    def forward(self, x):
        return self.b(F.pixel_shuffle(self.a(x), 2))


class Attention(nn.Module):
    """Heads by view and transpose, scores by matmul."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(32, 32) for _ in range(4))

    def heads(self, x):
        n, t, c = x.shape
        return x.view(n, t, 4, c // 4).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))
        y = (q @ k.transpose(-2, -1) / 8 ** .5).softmax(-1) @ v
        return self.o(y.transpose(1, 2).reshape(x.shape))


class AttentionFused(Attention):
    def forward(self, x):
        y = F.scaled_dot_product_attention(*(self.heads(m(x)) for m in (self.q, self.k, self.v)))
        return self.o(y.transpose(1, 2).reshape(x.shape))


class AttentionContiguous(Attention):
    def heads(self, x):
        return super().heads(x).contiguous()


class AttentionQKV(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.o = nn.Linear(32, 96), nn.Linear(32, 32)

    def forward(self, x):
        n, t, c = x.shape
        q, k, v = self.qkv(x).reshape(n, t, 3, 4, c // 4).permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(q, k, v)
        return self.o(y.transpose(1, 2).flatten(2))


class TimeFirst(nn.Module):
    """(N, T, C) as (T, N, C) and back, as nn.MultiheadAttention wanted it."""

    def __init__(self):
        super().__init__()
        self.l, self.m = nn.Linear(32, 32), nn.Linear(32, 32)

    def forward(self, x):
        return self.m(F.relu(self.l(x.transpose(0, 1))).transpose(0, 1))


class TimeFirstContiguous(TimeFirst):
    def forward(self, x):
        return self.m(F.relu(self.l(x.transpose(0, 1).contiguous())).transpose(0, 1).contiguous())


class MLP(nn.Sequential):
    def __init__(self):
        super().__init__(nn.LayerNorm(32), nn.Linear(32, 64), nn.GELU(), nn.Dropout(0.1), nn.Linear(64, 32))


class Mixer(nn.Module):
    """Tokens and channels in turn, as MLP-Mixer mixes them."""

    def __init__(self):
        super().__init__()
        self.t, self.c = nn.Linear(16, 16), nn.Linear(32, 32)

    def forward(self, x):
        x = x + self.t(x.transpose(1, 2)).transpose(1, 2)
        return x + self.c(x)


class Conv1d(nn.Module):
    """(N, T, C) of a transformer into conv1d and back."""

    def __init__(self):
        super().__init__()
        self.a, self.l = nn.Conv1d(32, 32, 3, padding=1), nn.Linear(32, 32)

    def forward(self, x):
        return self.l(self.a(x.transpose(1, 2)).transpose(1, 2))


class Conv3d(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv3d(3, 8, 3, padding=1), nn.Conv3d(8, 8, 3, padding=1)

    def forward(self, x):
        return self.b(F.relu(self.a(x)))


class Images(nn.Module):
    """Images as a camera has them, permuted to NCHW."""

    def __init__(self):
        super().__init__()
        self.a = conv(3, 8)

    def forward(self, x):
        return self.a(x.permute(0, 3, 1, 2).float() / 255)


class ImagesContiguous(Images):
    def forward(self, x):
        return self.a(x.permute(0, 3, 1, 2).contiguous().float() / 255)


class Mixed(nn.Module):
    """add of NHWC and NCHW."""

    def __init__(self):
        super().__init__()
        self.a, self.b = conv(3, 8), conv(8, 8)

    def forward(self, x):
        x = self.a(x)
        return self.b(x + x.clone(memory_format=torch.contiguous_format))


class Cast(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = conv(3, 8), conv(8, 8)

    def forward(self, x):
        return self.b(self.a(x).to(torch.float64).float())


class Formats(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = conv(3, 8)

    def forward(self, x):
        return self.a(x.to(memory_format=CL)).to(memory_format=torch.contiguous_format).flatten(1).sum(1)


class Windows(nn.Module):
    """Partitions an image into windows and back, as Swin has it."""

    def __init__(self):
        super().__init__()
        self.a, self.l, self.b = conv(3, 8), nn.Linear(8, 8), conv(8, 8)

    def forward(self, x):
        x = self.a(x).permute(0, 2, 3, 1)
        n, h, w, c = x.shape
        y = x.view(n, h // 4, 4, w // 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, c)
        y = self.l(y).view(n, h // 4, w // 4, 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(n, h, w, c)
        return self.b((x + y).permute(0, 3, 1, 2))


class GroupNorm(nn.Sequential):
    def __init__(self):
        super().__init__(conv(3, 8), nn.GroupNorm(2, 8), nn.SiLU(), conv(8, 8), nn.InstanceNorm2d(8), conv(8, 8))


class Transposed(nn.Sequential):
    def __init__(self):
        super().__init__(conv(3, 8), nn.ConvTranspose2d(8, 8, 2, stride=2), nn.ReLU(), conv(8, 8))


class Slices(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = conv(3, 8), conv(4, 4), conv(8, 8)

    def forward(self, x):
        a, b = self.a(x).chunk(2, 1)
        return self.c(torch.cat([a, self.b(b)], 1))


class Flip(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = conv(3, 8), conv(8, 8)

    def forward(self, x):
        return self.b(F.pad(self.a(x), (1, 1, 1, 1)).flip(3))


class Embedded(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.l = nn.Embedding(50, 32), nn.Linear(32, 32)

    def forward(self, x):
        x = self.e(x)
        return self.l(x.mT.contiguous().mT)


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = conv(3, 8), conv(8, 8)

    def forward(self, x):
        x = self.a(x)
        return self.b(torch.stack([x, x * 2], 1).mean(1))


class Expand(nn.Module):
    def __init__(self):
        super().__init__()
        self.p, self.a = nn.Parameter(torch.zeros(1, 3, 1, 1)), conv(3, 8)

    def forward(self, x):
        return self.a(x + self.p.expand(x.shape[0], 3, 16, 16).contiguous())


class Gram(nn.Module):
    """Style transfer's Gram matrix, of a channels_last image."""

    def __init__(self):
        super().__init__()
        self.a = conv(3, 8)

    def forward(self, x):
        y = self.a(x).flatten(2)
        return y @ y.transpose(1, 2)


class Assigned(nn.Module):
    """Writes into parts of a tensor in NCHW, which copy_ does."""

    def __init__(self):
        super().__init__()
        self.a = conv(3, 8)

    def forward(self, x):
        x = self.a(x)
        y = torch.zeros_like(x, memory_format=torch.contiguous_format)
        y[:, :, 2:4] = x[:, :, 2:4]
        return y


class Products(nn.Module):
    """Folds a transposed tensor beside a parameter, and not beside another tensor."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(32, 16))

    def forward(self, x):
        rows = x.transpose(0, 1)
        return rows @ self.w, rows @ x[0].mT


class Single(nn.Module):
    """A batch of 1 in channels_last, by weights in NCHW."""

    def __init__(self):
        super().__init__()
        self.a, self.b = conv(3, 8), conv(8, 8)

    def forward(self, x):
        return self.b(self.a(x[:1]))


def image(*shape, to=None):
    x = torch.randn(*shape)
    return x.to(memory_format=to) if to else x


TOKENS = {Attention, AttentionFused, AttentionContiguous, AttentionQKV, TimeFirst, TimeFirstContiguous, MLP, Mixer, Conv1d, Products}
PLAIN = {Plain, NormPlain, TokensPlain, DepthwisePlain, ShufflePlain}


def made(cls):
    """Returns the model and its input."""
    torch.manual_seed(0)
    m = cls().eval()
    if cls in TOKENS:
        return m, torch.randn(2, 16, 32)
    if cls is Embedded:
        return m, torch.randint(0, 50, (2, 16))
    if cls is Conv3d:
        return m.to(memory_format=torch.channels_last_3d), torch.randn(2, 3, 4, 8, 8).to(memory_format=torch.channels_last_3d)
    if cls in (Images, ImagesContiguous):
        return m.to(memory_format=CL), torch.randint(0, 255, (2, 16, 16, 3), dtype=torch.uint8)
    if cls is Single:
        return m, image(2, 3, 16, 16, to=CL)
    if cls in PLAIN:
        return m, image(2, 3, 16, 16)
    m = m.to(memory_format=CL)
    return m, image(2, 3, 16, 16, to=None if cls in (Weights, Formats) else CL)


def order(shape, strides):
    """Returns the dims of more than one index that have a stride, outermost first."""
    return sorted((d for d in range(len(shape)) if shape[d] > 1 and strides[d]), key=lambda d: -strides[d])


def changes(trace):
    """Returns the changes of a profile: the outermost operator of each copy_ between two orders, its shape and the orders."""
    events = [e for e in json.load(open(trace))["traceEvents"] if e.get("cat") == "cpu_op" and e.get("ph") == "X"]
    events.sort(key=lambda e: (e["ts"], -e["dur"]))
    found, top = [], None
    for e in events:
        if top is None or e["ts"] >= top["ts"] + top["dur"]:
            top = e
        if e["name"] != "aten::copy_":
            continue
        (a, b, *_), (to, source, *_) = e["args"]["Input Dims"], e["args"]["Input Strides"]
        if a != b:
            continue
        used = [d for d in range(len(a)) if a[d] > 1 and to[d] and source[d]]
        before, after = ([d for d in order(a, s) if d in used] for s in (source, to))
        if before != after:
            found.append([top["name"].removeprefix("aten::"), a, before, after])
    return found


def main():
    folder, names = sys.argv[1], sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    torch.set_num_threads(1)
    own = [c for _, c in inspect.getmembers(sys.modules[__name__], inspect.isclass) if c.__module__ == __name__]
    for cls in own:
        name = cls.__name__
        if names and name not in names:
            continue
        m, x = made(cls)
        path = os.path.join(folder, name)
        torch.export.save(torch.export.export(m, (x,)), path + ".pt2")
        with torch.inference_mode():
            m(x)
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True, with_stack=True) as p:
                m(x)
        p.export_chrome_trace(path + ".trace.json")
        with open(path + ".changes.json", "w") as f:
            json.dump(changes(path + ".trace.json"), f)
    print(len(own), "models, PyTorch", torch.__version__)


if __name__ == "__main__":
    main()
