"""Writes stored.npz, deflated.npz and empty.npz. Made with NumPy 1.24.2 and Python 3.11.2."""
import numpy as np

arrays = {"fc.weight": np.arange(6, dtype="<f4").reshape(2, 3), "conv/w": np.asfortranarray(np.arange(24, dtype=">i2").reshape(2, 3, 4)),
          "same": np.zeros((3, 100), "u1")}
np.savez("stored.npz", **arrays)
np.savez_compressed("deflated.npz", **arrays)
np.savez("empty.npz")
