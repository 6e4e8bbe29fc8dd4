"""Prints which recorded versions are older than the newest of their registry, by the registries' own clients: those of read.txt, of the lists of
`make witnesses` and `make site`, and of the tools of the Makefile and of releases. `make stale` runs it; it needs the network, and changes nothing."""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
CLIENTS = {
    "pypi": ([sys.executable, "-m", "pip", "--disable-pip-version-check", "index", "versions"], r"\(([^)\s]+)\)"),
    "npm": (["npm", "view", "--silent"], r"'?([0-9][^'\s]*)"),
    "go": (["go", "list", "-m"], r"\sv([^\s]+)"),
}


def recorded():
    """(registry, package, version, where) of every version that the project names."""
    for line in (ROOT / "internal/framework/testdata/read.txt").read_text().splitlines():
        words = line.split()
        if len(words) == 4 and words[1] in CLIENTS:
            yield words[1], words[2], words[3], words[0].replace("_", " ")
    for file in [*sorted((ROOT / "internal/oracle").glob("witnesses*.txt")), ROOT / "site/requirements.txt"]:
        for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", file.read_text(), re.M):
            yield "pypi", name, version, file.name
    makefile = (ROOT / "Makefile").read_text()
    for name, version in re.findall(r"(?<=\s)(@?[\w./-]+)@([0-9][\w.]*)", makefile):
        yield "npm", name, version, "Makefile"
    for file in "Makefile", ".goreleaser.yaml", "internal/manual/licenses.sh":
        for path, version in re.findall(r"(?<=\s)((?:[\w-]+\.)+[\w-]+/[\w./-]+)@v([\w.]+)", (ROOT / file).read_text()):
            yield "go", path, version, pathlib.Path(file).name


def newest(registry, package):
    command, pattern = CLIENTS[registry]
    asked = [package + "@latest"] if registry == "go" else [package] + ["version"] * (registry == "npm")
    for _ in range(4 if registry == "go" else 1):  # a command is in a folder of its module
        try:
            out = subprocess.run(command + asked, capture_output=True, text=True, timeout=120).stdout
        except (OSError, subprocess.TimeoutExpired) as e:
            return f"? ({type(e).__name__})"
        if found := re.search(pattern, out):
            return found[1]
        asked = [asked[0].rpartition("/")[0] + "@latest"]
    return "?"


def key(version):
    """Orders releases: the numbers, with post releases after them."""
    return [int(n) for n in re.findall(r"[0-9]+", version)]


claims = {}
for registry, package, version, where in recorded():
    claims.setdefault((registry, package), []).append((version, where))
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    answers = dict(zip(claims, pool.map(lambda asked: newest(*asked), claims)))
rows = []
for (registry, package), found in claims.items():
    latest = answers[registry, package]
    for where in dict.fromkeys(w for _, w in found):
        read = max((v for v, w in found if w == where), key=key)
        state = "?" if latest.startswith("?") else "commit" if read == "-" else "older" if key(read) < key(latest) else ""
        if state:
            rows.append((state, where, package, read, latest))
rows.sort(key=lambda r: (["older", "commit", "?"].index(r[0]), r[1], r[2]))
for row in [("", "claim", "package", "read", "newest"), *rows]:
    print("{:8}{:18}{:42}{:17}{}".format(*row))
print(f"{len(claims)} packages; older: {sum(r[0] == 'older' for r in rows)}; read at a commit: {sum(r[0] == 'commit' for r in rows)}; "
      f"not found: {sum(r[0] == '?' for r in rows)}")
