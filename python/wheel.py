"""Builds a wheel for each platform: wheel.py VERSION FOLDER [TAG…]. Needs Go. Equal sources, Go and zlib give equal bytes."""

import base64
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))

# Tags by PEP 425, 600 and 656, with GOOS and GOARCH of the static executable.
PLATFORMS = {
    "manylinux_2_17_x86_64": ("linux", "amd64"),
    "manylinux_2_17_aarch64": ("linux", "arm64"),
    "musllinux_1_2_x86_64": ("linux", "amd64"),
    "musllinux_1_2_aarch64": ("linux", "arm64"),
    "macosx_12_0_x86_64": ("darwin", "amd64"),
    "macosx_12_0_arm64": ("darwin", "arm64"),
    "win_amd64": ("windows", "amd64"),
    "win_arm64": ("windows", "arm64"),
}


def compiled(version, goos, goarch, folder):
    """Returns the executable, built once for each system."""
    path = os.path.join(folder, f"{goos}-{goarch}")
    if not os.path.exists(path):
        flags = f"-s -w -X github.com/tlayout/tlayout/internal/command/cli.release=v{version}"
        subprocess.run(["go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", path, "./cmd/tlayout"], check=True,
                       cwd=os.path.dirname(HERE), env={**os.environ, "GOOS": goos, "GOARCH": goarch, "CGO_ENABLED": "0"})
    with open(path, "rb") as f:
        return f.read()


def read(*path):
    with open(os.path.join(HERE, *path), "rb") as f:
        return f.read()


def wheel(version, tag, program, folder):
    info, data = f"tlayout-{version}.dist-info", f"tlayout-{version}.data"
    name = "tlayout.exe" if tag.startswith("win") else "tlayout"
    files = {
        **{f"tlayout/{part}": read("tlayout", part) for part in sorted(os.listdir(os.path.join(HERE, "tlayout"))) if part != "__pycache__"},
        f"{data}/scripts/{name}": program,
        f"{info}/licenses/LICENSE": read("..", "LICENSE"),
        f"{info}/METADATA": (f"Metadata-Version: 2.1\nName: tlayout\nVersion: {version}\nSummary: Inspect, explain, draw and convert the memory layout "
                             "of tensors\nLicense: MIT\nLicense-File: LICENSE\nRequires-Python: >=3.9\n").encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: tlayout\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n".encode(),
    }
    record = ""
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(text)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    out = os.path.join(folder, f"tlayout-{version}-py3-none-{tag}.whl")
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for path, text in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            z.writestr(entry, text)
    print(out)


def main(version, folder, *tags):
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as programs:
        for tag in tags or PLATFORMS:
            wheel(version, tag, compiled(version, *PLATFORMS[tag], programs), folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
