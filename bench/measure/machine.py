# SPDX-License-Identifier: BSD-3-Clause
"""The machine of a measurement: what it is, and whether it is quiet."""
import os
import re
import subprocess
import time
from pathlib import Path

from wrong import Wrong

CPU = Path("/sys/devices/system/cpu/cpu0")


def cpuinfo(key: str) -> str:
    found = re.search(rf"^{key}\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else "unknown"


def first_line(*command: str) -> str:
    try:
        lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    except OSError:
        return "absent"
    return lines[0].strip() if lines else "unknown"


def describe() -> dict:
    """All but the memory's rate, which `weft bench kernel` measures."""
    caches = {}
    for index in sorted((CPU / "cache").glob("index*")):
        kind = (index / "type").read_text().strip()
        if kind != "Instruction":
            caches[f"L{(index / 'level').read_text().strip()}"] = (index / "size").read_text().strip()
    memory = re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())
    flags = cpuinfo("flags").split()
    return {"processor": cpuinfo("model name"), "family": cpuinfo("cpu family"), "model": cpuinfo("model"), "cores": os.cpu_count(),
            "vectors": next((name for name in ("avx512f", "avx2", "sse2") if name in flags), "unknown"), "caches": caches,
            "memory_gib": round(int(memory[1]) / 2**20) if memory else None, "compiler": first_line("g++", "--version"),
            "mpi": first_line("mpirun.openmpi", "--version")}


def slug(machine: dict) -> str:
    """The name of its file."""
    words = re.findall(r"[a-z0-9]+", machine["processor"].lower().replace("(r)", ""))
    return "-".join([*words[:4], machine["family"], machine["model"]])


def name(machine: dict) -> str:
    return f"{machine['processor']}, family {machine['family']}, model {machine['model']}"


def busy_share(seconds: float = 2) -> float:
    """The share of all cores' time that other programs (and other virtual machines) use now."""
    def times() -> list[int]:
        return [int(n) for n in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]

    before = times()
    time.sleep(seconds)
    spent = [b - a for a, b in zip(before, times())]
    return 1 - (spent[3] + spent[4]) / max(1, sum(spent))


def check_quiet() -> None:
    if (busy := busy_share()) > 0.05:
        raise Wrong(f"The machine is not quiet (other programs use {100 * busy:.0f} % of its cores). End them, or give --busy, which "
                    "marks the figures.")
