# SPDX-License-Identifier: BSD-3-Clause
"""Installs and builds the other programs: those of PyPI into build/peers, and the comparison with PETSc. What can't be had is left out."""
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / "build/peers"
GHEX = "ghex==0.9.0"  # is compiled, some minutes
RELEASE = ROOT / "build/release"


def attempt(what: str, command: list, **environment: str) -> bool:
    run = subprocess.run(["env", *(f"{k}={v}" for k, v in environment.items()), *map(str, command)], cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        last = (run.stderr or run.stdout).strip().splitlines()[-1:]
        print(f"measure: {what} is left out ({' '.join(last)[:200]}).")
    return run.returncode == 0


def prepare() -> None:
    python = PEERS / "bin/python"
    if not python.exists():
        attempt("PyPI", [sys.executable, "-m", "venv", PEERS])
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    attempt("lbmpy and rapidgzip", [*pip, "-r", "bench/measure/requirements.txt"])
    attempt("GHEX", [*pip, GHEX], MPICC="mpicc.openmpi")
    if not attempt("PETSc", ["pkg-config", "--exists", "PETSc"]):
        return
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "PETSc"], capture_output=True, text=True, check=True).stdout
    core = [RELEASE / f"core/libweft_{part}.a" for part in ("collective", "core")]
    bench = [RELEASE / f"bench/libweft_bench_{part}.a" for part in ("graph", "core")]
    for name, libraries in (("star_forest", core), ("petsc_graph", [*bench, *core]), ("petsc_matrix", [bench[1], *core])):
        attempt(f"{name} (PETSc)", ["mpicxx.openmpi", "-std=c++20", "-O3", "-Icore/include", "-Ibench", f"bench/measure/peers/{name}.cpp", *libraries,
                                    *shlex.split(flags), "-lfmt", "-pthread", "-o", RELEASE / name])
