"""Writes atoms.txt: which element each value of each thread holds, hashed, as other programs say.

    pip install tensor-layouts==0.3.2 tabulate; git clone https://github.com/ROCm/amd_matrix_instruction_calculator (2ef91896, 1.3.2)
    python atoms.py amd_matrix_instruction_calculator/matrix_calculator.py > atoms.txt

A line is a name and PART=HASH, the first 8 digits of the SHA-256 of "0,0;0,1;…", coordinates by thread, then value.
"""
import csv, hashlib, re, subprocess, sys
from tensor_layouts import atoms_amd, atoms_nv
from tensor_layouts.atoms import CopyAtom, MMAAtom

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


for line in dict.fromkeys([*nvidia(), *amd(sys.argv[1])]):
    print(line)
