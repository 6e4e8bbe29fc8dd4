"""Writes quantized.gguf, a tensor of ne (512, 1) or smaller of each type of blocks that gguf-py has, and one with scales that are not
finite: python3 make_quantized.py, with the packages gguf 0.19.0 and numpy 2.4 of PyPI.
"""
import gguf
import numpy as np

rng = np.random.default_rng(2026)
w = gguf.GGUFWriter("quantized.gguf", "test")
for kind, (values, size) in gguf.GGML_QUANT_SIZES.items():
    if values == 1 or kind.name == "Q8_1":  # no file has q8_1
        continue
    raw = rng.integers(0, 256, (1, 2 * size), dtype="u1")
    if "quantize_blocks" in gguf.quants._type_traits.get(kind, int).__dict__:
        raw = gguf.quants.quantize(rng.standard_normal((1, 2 * values)).astype("f4"), kind)
    w.add_tensor(kind.name.lower(), raw, raw_dtype=kind)
nan = np.zeros((1, 36), "u1")
nan[0, :2], nan[0, 18:20] = (0x01, 0x7E), (0x00, 0x7C)  # float16 NaN, infinity
w.add_tensor("not_finite", nan, raw_dtype=gguf.GGMLQuantizationType.Q4_0)
w.write_header_to_file()
w.write_kv_data_to_file()
w.write_tensors_to_file()
w.close()
