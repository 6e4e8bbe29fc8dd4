"""Locates tensors in memory, as tlayout/tensor/v1 documents."""

import collections.abc
import dataclasses

KINDS = "a tensor of PyTorch, NumPy, CuPy or JAX"
PLAIN = (type(None), bool, int, float, complex, str, bytes, bytearray, range)  # values without tensors
OPAQUE = {("numpy", "generic"), ("torch", "dtype"), ("torch", "device"), ("torch", "layout"), ("torch", "memory_format")}


class Memory:
    """A tensor, and the bytes [low, high) of its storage.

    Addresses are comparable within a space, which is a device. A storage without an address has its own space.
    """

    def __init__(self, name, x, space, low, high, first, strides, unit):
        self.name, self.space, self.low, self.high, self.first, self.unit = name, space, low, high, first, unit
        self.shape, self.strides, self.dtype = [int(n) for n in x.shape], [int(s) for s in strides], _dtype(x)
        self.itemsize = _itemsize(x)

    def document(self, low, high):
        """Returns its description as a view of the bytes [low, high)."""
        offset = self.first - low
        if self.unit == "elements":
            if offset % self.itemsize:  # shared with elements of another size
                self.strides, self.unit = [s * self.itemsize for s in self.strides], "bytes"
            else:
                offset //= self.itemsize
        return {"schema": "tlayout/tensor/v1", "name": self.name, "dtype": self.dtype, "shape": self.shape, "strides": self.strides,
                "unit": self.unit, "offset": offset, "storage": {"id": f"{self.space}:{low:#x}", "bytes": high - low}}


def documents(tensors):
    """Returns the documents of named tensors, merging overlapping storages."""
    found = [locate(x, name) for name, x in tensors]
    storages, last = [], None
    for m in sorted(found, key=lambda m: (m.space, m.low, m.high)):
        if last and m.space == last[0] and m.low < last[2]:
            last[2] = max(last[2], m.high)
        else:
            last = [m.space, m.low, m.high]
            storages.append(last)
        m.storage = last
    return [m.document(*m.storage[1:]) for m in found]


def locate(x, name=""):
    """Returns the Memory of a tensor, or raises TypeError."""
    if not is_tensor(x):
        raise TypeError(f"{_said(name)}{_type(x)} is not {KINDS}")
    try:
        for kind in _torch, _numpy, _cupy, _jax:
            if found := kind(x):
                return Memory(name, x, *found)
    except (AttributeError, RuntimeError, ValueError) as e:  # also NotImplementedError
        raise TypeError(f"{_said(name)}{_type(x)} has no strides in memory: {str(e).splitlines()[0]}") from None
    raise TypeError(f"{_said(name)}the strides of {_type(x)} are unknown; pass {KINDS}")


def _torch(x):
    if not callable(getattr(x, "stride", None)):
        return None
    memory = x.untyped_storage() if hasattr(x, "untyped_storage") else x.storage().untyped()
    space, size, itemsize = str(x.device), memory.nbytes(), x.element_size()
    try:
        low = memory.data_ptr()
    except RuntimeError:  # a FakeTensor
        low = 0
    if low == 0 or size == 0:  # on meta, or empty: identified by its storage object only
        space, low = f"{space}:storage {memory._cdata:#x}", 0
    return space, low, low + size, low + x.storage_offset() * itemsize, x.stride(), "elements"


def _cupy(x):
    memory = getattr(getattr(x, "data", None), "mem", None)
    if memory is None or not hasattr(x, "strides"):
        return None
    return f"cuda:{getattr(x.device, 'id', x.device)}", memory.ptr, memory.ptr + memory.size, x.data.ptr, x.strides, "bytes"


def _numpy(x):
    if not hasattr(x, "strides") or not hasattr(x, "__array_interface__"):
        return None
    root = x
    while hasattr(getattr(root, "base", None), "__array_interface__"):
        root = root.base
    ends = [_bounds(a.__array_interface__["data"][0], a.shape, a.strides, a.dtype.itemsize) for a in (root, x)]
    ends = [e for e in ends if e[0] < e[1]]
    first = x.__array_interface__["data"][0]
    if not ends:
        return f"cpu:empty {id(x):#x}", first, first, first, x.strides, "bytes"
    low, high = min(e[0] for e in ends), max(e[1] for e in ends)
    return "cpu", low, high, first, x.strides, "bytes"


def _jax(x):
    """JAX arrays have no strides: they are row-major."""
    if type(x).__module__.split(".")[0] not in ("jax", "jaxlib"):
        return None
    strides, run = [], 1
    for n in reversed(x.shape):
        strides.insert(0, run)
        run *= max(n, 1)
    size, space, low = x.size * _itemsize(x), f"object {id(x):#x}", 0
    devices = list(x.devices())
    if len(devices) == 1 and size:
        low, device = x.unsafe_buffer_pointer(), devices[0]
        space = "cpu" if device.platform == "cpu" else f"{'cuda' if device.platform == 'gpu' else device.platform}:{device.id}"
    return space, low, low + size, low, strides, "elements"


def _bounds(at, shape, strides, itemsize):
    """Returns the first byte of a strided array, and the one after its last."""
    if 0 in shape:
        return at, at
    reach = [(n - 1) * s for n, s in zip(shape, strides)]
    return at + sum(r for r in reach if r < 0), at + sum(r for r in reach if r > 0) + itemsize


def _itemsize(x):
    return x.dtype.itemsize if hasattr(x.dtype, "itemsize") else x.element_size()


def _dtype(x):
    kind = getattr(x.dtype, "kind", "")
    if not kind or kind == "V" and not x.dtype.names:  # PyTorch or ml_dtypes
        return str(x.dtype)
    return x.dtype.str


def is_tensor(x):
    try:
        return hasattr(x, "shape") and hasattr(x, "dtype") and not isinstance(x, type)
    except RuntimeError:  # an uninitialized PyTorch parameter
        return True


def _is_plain(x):
    """Reports whether x contains no tensor, like NumPy scalars, which have no memory of their own."""
    return isinstance(x, PLAIN) or any((t.__module__, t.__name__) in OPAQUE for t in type(x).__mro__)


def tensors(x, name=""):
    """Yields the tensors of a container with their names. Raises TypeError for an unsupported object that may contain tensors."""
    for key, value in _items(x, name):
        path = f"{name}.{key}" if name else str(key)
        if _is_plain(value):
            continue
        if is_tensor(value):
            yield path, value
        else:
            yield from tensors(value, path)


def _items(x, name):
    """Returns the keys and values of a container."""
    if callable(getattr(x, "named_modules", None)) and hasattr(x, "_parameters"):
        return _module(x)
    if isinstance(x, collections.abc.Mapping):
        return x.items()
    if isinstance(x, collections.abc.Sequence) and not isinstance(x, (*PLAIN, memoryview)):
        return zip(getattr(x, "_fields", range(len(x))), x)
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return [(f.name, getattr(x, f.name)) for f in dataclasses.fields(x)]
    hint = "; pass its state_dict()" if callable(getattr(x, "state_dict", None)) else ""
    raise TypeError(f"{_said(name)}{_type(x)} is neither {KINDS} nor a Module, dict, list, tuple or dataclass of them{hint}")


def _module(x):
    """Yields the parameters and buffers of a Module, tied ones under each of their names."""
    for path, m in x.named_modules(remove_duplicate=False):
        for key, value in [*m._parameters.items(), *m._buffers.items()]:
            yield f"{path}.{key}" if path else key, value


def _said(name):
    return f"{name}: " if name else ""


def _type(x):
    t = type(x)
    return t.__name__ if t.__module__ == "builtins" else f"{t.__module__}.{t.__name__}"
