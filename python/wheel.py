"""Packs a program and the module into a wheel: wheel.py VERSION GOOS GOARCH PROGRAM THIRD_PARTY FOLDER. Equal files and zlib give equal bytes.

With VERSION alone it prints the version of the wheel, or fails.
"""

import base64
import hashlib
import os
import re
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))

# Tags by PEP 425, 600 and 656 of the static executable for a GOOS and GOARCH, in order.
PLATFORMS = {
    ("linux", "amd64"): ["manylinux_2_17_x86_64", "musllinux_1_2_x86_64"],
    ("linux", "arm64"): ["manylinux_2_17_aarch64", "musllinux_1_2_aarch64"],
    ("darwin", "amd64"): ["macosx_12_0_x86_64"],
    ("darwin", "arm64"): ["macosx_12_0_arm64"],
    ("windows", "amd64"): ["win_amd64"],
    ("windows", "arm64"): ["win_arm64"],
}

# Core metadata 2.4, https://packaging.python.org/en/latest/specifications/core-metadata/
METADATA = """\
Metadata-Version: 2.4
Name: tlayout
Version: {version}
Summary: Inspect, explain, draw and convert the memory layout of tensors
Author: The tlayout authors
License-Expression: MIT
License-File: LICENSE
License-File: THIRD_PARTY
Project-URL: Homepage, https://github.com/tlayout/tlayout
Project-URL: Documentation, https://github.com/tlayout/tlayout/blob/main/docs/python.md
Project-URL: Changelog, https://github.com/tlayout/tlayout/blob/main/CHANGELOG.md
Project-URL: Issues, https://github.com/tlayout/tlayout/issues
Keywords: tensor,memory layout,strides,channels_last,NHWC
Classifier: Development Status :: 4 - Beta
Classifier: Environment :: Console
Classifier: Intended Audience :: Developers
Classifier: Intended Audience :: Science/Research
Classifier: Operating System :: MacOS
Classifier: Operating System :: Microsoft :: Windows
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence
Classifier: Topic :: Software Development :: Debuggers
Classifier: Typing :: Typed
Requires-Python: >=3.9
Description-Content-Type: text/markdown

"""


def read(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


def normal(version):
    """Returns a semantic version as PEP 440 writes it: 1.0.0-rc.1 is 1.0.0rc1, and the snapshot of a commit a version that PyPI refuses."""
    match = re.fullmatch(r"(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.?(\d*))?(?:-snapshot\.([0-9a-f]+))?", version)
    if not match:
        raise SystemExit(f"wheel.py: version {version} is neither 1.2.3 nor 1.2.3-rc.4, with alpha, beta or rc")
    release, kind, number, commit = match.groups()
    if kind:
        release += {"alpha": "a", "beta": "b", "rc": "rc"}[kind] + str(int(number or 0))
    return f"{release}.dev0+g{commit}" if commit else release  # without g, a commit of digits only would lose leading zeros


def module():
    """Returns the files of the module by their paths in the wheel."""
    folder = os.path.join(HERE, "tlayout")
    return {f"tlayout/{name}": read(folder, name) for name in sorted(os.listdir(folder)) if os.path.isfile(os.path.join(folder, name))}


def main(version, goos, goarch, program, third_party, folder):
    version, tags = normal(version), PLATFORMS[goos, goarch]
    info, data = f"tlayout-{version}.dist-info", f"tlayout-{version}.data"
    files = {
        **module(),
        f"{data}/scripts/tlayout{'.exe' if goos == 'windows' else ''}": read(program),
        f"{info}/licenses/LICENSE": read(HERE, "..", "LICENSE"),
        f"{info}/licenses/THIRD_PARTY": read(third_party),
        f"{info}/METADATA": METADATA.format(version=version).encode() + read(HERE, "README.md"),
        f"{info}/entry_points.txt": b"[pytest11]\ntlayout = tlayout.pytest_plugin\n",
        f"{info}/WHEEL": ("Wheel-Version: 1.0\nGenerator: tlayout\nRoot-Is-Purelib: false\n"
                          + "".join(f"Tag: py3-none-{tag}\n" for tag in tags)).encode(),
    }
    record = ""
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(text)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    os.makedirs(folder, exist_ok=True)
    with zipfile.ZipFile(os.path.join(folder, f"tlayout-{version}-py3-none-{'.'.join(tags)}.whl"), "w") as z:
        for path, text in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            z.writestr(entry, text, compresslevel=9)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print(normal(sys.argv[1]))
    else:
        main(*sys.argv[1:])
