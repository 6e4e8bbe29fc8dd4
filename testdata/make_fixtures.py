"""Writes the files of README.md, docs/ and `make demo`. Made with NumPy 1.24.2."""
import numpy as np

np.save("x.npy", np.arange(2 * 3 * 4 * 5, dtype="<f4").reshape(2, 3, 4, 5))
np.save("photo.npy", (np.arange(2 * 6 * 8 * 3) % 256).astype("u1").reshape(2, 6, 8, 3))

# weights.npz: two arrays as np.savez stores them, without compression.
np.savez("weights.npz", w=np.arange(6, dtype="<f4").reshape(2, 3), b=np.zeros(2, "<f4"))

# bf16.npy: 1.5, -2, 0.1 and 3 as ml_dtypes' bfloat16 is saved, the upper halves of float32 under the name <V2.
with open("bf16.npy", "wb") as f:
    np.lib.format.write_array_header_1_0(f, {"descr": "<V2", "fortran_order": False, "shape": (4,)})
    f.write((np.array([1.5, -2, 0.1, 3], "<f4").view("<u4") >> 16).astype("<u2").tobytes())
