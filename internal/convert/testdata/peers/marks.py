"""Prints what conversions in memory reach beside a copy, oneDNN, NumPy and torch, and whether the marks are met.

    marks.py CONVERT_TEST FOLDER [--level avx2] [--runs 3] [--rounds 3] [--rows TEXT]

CONVERT_TEST is the Go benchmark, made by go test -c ./internal/convert; FOLDER has onednn and arrays.py (README.md). --level
lowers the instruction set of all programs to avx2, which has marks of its own; without it they use the highest. A run takes the
rows one by one, in rounds in which the benchmark and the peers take turns. Figures are medians of the runs, each of which is the
median of its rounds.
"""

import argparse
import datetime
import os
import random
import re
import statistics
import subprocess
import sys

MEDIAN = {"avx2": 0.60, "": 0.70}  # of all rows, of the fastest copy, by level
LEAST = 0.25  # every row
BEHIND = 1.05  # of oneDNN's time, in every row
SAME = 0.97  # the speedup of two threads, with noise: what runs on one thread anyway is as fast
LEVELS = {"avx2": {"TLAYOUT_CPU": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2"}, "": {}}
PEERS = ("onednn", "numpy", "torch")


def rows_of(shapes, sizes):
    return [(shape, size, frm, to) for shape in shapes for size in sizes for layout in ("nhwc", "nchw16")
            for frm, to in (("nchw", layout), (layout, "nchw"))]


SHAPES = [(32, 3, 224, 224), (32, 64, 56, 56), (32, 256, 14, 14), (32, 2048, 7, 7), (64, 64, 112, 112)]
ROWS = rows_of(SHAPES, [4]) + rows_of(SHAPES[:1], [1]) + rows_of(SHAPES[1:2], [2])


def name_of(row):
    shape, size, frm, to = row
    return f"{'x'.join(map(str, shape))}_{size}B_{frm}_{to}"


def half_of(row):
    """Half of the bytes that a row reads and writes, with padding; nchw16 has blocks of 16 channels."""
    (n, c, h, w), size, frm, to = row
    channels = sum(-(-c // 16) * 16 if layout == "nchw16" else c for layout in (frm, to))
    return n * channels * h * w * size // 2


def text_of(row):
    shape, size, frm, to = row
    return f"{'x'.join(map(str, shape))} {size} B {frm} to {to}"


class Benchmark:
    """BenchmarkConvert of internal/convert: seconds of a conversion and of copies, and what a second thread gains."""

    def __init__(self, binary):
        self.binary, self.cpu = binary, ""

    def take(self, row):
        name = name_of(row)
        out = subprocess.run([self.binary, "-test.run", "^$", "-test.benchtime", "1x", "-test.bench",
                              f"^BenchmarkConvert$/^peers$/^{name}$"], check=True, capture_output=True, text=True).stdout
        line = re.search(rf"^BenchmarkConvert/peers/{name}(-\d+)?\s+1\s+(.*)$", out, re.M)
        if not line:
            sys.exit(f"{self.binary} has no result of {name}:\n{out}")
        self.cpu = "".join(re.findall("^cpu: (.*)$", out, re.M))
        words = line[2].split()
        value = dict(zip(words[1::2], map(float, words[::2])))
        times = {unit.removesuffix("-ns/op"): ns / 1e9 for unit, ns in value.items() if unit.endswith("-ns/op")}
        return {f"copy by {way}": s for way, s in times.items()} | {"tlayout": value["ns/op"] / 1e9, "threads": value["threads"]}


class Peer:
    """A program that answers lines, as README.md says."""

    def __init__(self, name, *command):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.version = self.ask("version").removeprefix("version ")

    def ask(self, line):
        print(line, file=self.process.stdin, flush=True)
        return self.process.stdout.readline().strip() or sys.exit(f"{self.name} does not answer {line!r}")

    def seconds(self, shape, size, frm, to):
        """Seconds of a row; None if the peer cannot do it."""
        answer = self.ask(f"x {' '.join(map(str, shape))} {size} {frm} {to}")
        if answer.startswith("x !"):
            sys.exit(f"{self.name}: {text_of((shape, size, frm, to))}: {answer[2:]}")
        return None if answer == "x -" else float(answer.removeprefix("x "))

    def take(self, row):
        out = {self.name: self.seconds(*row)}
        if self.name == "onednn":
            out["copy by memcpy"] = self.seconds((1, 1, 1, half_of(row)), 1, "memcpy", "memcpy")
        return out


def run_of(row, programs, rounds):
    """A run's medians: of the fastest copy's time over each program's, of tlayout's over oneDNN's, and what a second thread gains."""
    taken = []
    for _ in range(rounds):
        taken.append({})
        for program in random.sample(programs, len(programs)):
            taken[-1] |= program.take(row)

    def median(of, beside=None):
        ratios = [t[of] / (t[beside] if beside else 1) for t in taken if t.get(of) and (not beside or t.get(beside))]
        return statistics.median(ratios) if ratios else None

    copy = min((name for name in taken[0] if name.startswith("copy by ")), key=median)
    out = {name: median(copy, name) for name in ("tlayout",) + PEERS}
    return out | {"threads": median("threads"), "behind": median("tlayout", "onednn"), "roof": 2 * half_of(row) / median(copy) / 1e9}


def cell(value):
    return "-" if value is None else f"{value:.2f}"


def mark(text, met, why=""):
    state = "not measured" if met is None else "met" if met else "missed"
    print(f"- {state}: {text}" + (f": {why}" if why else ""))


def mark_rows(text, missed):
    """A mark of every row that is in missed: by how much it misses, or None."""
    worst = sorted(((by, text_of(row)) for row, by in missed.items() if by), reverse=True)
    mark(text, not worst if missed else None, ", ".join(f"{name} by {by:.0%}" for by, name in worst[:12]) + " …" * (len(worst) > 12))


def marks(results, level):
    """A line for each mark, with the rows that miss it, the worst first."""
    median = statistics.median(r["tlayout"] for r in results.values())
    print("\nMarks")
    mark(f"median of {len(results)} rows at least {MEDIAN[level]:.2f}", median >= MEDIAN[level], cell(median))
    mark_rows(f"every row at least {LEAST:.2f}", {row: r["tlayout"] < LEAST and 1 - r["tlayout"] / LEAST for row, r in results.items()})
    mark_rows(f"none behind oneDNN by more than {BEHIND - 1:.0%}",
              {row: r["behind"] > BEHIND and r["behind"] - 1 for row, r in results.items() if r["behind"]})
    mark_rows("two threads never slower than one", {row: r["threads"] < SAME and 1 / r["threads"] - 1 for row, r in results.items()})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("folder")
    parser.add_argument("--level", default="", choices=LEVELS, help="the instruction set of all programs")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", default="", help="measure only rows whose name contains this")
    o = parser.parse_args()
    os.environ.update(LEVELS[o.level])
    arrays = ["/usr/bin/python3", os.path.join(o.folder, "arrays.py")]
    peers = [Peer("onednn", os.path.join(o.folder, "onednn")), Peer("numpy", *arrays, "numpy"), Peer("torch", *arrays, "torch")]
    benchmark = Benchmark(os.path.abspath(o.binary))
    rows = [row for row in ROWS if o.rows in text_of(row)] or sys.exit(f"no row contains {o.rows!r}")
    runs = []
    for k in range(o.runs):
        runs.append({})
        for i, row in enumerate(rows):
            print(f"\rrun {k + 1} of {o.runs}, row {i + 1} of {len(rows)} ", end="", file=sys.stderr, flush=True)
            runs[-1][row] = run_of(row, [benchmark] + peers, o.rounds)
    print(file=sys.stderr)
    results = {}
    for row in rows:
        values = {key: [r[row][key] for r in runs if r[row][key] is not None] for key in runs[0][row]}
        results[row] = {key: statistics.median(v) if v else None for key, v in values.items()}
    print(f"{datetime.date.today()}, {benchmark.cpu}, {os.cpu_count()} cores; {o.level or 'highest level'}; one thread; " + ", ".join(p.version for p in peers))
    print(f"Of the fastest copy of as many bytes in the same rounds, medians of {o.runs} runs; threads: speedup of two\n")
    print("| row | copy GB/s | tlayout | threads | oneDNN | NumPy | torch | time of oneDNN's |\n|---|---|---|---|---|---|---|---|")
    for row, r in results.items():
        print(f"| {text_of(row)} | {r['roof']:.1f} | " + " | ".join(cell(r[k]) for k in ("tlayout", "threads") + PEERS + ("behind",)) + " |")
    marks(results, o.level)


if __name__ == "__main__":
    main()
