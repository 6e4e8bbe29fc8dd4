"""Writes profile_NAME.json.gz beside it: profiles of small models, without what tells no layout. Needs PyTorch 2.4 or newer."""
import gzip
import json
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F

last = torch.channels_last


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 16, 3, padding=1)

    def forward(self, x):
        return F.relu(self.b(F.relu(self.a(x)))).mean((2, 3))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.d1, self.d2 = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 32, 3, padding=1)
        self.u, self.o = nn.ConvTranspose2d(32, 16, 2, stride=2), nn.Conv2d(32, 4, 3, padding=1)

    def forward(self, x):
        a = F.relu(self.d1(x))
        u = self.u(F.relu(self.d2(F.max_pool2d(a, 2))))
        return self.o(torch.cat([a.contiguous(), u], 1))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.o, self.n = nn.Linear(64, 192), nn.Linear(64, 64), nn.LayerNorm(64)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.q(self.n(x)).reshape(b, t, 3, 4, 16).permute(2, 0, 3, 1, 4).unbind(0)
        a = (q @ k.transpose(-2, -1)).softmax(-1)
        return self.o((a @ v).transpose(1, 2).reshape(b, t, c))


class Depthwise(nn.Module):
    def __init__(self):
        super().__init__()
        self.p, self.d, self.n = nn.Conv2d(8, 32, 1), nn.Conv2d(32, 32, 3, padding=1, groups=32), nn.LayerNorm(32)

    def forward(self, x):
        return self.n(self.d(self.p(x)).permute(0, 2, 3, 1)).permute(0, 3, 1, 2).contiguous()


class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(8, 8, 3, padding=1)

    def forward(self, x):
        return torch.relu(self.a(x.to(memory_format=last)) + x).clone(memory_format=torch.contiguous_format)


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.e = nn.MultiheadAttention(32, 4, batch_first=True), nn.Conv1d(32, 32, 3, padding=1)

    def forward(self, x):
        y = self.e(self.a(x, x, x, need_weights=False)[0].transpose(1, 2)).transpose(1, 2)
        return torch.einsum('btc,bsc->bts', y, x)


def write(name, model, x, steps=0):
    model.train(steps > 0)
    opt = torch.optim.SGD(model.parameters(), lr=.1)

    def run():
        if not steps:
            with torch.inference_mode():
                return model(x)
        for _ in range(steps):
            opt.zero_grad()
            model(x).square().mean().backward()
            opt.step()

    run()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True, with_stack=True) as p:
        run()
    with tempfile.TemporaryDirectory() as d:
        p.export_chrome_trace(os.path.join(d, 'p.json'))
        events = json.load(open(os.path.join(d, 'p.json')))['traceEvents']
    ops = [e for e in events if e.get('cat') == 'cpu_op']
    kept = ops + [e for e in events if e.get('cat') == 'python_function' and any(e['ts'] <= o['ts'] < e['ts'] + e['dur'] for o in ops)]
    for e in kept:
        for key in ('Record function id', 'Ev Idx', 'Python id', 'Python parent id', 'Python module id', 'Sequence number', 'Fwd thread id'):
            e['args'].pop(key, None)
    with gzip.GzipFile(os.path.join(os.path.dirname(os.path.abspath(__file__)), f'profile_{name}.json.gz'), 'wb', 9, mtime=0) as f:
        f.write(json.dumps({'schemaVersion': 1, 'traceEvents': kept}).encode())


torch.manual_seed(0)
torch.set_num_threads(1)
image = torch.randn(2, 3, 32, 32)
write('cnn', CNN().to(memory_format=last), image.to(memory_format=last))
write('unet', UNet().to(memory_format=last), image.to(memory_format=last))
write('attention', Attention(), torch.randn(2, 10, 64))
write('depthwise', Depthwise().to(memory_format=last), torch.randn(2, 8, 16, 16).to(memory_format=last))
write('mixed', Mixed(), torch.randn(2, 8, 16, 16))
write('sequence', Sequence(), torch.randn(2, 10, 32))
write('training', UNet().to(memory_format=last), image, 2)
write('linear', nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 8)), torch.randn(4, 32))
