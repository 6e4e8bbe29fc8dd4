"""Draws lines of tensor operations as people write them, and runs them in PyTorch: one line of JSON out for each in. lines_test.go runs it.

A line is {"seed", "count"}; the answer is a list of chains, {"shape", "strides", "offset", "dtype", "texts"}: a tensor x, and
after each of up to six operations the text so far with the shape, strides, offset and dtype of its result, and whether that
shares the storage of x. Operations are drawn by how often they occur in transformers, timm, diffusers, kornia, monai and
ultralytics (the table CALLS); an operation that PyTorch refuses is drawn again.
"""
import json
import random
import re
import sys
import warnings
from math import prod

import torch
import torch.nn.functional as F  # of the lines

warnings.simplefilter("ignore")
torch.set_num_threads(1)

# Operations and their calls in the newest wheels of PyPI in November 2026. A dot is a method, torch. and F. are functions, and r a
# mirrored operator, 2 - x.
CALLS = """
[]:20748 *:13308 .to:11858 +:11641 .view:8311 torch.cat:6982 .reshape:5741 .transpose:5498 .unsqueeze:5445 /:3766 -:3630
.permute:3105 .float:2947 .expand:2350 .contiguous:2265 .sum:2199 .flatten:2077 .repeat:1701 ==:1682 torch.stack:1675
torch.where:1633 r*:1508 .squeeze:1494 torch.matmul:1204 r-:1077 torch.zeros_like:1042 -x:978 .clone:922 F.dropout:906
.clamp:876 >:866 .mean:853 F.pad:840 &:835 .repeat_interleave:797 F.softmax:766 F.interpolate:755 @:746 **:739 .chunk:720
<:703 torch.exp:581 .detach:576 r+:575 ~x:542 .masked_fill:541 r/:527 .cpu:522 .split:516 torch.split:510 .long:488
torch.ones_like:482 .max:478 .all:464 torch.log:454 .sin:452 .cos:451 torch.sum:433 >=:431 .bool:426 .copy_:416 .pow:416
.type_as:404 torch.clamp:402 .new_zeros:380 //:363 .abs:361 torch.einsum:326 .any:325 r**:322 !=:311 .unbind:309
.unflatten:302 F.linear:298 .masked_scatter:290 .sigmoid:283 .gather:279 torch.topk:277 torch.rsqrt:276 torch.sigmoid:269
.cumsum:251 torch.sqrt:223 .argmax:220 torch.sin:219 |:216 <=:212 torch.cos:210 .type:199 .softmax:196 torch.gather:195
torch.concat:189 .int:187 .add_:179 .mul_:179 torch.full_like:178 .expand_as:170 torch.max:168 .amax:157 torch.mean:156
torch.chunk:155 %:155 .prod:154 .sqrt:148 .flip:144 F.one_hot:144 torch.div:140 torch.tanh:134 torch.cumsum:133
F.scaled_dot_product_attention:133 .exp:132 torch.abs:130 torch.bmm:129 T:128 F.normalize:128 F.silu:124 .t:122 .clamp_:119
.square:119 torch.min:117 .new_ones:115 torch.repeat_interleave:114 .std:114 .masked_fill_:114 torch.isfinite:110
.index_select:108 .topk:108 .norm:107 torch.pow:106 .scatter_:101 .unfold:98 torch.empty_like:96 .min:94 .clamp_min:92
torch.floor:91 F.relu:87 .ne:85 .requires_grad_:85 torch.greater:85 torch.softmax:84 torch.all:81 F.sigmoid:79
torch.argmax:78 F.conv1d:78 F.gelu:78 torch.maximum:73 F.softplus:70 .floor:70 .new_empty:70 .div_:69 torch.norm:69
F.conv2d:68 .div:67 torch.any:67 torch.reshape:65 torch.argsort:65 .fill_:64 .zero_:61 .tile:60 .clip:58 .round:53
.new_full:52 torch.cumprod:51 .tanh:48 torch.isinf:47 torch.tril:47 torch.flip:46 torch.outer:46 torch.minimum:46
torch.isnan:45 torch.index_select:45 torch.unsqueeze:43 .reshape_as:42 .double:42 .movedim:41 .amin:40 .new_tensor:38
F.layer_norm:38 F.logsigmoid:38 .mul:38 .log:37 torch.round:37 torch.roll:36 torch.unbind:35 torch.flatten:35 >>:34
torch.expm1:34 .scatter:34 torch.sort:34 torch.nan_to_num:34 mT:34 .rsqrt:33 torch.clip:33 F.log_softmax:31 torch.ceil:31
.argsort:31 F.max_pool2d:31 torch.randn_like:31 torch.concatenate:31 torch.triu:30 F.avg_pool2d:30 torch.logical_and:29
F.leaky_relu:29 .narrow:28 .eq:27 torch.mul:26 torch.rand_like:26 .add:25 F.unfold:24 torch.sign:24 torch.mm:23 .gt:23
torch.transpose:22 real:22 torch.logsumexp:22 .outer:22 .half:22 .var:21 .diff:21 torch.prod:21 torch.atan2:21 torch.clone:20
torch.relu:20 torch.tile:20 torch.log2:20 <<:20 F.embedding:19 .view_as:18 .isfinite:18 F.conv3d:18 .sort:17 r&:17 .sub_:16
F.glu:16 torch.remainder:16 torch.std:15 torch.take_along_dim:15 torch.add:15 .tril:15 torch.argmin:15 .matmul:15
torch.log1p:15 torch.broadcast_to:15 .byte:15 torch.atleast_1d:14 torch.squeeze:14 F.adaptive_avg_pool2d:14 torch.lerp:14
F.conv_transpose3d:14 .conj:13 .argmin:13 ^:13 torch.sub:13 F.max_pool3d:13 .split_with_sizes:13 torch.square:12 r@:12
torch.logical_or:12 .neg:12 F.avg_pool1d:11 torch.logical_not:10 .sub:10 F.group_norm:10 .triu:10 torch.tan:10 .reciprocal:10
.sign:10 .bfloat16:10 .mm:10 .absolute:9 torch.eq:9 F.conv_transpose1d:9 .clamp_max:9 .isnan:9 torch.median:9 .sqrt_:9
torch.masked_fill:8 .logical_not:8 F.rms_norm:8 .lerp:8 .nan_to_num:8 .diagonal:8 .roll:7 .where:7 .ceil:7 torch.diagonal:7
torch.reciprocal:7 torch.permute:7 .minimum:7 torch.amax:6 .swapaxes:6 .log10:6 F.batch_norm:6 r%:6 .abs_:6
F.adaptive_max_pool2d:6 torch.swapaxes:6 torch.ge:5 .log_softmax:5 .logsumexp:5 torch.log10:5 .exp_:5 torch.deg2rad:5
torch.movedim:5 .broadcast_to:5 torch.tensor_split:5 .ravel:5 .sigmoid_:5 torch.clamp_min:5 .log2:5 torch.rad2deg:5
.maximum:5 .atan2:5 .atan:5
"""
NAMES, COUNTS = zip(*(word.rsplit(":", 1) for word in CALLS.split()))
WEIGHTS = [int(n) ** 0.4 for n in COUNTS]  # the rare are drawn more often than they are written

DTYPES = 12 * [torch.float32] + [torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.int64, torch.bool]


def listed(values):
    values = list(values)
    return "(" + ", ".join(map(str, values)) + ("," if len(values) == 1 else "") + ")"


def dense(shape, order):
    strides, run = [0] * len(shape), 1
    for d in order:
        strides[d] = run
        run *= max(shape[d], 1)
    return strides


def described(x):
    return {"shape": list(x.shape), "strides": list(x.stride()), "offset": x.storage_offset(), "dtype": str(x.dtype)[6:]}


def storage(x):
    return x.untyped_storage().data_ptr()


class Draw:
    """Draws arguments for a tensor x. A method that an operation has none for returns None."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pick = lambda *xs: self.random.choice(xs)
        self.number = self.random.randint  # both ends included
        self.x = None
        self.first = None

    def chance(self, n):
        return self.random.randrange(n) == 0

    @property
    def rank(self):
        return self.x.dim()

    @property
    def real(self):
        return self.x.dtype.is_floating_point

    def start(self):
        rank = self.pick(0, 1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5)
        shape = [self.pick(1, 1, 2, 2, 3, 3, 4, 5, 6) for _ in range(rank)]
        if shape and self.chance(25):
            shape[self.number(0, rank - 1)] = 0
        strides, offset = self.strides(shape), self.pick(0, 0, 0, 5)
        if self.chance(6):
            strides = [self.pick(0, n, n, 2 * n) for n in strides]
        reach = offset + 1 + sum(max(n - 1, 0) * s for n, s in zip(shape, strides))
        values = torch.arange(reach) % 3
        return values.to(self.pick(*DTYPES)).as_strided(shape, strides, offset)

    def strides(self, shape):
        order = list(range(len(shape)))[::-1]
        if self.chance(4):
            self.random.shuffle(order)
        elif len(shape) > 3 and self.chance(3):
            order = [1] + [d for d in order if d != 1]
        return dense(shape, order)

    def tensor(self, shape, dtype=None, plain=False):
        """A tensor beside x: (2, 3):(3, 1) if its dtype is that of x and of all before."""
        shape, dtype = list(shape), dtype or self.x.dtype
        strides = self.strides(shape)
        if plain or 0 in shape:
            strides = dense(shape, range(len(shape))[::-1])
        if dtype == self.first:
            return listed(shape) + ":" + listed(strides)
        return f"torch.empty_strided({listed(shape)}, {listed(strides)}, dtype={dtype})"

    def indices(self, count, size):
        return f"torch.tensor({[self.random.randrange(size) for _ in range(count)]})"

    def alike(self):
        """A shape that broadcasts with that of x."""
        shape = [1 if self.chance(4) else n for n in self.x.shape]
        return self.pick(shape, list(self.x.shape), [1] + shape, shape[self.number(0, len(shape)):])

    def scalar(self):
        return self.pick("2", "0.5", "-1", "1e-6") if self.real else self.pick("1", "2")

    def other(self):
        return self.pick("x", self.scalar(), self.tensor(self.alike()), self.tensor(self.alike()))

    def dim(self, more=0):
        rank = max(self.rank + more, 1)
        return self.number(-rank, rank - 1)

    def size(self, d):
        return self.x.shape[d] if self.rank else 1

    def named_dim(self, more=0):
        return self.pick("", "dim=", "dim=") + str(self.dim(more))

    def dims(self):
        some = self.random.sample(range(self.rank), self.number(1, self.rank)) if self.rank else []
        return listed(d - self.rank * self.number(0, 1) for d in some)

    def factors(self, n):
        found = [p for p in (2, 3, 2) if n % p == 0 and self.chance(2)]
        return found + [n // prod(found)] if n % prod(found) == 0 else [n]

    def sizes(self):
        """Sizes that a view may have: two dims merged, one split, or all flat."""
        shape = list(self.x.shape)
        if not shape or self.chance(6):
            return [-1]
        at = self.number(0, len(shape) - 1)
        if self.chance(2):
            shape[at:at + 1] = self.factors(shape[at])
        else:
            shape[at:at + 2] = [prod(shape[at:at + 2])]
        if self.chance(2) and prod(shape):
            shape[self.number(0, len(shape) - 1)] = -1
        return shape

    def spread(self, sizes):
        return [listed(sizes)] if self.chance(3) or not sizes else list(map(str, sizes))

    def reduction(self, several):
        if self.chance(4) or not self.rank:
            return []
        dims = self.dims() if several and self.chance(3) else str(self.dim())
        return ["dim=" + dims] + self.pick([], ["keepdim=True"]) if self.chance(2) else [dims]

    def index(self):
        if self.chance(6) and self.rank and self.x.shape[0]:
            n = self.x.shape[0]
            by_list = str([self.random.randrange(n) for _ in range(self.number(1, 3))])
            return self.pick(by_list, self.indices(2, n), by_list + ", None", "..., " + self.indices(2, max(self.x.shape[-1], 1)))
        entries = []
        for n in self.x.shape[:self.number(0, self.rank)]:
            at = self.number(0, n)
            one = str(self.number(-n, n - 1)) if n else ":"
            entries += self.pick([":"], [":"], [f"{at}:"], [f":{at}"], ["::2"], [":-1"], ["None", ":"], [one])
        return ", ".join(self.pick(entries + ["..."], entries + ["..., None"], entries + ["None"], entries or ["0"], entries or [":"]))

    def kernel(self, rank, depth):
        """The weight of a convolution, and other arguments."""
        if self.rank != rank + 2 or self.x.dtype != torch.float32 or not self.x.numel():  # empty, it depends on the version
            return None
        wide = [self.number(1, 3)] * rank
        given = self.pick([], ["stride=2"], ["padding=1"], ["stride=2", "padding=1"])
        return [self.tensor(depth(self.x.shape[1], self.number(1, 3)) + wide, plain=True)] + given

    def einsum(self):
        if not 1 <= self.rank <= 4 or not self.real:
            return None
        letters = "bhij"[:self.rank]
        last = self.tensor([self.x.shape[-1], self.number(1, 4)])
        batched = self.tensor(list(self.x.shape[:-2]) + [self.x.shape[-1], 3])
        return self.pick([f"'{letters}->{letters[::-1]}'", "x"], [f"'{letters}->{letters[0]}'", "x"],
                         [f"'{letters},{letters[-1]}d->{letters[:-1]}d'", "x", last],
                         [f"'{letters},{letters[:-2]}{letters[-1]}d->{letters[:-1]}d'", "x", batched],
                         [f"'{letters},{letters}->{letters[:-1]}'", "x", self.tensor(self.x.shape)])

    def joined(self, stacked):
        d = self.dim(stacked)
        parts = ["x"]
        for _ in range(self.number(0, 2)):
            shape = list(self.x.shape)
            if not stacked and shape:
                shape[d] = self.number(1, 3)
            parts.insert(self.number(0, len(parts)), self.tensor(shape))
        return ["[" + ", ".join(parts) + "]", f"dim={d}"]

    def arguments(self, name):
        """The arguments after the tensor, of a function those with it where it is not the first."""
        d, shape, rank = self.dim(), list(self.x.shape), self.rank
        n = self.size(d)
        match name:
            case "view" | "reshape":
                return self.spread(self.sizes())
            case "unflatten":
                return [str(d), listed(self.factors(n))]
            case "permute":
                return self.spread(self.random.sample(range(rank), rank))
            case "transpose" | "swapaxes" | "movedim":
                return [str(d), str(self.dim())]
            case "unsqueeze":
                return [self.named_dim(1)]
            case "squeeze":
                return self.pick([], [str(d)])
            case "flatten":
                return self.pick([], [str(d)], [str(d), "-1"], [f"start_dim={d}"])
            case "expand":
                sizes = [3 if k == 1 and self.chance(2) else self.pick(k, -1) for k in shape]
                return self.spread([1] * self.number(0, 1) + sizes)
            case "broadcast_to":
                return [listed([2] + shape)]
            case "expand_as":
                return [self.tensor([2] + [3 if k == 1 else k for k in shape])]
            case "reshape_as" | "view_as":
                return [self.tensor([abs(k) for k in self.sizes()])]
            case "repeat" | "tile":
                return self.spread([self.pick(1, 2) for _ in range(rank + self.number(0, 1))])
            case "repeat_interleave":
                return ["2", f"dim={d}"] if rank else ["2"]
            case "chunk" | "tensor_split":
                return [self.pick("2", "3"), f"dim={d}"]
            case "split":
                return [self.pick("2", "1", f"[{n}, 0]", f"[1, {n - 1}]"), self.pick("", "dim=") + str(d)]
            case "split_with_sizes":
                return [f"[1, {n - 1}]", str(d)]
            case "unbind" | "softmax" | "log_softmax" | "logsumexp" | "cumsum" | "cumprod" | "sort" | "diff" | "glu" | "normalize":
                return [f"dim={d}"]
            case "sum" | "mean" | "amax" | "amin" | "std" | "var" | "all" | "any":
                return self.reduction(several=True)
            case "prod" | "argmax" | "argmin" | "median":
                return self.reduction(several=False)
            case "max" | "min":
                return self.pick(self.reduction(several=False), [self.tensor(self.alike())])
            case "norm":
                return self.pick([], [f"dim={d}"], ["p=2", f"dim={d}", "keepdim=True"])
            case "topk":
                return [str(self.number(1, max(n, 1))), f"dim={d}"]
            case "flip":
                return [self.dims()]
            case "roll":
                return ["1", str(d)]
            case "narrow":
                return [str(d), "1", str(n - 1)]
            case "unfold":
                return [str(d), str(self.number(1, max(n, 1))), "1"]
            case "diagonal":
                return ["0", "-2", "-1"]
            case "tril" | "triu":
                return self.pick([], ["diagonal=1"])
            case "index_select":
                return [str(d), self.indices(2, n)] if n else None
            case "gather" | "take_along_dim" | "scatter" | "scatter_":
                index = self.tensor([min(k, 2) for k in shape], torch.int64)
                return {"gather": [str(d), index], "take_along_dim": [index, f"dim={d}"]}.get(name, [str(d), index, "1"])
            case "add" | "sub" | "mul" | "div" | "eq" | "ne" | "gt" | "ge" | "lt" | "le" | "greater" | "remainder":
                return [self.other()]
            case "add_" | "mul_" | "sub_" | "div_" | "copy_" | "fill_":
                return [{"copy_": self.tensor(shape), "fill_": "1"}.get(name, self.pick(self.tensor(shape), "2"))]
            case "maximum" | "minimum" | "atan2" | "logical_and" | "logical_or":
                return [self.tensor(self.alike())]
            case "pow":
                return [self.pick("2", "0.5")]
            case "clamp" | "clip" | "clamp_":
                return self.pick(["0", "1"], ["min=0"], ["max=1"])
            case "clamp_min" | "clamp_max":
                return ["1"]
            case "masked_fill" | "masked_fill_":
                return [self.tensor(self.alike(), torch.bool), "0"]
            case "masked_scatter":
                return [self.tensor(shape, torch.bool), self.tensor(shape)]
            case "where":
                return [self.tensor(self.alike(), torch.bool), self.pick("x", self.tensor(self.alike())), "x"]
            case "lerp":
                return [self.tensor(shape), "0.5"]
            case "to":
                dtype = "torch." + self.pick("float32", "float16", "int64")
                return self.pick([dtype], [dtype, "non_blocking=True"], ["dtype=" + dtype, "device='cpu'"], ["'cpu'"], ["'cpu'", "dtype=" + dtype],
                                 ["x"], ["memory_format=torch.channels_last"])
            case "type":
                return ["torch.float16"]
            case "type_as":
                return [self.tensor([2], self.pick(torch.float16, torch.float32))]
            case "new_zeros" | "new_ones" | "new_empty":
                return self.spread([2, 3])
            case "new_full":
                return ["(2, 3)", "1"]
            case "new_tensor":
                return ["[1, 2]"]
            case "full_like":
                return ["1"]
            case "requires_grad_":
                return ["False"]
            case "dropout":
                return ["p=0.1", "training=False"] + self.pick([], ["inplace=True"])
            case "relu" | "silu":
                return self.pick([], ["inplace=True"], ["True"])
            case "leaky_relu":
                return self.pick([], ["inplace=True"], ["0.1", "True"])
            case "cat" | "concat" | "concatenate":
                return self.joined(0)
            case "stack":
                return self.joined(1)
            case "einsum":
                return self.einsum()
            case "matmul" | "mm" | "bmm" | "outer":
                if not rank:
                    return None
                matrix = self.pick(shape[:-2], []) + [shape[-1], self.number(1, 4)]
                return [self.tensor([3] if name == "outer" else matrix)]
            case "linear":
                return [self.tensor([4, shape[-1]]), self.tensor([4], plain=True)][:self.number(1, 2)] if rank else None
            case "conv1d" | "conv2d" | "conv3d":
                return self.kernel(int(name[4]), lambda channels, out: [out, channels])
            case "conv_transpose1d" | "conv_transpose2d" | "conv_transpose3d":
                return self.kernel(int(name[14]), lambda channels, out: [channels, out])
            case "pad":
                pads = [self.pick(0, 1, 2) for _ in range(2 * self.number(1, max(rank, 1)))]
                return [listed(pads)] + self.pick([], ["value=1"], ["mode='constant'"], ["mode='replicate'"])
            case "interpolate":
                mode = self.pick("nearest", ["", "linear", "bilinear", "trilinear"][rank - 2 if 3 <= rank <= 5 else 0])
                return [self.pick("scale_factor=2", "size=" + listed(self.number(1, 4) for _ in shape[2:])), f"mode='{mode}'"]
            case "max_pool2d" | "avg_pool2d" | "max_pool3d" | "avg_pool1d" | "avg_pool3d":
                return ["2"] + self.pick([], ["stride=1"])
            case "adaptive_avg_pool2d" | "adaptive_max_pool2d":
                return [self.pick("1", "(1, 1)", "(2, 1)")]
            case "layer_norm" | "rms_norm":
                return [listed(shape[-1:])] if rank else None
            case "group_norm":
                return ["1"]
            case "batch_norm":
                return 2 * [self.tensor(shape[1:2], plain=True)]
            case "scaled_dot_product_attention":
                length = shape[:-2] + [self.number(1, 4)] + shape[-1:]
                return 2 * [self.tensor(length if rank > 2 else shape)] + self.pick([], ["is_causal=True"])
            case "embedding":
                return [self.tensor([3, 4], torch.float32)]
            case "one_hot":
                return ["num_classes=3"]
            case "pixel_shuffle" | "pixel_unshuffle":
                return ["2"]
        return []

    def call(self, name):
        """A call of x, or None."""
        if name == "[]":
            return f"x[{self.index()}]"
        if name in ("-x", "~x"):
            return name
        if name in ("T", "mT", "real"):
            return "x." + name
        if name in ("@", "r@"):
            shape = list(self.x.shape[-2:]) or [1]
            return "x @ " + self.tensor([shape[-1], 3]) if name == "@" else self.tensor([3, shape[0]]) + " @ x"
        if OPERATOR.fullmatch(name):
            operator = name.lstrip("r")
            right = self.tensor(self.alike()) if operator in "&|^" else self.pick("2", "0.5") if operator == "**" else self.other()
            if name[0] != "r":
                return f"x {operator} {right}"
            return f"{self.scalar() if right == 'x' else right} {operator} x"
        module, name = re.fullmatch(r"(torch\.|F\.|\.)(\w+)", name).groups()
        given = self.arguments(name)
        if given is None:
            return None
        if module == ".":
            return f"x.{name}({', '.join(given[:2] if name == 'where' else given)})"
        if name not in ("where", "einsum", "cat", "concat", "concatenate", "stack"):
            given = ["x"] + given
        return f"{module}{name}({', '.join(given)})"


# A tensor as trace takes it: shape and strides, of the dtype of x.
OPERAND = re.compile(r"(\([\d, ]*\)):(\([\d, ]*\))")
OPERATOR = re.compile(r"[-~]x|r?[-+*/%&|^<>=!@]+")
X = re.compile(r"(?<![\w.'])x(?![\w'(])")


def evaluate(text, x):
    return eval(OPERAND.sub(r"torch.empty_strided(\1, \2, dtype=x.dtype).zero_()", text))


def chain(draw):
    """A tensor and one to six operations, nested into one line where each uses the tensor once."""
    x = draw.start()
    answer = described(x) | {"texts": []}
    draw.first = x.dtype
    lines, line = [], "x"
    loose = False  # whether the line needs brackets before a dot or an operator
    shared = True
    for _ in range(draw.number(1, 6)):
        for _ in range(30):
            draw.x = x
            name = draw.random.choices(NAMES, WEIGHTS)[0]
            text = draw.call(name)
            try:
                y = evaluate(text, x)
            except (RuntimeError, IndexError, ValueError, TypeError):
                continue
            if isinstance(y, tuple) and y:
                part = draw.number(-1, len(y) - 1)
                text, y = f"{text}[{part}]", y[part]
            if isinstance(y, torch.Tensor) and y.numel() < 3000 and y.dim() < 7:
                break
        else:
            break
        if len(X.findall(text)) > 1 and line != "x":
            lines, line, loose = lines + [f"h{len(lines)} = {line}"], f"h{len(lines)}", False
        binds = OPERATOR.fullmatch(name) or text[:2] in ("x.", "x[")
        line = X.sub("(" + line + ")" if loose and binds else line, text)
        loose = OPERATOR.fullmatch(name)
        shared = shared and storage(y) == storage(x)
        answer["texts"].append(described(y) | {"text": "\n".join(lines + ["y = " + line]), "shared": shared})
        if y.dtype != draw.first:
            draw.first = None
        x = y
    return answer if answer["texts"] else chain(draw)


print("torch", torch.__version__, flush=True)
for question in sys.stdin:
    asked = json.loads(question)
    draw = Draw(asked["seed"])
    print(json.dumps([chain(draw) for _ in range(asked["count"])]), flush=True)
