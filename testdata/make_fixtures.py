"""Writes x.npy and photo.npy, the files of the README and of `make demo`. Made with NumPy 1.24.2."""
import numpy as np

np.save("x.npy", np.arange(2 * 3 * 4 * 5, dtype="<f4").reshape(2, 3, 4, 5))
np.save("photo.npy", (np.arange(2 * 6 * 8 * 3) % 256).astype("u1").reshape(2, 6, 8, 3))
