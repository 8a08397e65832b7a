# SPDX-License-Identifier: BSD-3-Clause
"""The MPI library of the tests that start ranks: Open MPI, or MPICH with WEFT_TEST_MPI=mpich (as `make check-mpich` does)."""
import os
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ABI = os.environ.get("WEFT_TEST_MPI") or "openmpi"
LIBRARY, PRESETS, LAUNCHERS = {"openmpi": ("Open MPI", ("release", "debug"), ("mpirun.openmpi", "mpirun")),
                               "mpich": ("MPICH", ("mpich",), ("mpiexec.mpich", "mpirun.mpich"))}[ABI]
LAUNCHER = next(filter(None, map(shutil.which, LAUNCHERS)), None)
# mpi4py would take the library that the system prefers, which need not be that of the launcher.
VARIABLES = {"MPI4PY_MPIABI": ABI, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
             "OMPI_MCA_mpi_yield_when_idle": "1", "WEFT_YIELD": "yes"}
DEBIAN = Path("/usr/lib/x86_64-linux-gnu/libmpich.so.12")
if ABI == "mpich" and DEBIAN.exists():  # where mpi4py looks for libmpi.so.12
    FOLDER = ROOT / "build/mpich/libmpi"
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not (FOLDER / "libmpi.so.12").is_symlink():
        (FOLDER / "libmpi.so.12").symlink_to(DEBIAN)
    VARIABLES["LD_LIBRARY_PATH"] = str(FOLDER)


def build_with(module):
    """The build folder that has an extension module of this ABI ($WEFT_BUILD, else a preset's); None if there is none."""
    given = os.environ.get("WEFT_BUILD")
    folders = [Path(given)] if given else [ROOT / "build" / preset for preset in PRESETS]
    return next((folder for folder in folders if any(folder.glob(f"python/weft/_{ABI}/{module}.*so")) or any(folder.glob(f"python/weft/_abi/{module}.*so"))), None)
