# SPDX-License-Identifier: BSD-3-Clause
"""Seconds that `weft unpack` on two ranks and other programs with two threads take to decompress the same files, in turns, from
the start of each command to its end. The last line is a JSON object."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BYTES = 100_000_000
TURNS = 3
RAPIDGZIP = Path(sys.executable).with_name("rapidgzip")
WEFT = [shutil.which("mpirun.openmpi") or "mpirun", "-n", "2", "--bind-to", "core", "build/release/weft", "unpack"]


def mixed_files(path: Path) -> None:
    """Files of /usr/lib and /usr/share in their order, as many as give BYTES bytes."""
    left = BYTES
    with path.open("wb") as out:
        for folder in ("/usr/share", "/usr/lib"):
            for name in sorted(Path(folder).rglob("*")):
                if left <= 0:
                    return
                if name.is_file() and not name.is_symlink() and os.access(name, os.R_OK):
                    left -= out.write(name.read_bytes()[:left])


def seconds(command: list, out: Path, to_stdout: bool) -> float:
    out.unlink(missing_ok=True)
    begin = time.perf_counter()
    if to_stdout:
        with out.open("wb") as file:
            subprocess.run(command, stdout=file, check=True)
    else:
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder) / "input", Path(folder) / "out"
        mixed_files(data)
        written = {"gz": ["gzip", "-6"], "bz2": ["bzip2", "-9"], "xz": ["xz", "-6", "-T2"], "zst": ["zstd", "-q", "-3"]}
        peers = {"gz": {"gzip": ["gzip", "-dc"]}, "bz2": {"lbzip2": ["lbzip2", "-dc", "-n", "2"]}, "xz": {"xz": ["xz", "-dc", "-T2"]},
                 "zst": {"zstd": ["zstd", "-qdc"]}}
        if RAPIDGZIP.is_file():
            peers["gz"]["rapidgzip"] = [RAPIDGZIP, "-q", "-dc", "-P", "2"]
        found = {}
        for kind, command in written.items():
            packed = Path(f"{data}.{kind}")
            with packed.open("wb") as file:
                subprocess.run([*command, "-c", data], stdout=file, check=True)
            samples = {"weft": []} | {name: [] for name in peers[kind]}
            for _ in range(TURNS):
                samples["weft"].append(seconds([*WEFT, packed, "-o", out], out, False))
                if out.stat().st_size != BYTES:
                    raise SystemExit(f"weft unpack wrote {out.stat().st_size} of {BYTES} bytes of {packed}")
                for name, peer in peers[kind].items():
                    samples[name].append(seconds([*peer, packed], out, True))
            found |= {f"{kind}, {name}": statistics.median(values) for name, values in samples.items()}
    print(json.dumps(found))


main()
