#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts what does not depend on noise: instructions (callgrind), allocations, messages, bytes. Fails if a count is 3 % beyond the one in
NAME.txt. Instructions are compared only with the compiler and valgrind of the file.

    counters.py PROGRAM COMPILER [--write]    --write: writes the files instead
"""
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("step", "part", "commit", "halo", "halo_messages", "halo_messages_of_parts", "step_messages", "monitors", "fft",
         *(f"{way}_{codec}" for codec in ("zstd", "bzip2", "gzip", "xz") for way in ("pack", "unpack")),
         "kernel_fp64", "kernel_fp32", "kernel_fp16", "kernel_cumulant")
TOLERANCE = 0.03
SKIPPED = 77


def counted(program: str, name: str) -> dict[str, float]:
    """Empty if the processor lacks what the benchmark needs."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=weft_counted", "--callgrind-out-file=/dev/null", program, name],
                          capture_output=True, text=True, check=False)
    if done.returncode == SKIPPED:
        return {}
    instructions = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not instructions:
        sys.exit(f"counters: {name} failed: {done.stdout}{done.stderr}")
    values = {key: float(value) for key, value in (line.split() for line in done.stdout.splitlines())}
    units = values.pop("units", 0)
    return ({"instructions_per_unit": int(instructions[1]) / units} if units else {}) | values


def read(file: Path) -> tuple[str, dict[str, float]]:
    first, *lines = file.read_text(encoding="utf-8").splitlines()
    return first.removeprefix("# "), {key: float(value) for key, value in map(str.split, lines)}


def main(program: str, compiler: str, *options: str) -> int:
    if not shutil.which("valgrind"):
        print("counters: skipped (valgrind is not installed).")
        return SKIPPED
    version = subprocess.run(["valgrind", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    made_with, wrong = f"{platform.machine()}, {compiler}, {version}", 0
    for name in NAMES:
        file, found = Path(__file__).with_name(f"{name}.txt"), counted(program, name)
        if not found:
            continue
        if "--write" in options:
            file.write_text("\n".join([f"# {made_with}", *(f"{key} {value:.6g}" for key, value in found.items())]) + "\n", encoding="utf-8")
            continue
        file_made_with, kept = read(file)
        for key, value in found.items():
            if key == "instructions_per_unit" and made_with != file_made_with:
                continue
            change = f"{name}: {key} is {value:.6g} ({file.name} has {kept[key]:g})"
            if value > kept[key] * (1 + TOLERANCE):
                wrong += 1
                print(f"counters: {change}. Make it cheaper, or say why in the commit and write the files anew (--write).")
            elif value < kept[key] * (1 - TOLERANCE):
                print(f"counters: {change}: better. Write the files anew (--write).")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
