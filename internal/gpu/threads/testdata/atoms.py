"""Writes atoms.txt: which element each value of each thread holds, hashed, as other programs say.

    pip install tensor-layouts==0.3.2 tabulate apache-tvm==0.27.0.post1; git clone https://github.com/ROCm/amd_matrix_instruction_calculator (2ef91896, 1.3.2)
    python atoms.py amd_matrix_instruction_calculator/matrix_calculator.py > atoms.txt

A line is a name and PART=HASH, the first 8 digits of the SHA-256 of "0,0;0,1;…", coordinates by thread, then value.
"""
import csv, hashlib, re, subprocess, sys
from tensor_layouts import atoms_amd, atoms_nv
from tensor_layouts import Layout
from tensor_layouts.atoms import CopyAtom, MMAAtom
from tvm.tirx.layout import tmem_datapath_layout

# Names that CUTLASS spells otherwise.
OTHER = {"SM120_16x8x32_F32E4M3E4M3F32_TN": "SM120_16x8x32_TN", "SM120_16x8x32_F16E4M3E4M3F16_TN": "SM120_16x8x32_TN",
         "SM120_16x8x64_F32E4M3E4M3F32_TN": "SM120_16x8x64_TN_VS", "SM120_16x8x64_F16E4M3E4M3F16_TN": "SM120_16x8x64_TN_VS",
         "SM120_16x8x64_F32E4M3E4M3F32_TN_SPARSE": "SM120_SPARSE_16x8x64_TN",
         "SM120_16x8x64_F16E4M3E4M3F16_TN_SPARSE": "SM120_SPARSE_16x8x64_TN",
         "SM120_16x8x128_F32E4M3E4M3F32_TN_SPARSE": "SM120_SPARSE_16x8x128_TN_VS",
         "SM120_16x8x128_F16E4M3E4M3F16_TN_SPARSE": "SM120_SPARSE_16x8x128_TN_VS"}


def digest(coords):
    return hashlib.sha256(";".join(",".join(map(str, c)) for c in coords).encode()).hexdigest()[:8]


def line(*words):
    return " ".join(words)


def size(mode):
    return mode if isinstance(mode, int) else size(mode[0]) * size(mode[1:]) if mode else 1


def table(layout, coord, step=1):
    threads, values = (size(m) for m in layout.shape)
    return [coord(layout(t, v)) for t in range(threads) for v in range(0, values, step)]


def nvidia():
    for name, atom in vars(atoms_nv).items():
        if isinstance(atom, MMAAtom) and not name.startswith("SM100"):  # SM100: the operands are in memory
            m, n, _ = atom.shape_mnk
            parts = {"A": (atom.a_layout, m), "B": (atom.b_layout, n), "C": (atom.c_layout, m)}
            if "64x" in name:  # wgmma _SS: A and B are in memory
                del parts["A"], parts["B"]
            if name.endswith("_SPARSE") and "64x" in name:
                name = name.replace("SM90_", "GMMA_").replace("_SPARSE", "")
            if name.startswith("SM61"):
                name = atom.name
            hashes = {p: digest(table(l, lambda e: (e % rows, e // rows))) for p, (l, rows) in parts.items()}
            yield line(OTHER.get(name, name), *(f"{p}={h}" for p, h in hashes.items()))
        elif isinstance(atom, CopyAtom) and "CP_ASYNC" not in name:
            bits, row = (32, 64) if "U32_2x2" in name else (16, 128)  # elements of bits bits in rows of row bits
            parts = {"src": atom.src_layout_bits, "dst": atom.dst_layout_bits}
            yield line(name, *(f"{p}={digest(table(l, lambda e: (e // row, e % row // bits), bits))}" for p, l in parts.items()))


def amd(calculator):
    def run(*args):
        return subprocess.check_output([sys.executable, calculator, *args], text=True).splitlines()

    for arch in ("cdna1", "cdna2", "cdna3", "rdna3", "rdna4"):
        for name in run("-a", arch, "-L")[1:]:
            name, parts = name.strip(), []
            if "swmmac" in name or "smfmac" in name:
                continue
            for part in "ABD":
                coords = []
                for row in list(csv.reader(run("-a", arch, "-i", name, "-" + part, "--matrix-layout", "--csv")))[3:]:
                    for cell in row[1:]:
                        i, j, block = re.fullmatch(r"\w\[(\d+)\]\[(\d+)\](?:\.B(\d+))?", cell).groups()
                        coords.append([c for c in ((j, i) if part == "B" else (i, j)) + (block,) if c])
                parts.append(f"{part.replace('D', 'C')}={digest(coords)}")
            yield line(name + {"rdna3": ".gfx11", "rdna4": ".gfx12"}.get(arch, ""), *parts)


def cells(held):
    """Hashes the coordinates of (lane, column) pairs, CTA by CTA."""
    return digest([coord for cta in held for _, coord in sorted(cta)])


def memory():
    """The data paths of tcgen05.mma as TVM has them for a CTA; two CTAs have the rows in turn."""
    for name, letter, rows in (("m128n%", "D", 128), ("m64n%", "F", 64), ("cta_group::2.m256n%", "A", 128), ("cta_group::2.m128n%", "B", 64),
                               ("sp.cta_group::2.m128n%", "C", 64), ("ws.m64n%", "E", 64), ("ws.m32n%", "G", 32)):
        for n in (64, 128, 256):
            layout, held = tmem_datapath_layout(letter, rows, n), []
            for cta in range(1 + (letter in "ABC")):
                held.append([])
                for e in range(rows * n):
                    at, rest = {"TLane": 0, "TCol": 0}, e
                    for i in reversed(layout.shard):
                        at[i.axis.name] += rest % int(i.extent) * int(i.stride)
                        rest //= int(i.extent)
                    held[-1].append(((at["TLane"], at["TCol"]), (e // n + cta * rows, e % n)))
            yield line("tcgen05.mma." + name.replace("%", str(n)), "C=" + cells(held))


def utccp():
    """tcgen05.cp by the Copy_Traits of CUTLASS 4.1's copy_traits_sm100.hpp: value → bit of the source, and → bit of tensor memory."""
    dp = 1 << 16
    for name, memory, source, rows in (
            ("128x256b", Layout((128, 256), (dp, 1)), Layout((128, 256), (1, 128)), 128),
            ("128x128b", Layout((128, 128), (dp, 1)), Layout((128, 128), (1, 128)), 128),
            ("4x256b", Layout((4, 256), (32 * dp, 1)), Layout((4, 256), (1, 4)), 4),
            ("32x128b.warpx4", Layout((32, 128, 4), (dp, 1, 32 * dp)), Layout((32, 128, 4), (1, 32, 0)), 32),
            ("64x128b.warpx2::02_13", Layout((64, 128, 2), (dp, 1, 64 * dp)), Layout((64, 128, 2), (1, 64, 0)), 64),
            ("64x128b.warpx2::01_23", Layout((32, 128, 2, 2), (dp, 1, 64 * dp, 32 * dp)), Layout((32, 128, 2, 2), (1, 64, 32, 0)), 64)):
        held = []
        for value in range(size(memory.shape)):
            lane, bit = divmod(memory(value), dp)
            if bit % 32 == 0:
                held.append(((lane, bit), (source(value) % rows, source(value) // rows // 32)))
        yield line("tcgen05.cp." + name, "dst=" + cells([held]))


for line in dict.fromkeys([*nvidia(), *memory(), *utccp(), *amd(sys.argv[1])]):
    print(line)
