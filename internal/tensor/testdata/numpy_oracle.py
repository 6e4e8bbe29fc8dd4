"""Says what NumPy answers about strided arrays: a line of JSON out for each line in. numpy_test.go runs it.

Arrays lie in the middle of one buffer in which element i holds i, so that strides may be negative and the values
are the addresses.
"""
import json
import sys
import warnings

import numpy as np

try:
    from numpy._core._multiarray_tests import internal_overlap
    from numpy.lib.array_utils import byte_bounds
except ImportError:  # before NumPy 2
    from numpy import byte_bounds
    from numpy.core._multiarray_tests import internal_overlap

warnings.simplefilter("ignore")  # NumPy 2.5 deprecates y.shape = shape
ORIGIN = 1 << 15
BUFFER = np.arange(-ORIGIN, ORIGIN, dtype=np.int64)
BYTES = np.zeros(BUFFER.nbytes * 2, dtype=np.uint8)


def array(buffer, dtype, case):
    """The case's array, its offset counted from the middle of the buffer."""
    size = np.dtype(dtype).itemsize
    return np.ndarray(
        case["shape"], dtype, buffer, (ORIGIN + case["offset"]) * size, [s * size for s in case["strides"]]
    )


def answer(case):
    x = array(BYTES, "V%d" % case["item_size"], case)
    start = x.__array_interface__["data"][0]
    return {
        "c": x.flags.c_contiguous,
        "f": x.flags.f_contiguous,
        "fortran_order": np.lib.format.header_data_from_array_1_0(x)["fortran_order"],
        "bounds": [b - start for b in byte_bounds(x)],
        "overlap": bool(internal_overlap(x)),
        "addresses": array(BUFFER, BUFFER.dtype, case).ravel().tolist(),
        "view_exists": views(x, case["view"]),
    }


def views(x, shape):
    """Whether a reshape shares x's memory: assigning a shape copies never, and fails where it would have to."""
    y = x.view()
    try:
        y.shape = shape
    except (AttributeError, ValueError):
        return False
    return True


print("numpy", np.__version__, flush=True)
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
