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

# The tensors of docs/figures.md. Letters are bytes, one each, so that a file's data can be read as text.
def letters(text, shape):
    return np.array(list(text), dtype="S1").reshape(shape)

np.save("letters.npy", letters("ABCDEF", (2, 3)))
np.save("letters3d.npy", letters("ABCDEFGHIJKL", (2, 2, 3)))
np.save("row.npy", letters("ABC", (3,)))  # what a broadcast of two rows stores
np.save("padded.npy", letters("ABCxxDEFxx", (10,)))  # the storage of rows with a pitch of 5
np.save("rgb.npy", letters("RRRRGGGGBBBB", (3, 2, 2)))
np.save("matrix.npy", np.array([[1, 2], [3, 4]], dtype="<i4"))
np.save("six.npy", np.array([[1, 2, 3], [4, 5, 6]], dtype="<i4"))
np.save("ten.npy", np.arange(10, dtype="<i4").reshape(2, 5))
np.save("nine.npy", np.array(["a%d%d" % (i, k) for i in (1, 2, 3) for k in (1, 2, 3)], dtype="S3").reshape(3, 3))
np.save("small.npy", np.array([14, 16, 20, 11, 8, 26, 15, 18, 29, 21, 10, 3], dtype="<i4").reshape(1, 3, 2, 2))

# kernels.npy: a Sobel kernel, a Laplacian, and the middle of a Gaussian of 5x5 less its mean.
y, x = np.mgrid[-2:3, -2:3]
gauss = np.exp(-(x * x + y * y) / 2)
sobel, laplace = np.outer([1, 2, 1], [-1, 0, 1]) / 8, np.array([[1, 2, 1], [2, -12, 2], [1, 2, 1]]) / 36
np.save("kernels.npy", np.stack([sobel, laplace, (gauss - 2.5 * gauss.mean())[1:4, 1:4]]).astype("<f4"))

# dump.bin: a header of 96 bytes, then waves of three channels and noise as rows of 40 pixels, padded to 128 bytes.
y, x, c = np.mgrid[:48, :40, :3]
noise = np.random.default_rng(1).normal(size=x.shape)
pixels = (128 + 50 * np.sin(x / 9 + c) + 50 * np.cos(y / 8 - x / 20) + 3 * noise).astype("u1")
with open("dump.bin", "wb") as f:
    f.write(bytes(range(1, 97)) + np.pad(pixels.reshape(48, 120), ((0, 0), (0, 8))).tobytes())
