"""Pickles random objects with Python and writes each as text, in the notation of text_test.go.

A line of input is a seed. A line of output is {"pickle": base64, "text"}.
"""
import base64, collections, io, json, pickle, random, sys

print(sys.version.split()[0], flush=True)


class Plain:
    pass


class Slots:
    __slots__ = ("a", "b")


class Ref:
    def __init__(self, i):
        self.i = i


class Pickler(pickle.Pickler):
    def __init__(self, f, protocol):
        super().__init__(f, protocol)
        self.text = protocol == 0  # whose persistent ids are texts

    def persistent_id(self, o):
        return (str(o.i) if self.text else ("ref", o.i)) if isinstance(o, Ref) else None


def key(o):
    return bytes(o) if isinstance(o, bytearray) else o


def make(r, pool, depth=0, slots=True):
    kind = r.randrange(20)
    if pool and kind == 19:
        return r.choice(pool)
    n = r.randrange(4)
    if depth < 4 and kind < 9:
        below = lambda: make(r, pool, depth + 1, slots)
        if kind == 0:
            o = []
            if r.random() < .1:
                pool.append(o)  # may contain itself
            o.extend(below() for _ in range(n))
        elif kind == 1:
            o = tuple(below() for _ in range(r.randrange(6)))
        elif kind == 2:
            o = {key(make(r, [], 9)): below() for _ in range(n)}
        elif kind == 3:
            o = collections.OrderedDict((i, below()) for i in range(n))
        elif kind == 4:
            o = Plain()
            o.__dict__.update({"a%d" % i: below() for i in range(n)})
        elif kind == 5:
            o = Slots() if slots else Plain()  # which protocols 0 and 1 do not write
            o.a = below()
        elif kind == 6:
            o = frozenset(r.choices(range(1000), k=1))
        elif kind == 7:
            o = set(r.choices(range(1000), k=1))
        else:
            o = Ref(r.randrange(5))
        pool.append(o)
        return o
    return r.choice([None, True, False, r.randrange(300), -r.randrange(70000), r.randrange(2 ** 32), r.randrange(2 ** 63), -2 ** 63, 2 ** 63,
                     -2 ** 63 - 1, r.getrandbits(200), -r.getrandbits(90), r.random() * 10 ** r.randint(-300, 300), "", "text", "ü" * r.randrange(300), "\\u00e9 \n\r\0\x1a\\", "€😀\"'", float("inf"),
                     b"bytes", b"\x00" * r.randrange(300), bytearray(b"array"), Plain, len])


class Reader(pickle._Unpickler):
    """CPython's unpickler in Python, of which only what imports, calls and fills objects is replaced."""

    def find_class(self, module, name):
        return Node("global", module + "." + name)

    def persistent_load(self, pid):
        return Node("persistent", pid)

    dispatch = dict(pickle._Unpickler.dispatch)

    def reduce(self):
        args = self.stack.pop()
        self.stack[-1] = Node("call", self.stack[-1], args)

    def newobj_ex(self):
        kwargs = self.stack.pop()
        self.reduce()
        self.stack[-1].kwargs = kwargs

    def build(self):
        state = self.stack.pop()
        self.stack[-1].state = [state]

    dispatch[pickle.REDUCE[0]] = dispatch[pickle.NEWOBJ[0]] = reduce
    dispatch[pickle.NEWOBJ_EX[0]] = newobj_ex
    dispatch[pickle.BUILD[0]] = build


class Node:
    def __init__(self, kind, *parts):
        self.kind, self.parts, self.kwargs, self.state, self.items, self.pairs = kind, parts, None, [], [], []

    def append(self, o):
        self.items.append(o)

    def extend(self, o):
        self.items.extend(o)

    def __setitem__(self, k, v):
        self.pairs.append((k, v))


def text(o, seen):
    if isinstance(o, (list, dict, Node, tuple, set, frozenset)) and o != ():
        if id(o) in seen:
            return "@%d" % seen[id(o)]
        seen[id(o)] = len(seen)
    each = lambda l: "[" + " ".join(text(x, seen) for x in l) + "]"
    both = lambda l: "{" + " ".join(text(k, seen) + ":" + text(v, seen) for k, v in l) + "}"
    if isinstance(o, Node):
        if o.kind == "global":
            return "<" + o.parts[0] + ">"
        if o.kind == "persistent":
            return "P" + text(o.parts[0], seen)
        return "C" + text(o.parts[0], seen) + text(o.parts[1], seen) + each(o.items) + both(o.pairs) + each(o.state)
    if o is None or isinstance(o, bool):
        return str(o)
    if isinstance(o, int):
        return str(o) if -2 ** 63 <= o < 2 ** 63 else hex(o)
    if isinstance(o, float):
        return "f" + o.hex()
    if isinstance(o, str):
        return "s" + o.encode().hex()
    if isinstance(o, (bytes, bytearray)):
        return "b" + bytes(o).hex()
    if isinstance(o, tuple):
        return "T" + each(o)
    if isinstance(o, list):
        return "L" + each(o)
    if isinstance(o, dict):
        return "D" + both(o.items())
    return "S" + each(o)


for line in sys.stdin:
    r = random.Random(int(line))
    f = io.BytesIO()
    protocol = r.randint(0, 5)
    o = make(r, [], slots=protocol > 1)
    Pickler(f, protocol).dump(o)
    f.seek(0)
    print(json.dumps({"pickle": base64.b64encode(f.getvalue()).decode(), "text": text(Reader(f).load(), {})}), flush=True)
