"""NumPy, and ml_dtypes for bfloat16, round float64 numbers to a dtype. A line of input is {"dtype": "float16", "numbers": base64 of little-endian
float64}, the answer is {"items": base64} or {"missing": module}. Integers are rounded to even and clipped in Python, which has no largest integer."""

import base64
import json
import sys

import numpy as np

print("NumPy", np.__version__, flush=True)


def items(dtype, numbers):
    if dtype == "bfloat16":
        import ml_dtypes

        return numbers.astype(ml_dtypes.bfloat16)
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return numbers.astype(kind)
    limits = np.iinfo(kind)

    def clipped(x):
        if np.isinf(x):
            return limits.max if x > 0 else limits.min
        return max(limits.min, min(limits.max, int(np.rint(x))))

    return np.array([clipped(x) for x in numbers], kind)


for line in sys.stdin:
    question = json.loads(line)
    numbers = np.frombuffer(base64.b64decode(question["numbers"]), "<f8")
    try:
        with np.errstate(over="ignore", under="ignore"):
            raw = items(question["dtype"], numbers).tobytes()
        answer = {"items": base64.b64encode(raw).decode()}
    except ModuleNotFoundError as e:
        answer = {"missing": e.name}
    print(json.dumps(answer), flush=True)
