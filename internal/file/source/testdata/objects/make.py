"""Writes the files of this folder: NumPy arrays within Python objects, and arrays in a row."""
import pickle
import numpy as np

a, b = np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6, dtype="f4").reshape(2, 3))
np.save("dict.npy", {"a": a, "n": {"b": b}, "s": "text"}, allow_pickle=True)
ragged = np.empty((2, 2), object)
ragged[0, 1], ragged[1, 0] = np.arange(3, dtype="i2"), a
np.save("ragged.npy", ragged, allow_pickle=True)
np.save("ragged_fortran.npy", np.asfortranarray(ragged), allow_pickle=True)
np.save("none.npy", np.array([{"a": 1}], object), allow_pickle=True)
np.savez("stored.npz", w=np.ones(3, "f4"), meta=np.array({"a": a, "b:c": b}, object))
np.savez_compressed("deflated.npz", w=np.ones(3, "f4"), meta=np.array({"a": a, "b:c": b}, object))
for protocol in range(2, 6):
    with open(f"dump{protocol}.pkl", "wb") as f:
        pickle.dump({"a": a, "b": b}, f, protocol)
with open("several.pkl", "wb") as f:
    pickle.dump(a, f)
    pickle.dump([b, 1], f)
with open("row.npy", "wb") as f:
    np.save(f, a)
    np.save(f, b)
    np.save(f, np.int16(7))
