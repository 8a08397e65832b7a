# SPDX-License-Identifier: BSD-3-Clause
"""Chooses the extension modules for the MPI library of this process (weft._mpi_choice), and loads them.

The modules of a wheel, weft/_abi, are for all MPI libraries: they call MPI through libweft_mpi_openmpi.so (Open MPI, libmpi.so.40),
libweft_mpi_mpich.so (MPICH and its relatives, libmpi.so.12) or libweft_mpi_mpiabi.so (the ABI of MPI 5), which is loaded before them. Those
that are built on a machine for its MPI library are in weft/_openmpi or weft/_mpich."""
import ctypes
import importlib
import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType
from typing import Optional

from weft._mpi_choice import NAMES, Choice, choose


def build_folder() -> Path:
    """Where the modules of the source tree are built: $WEFT_BUILD, else build/release."""
    return Path(os.environ.get("WEFT_BUILD") or Path(__file__).resolve().parents[2] / "build/release")


def module_folders(abi: str) -> list[Path]:
    """The folders that may have the modules of an ABI: the installed package, then the build folder of the source tree."""
    places = (Path(__file__).resolve().parent, build_folder() / "python/weft")
    return [place / package for place in places for package in ("_abi", f"_{abi}")]


def has_module(folder: Path, name: str, abi: str) -> bool:
    """Whether a folder has an extension module that this interpreter can load, and that can use an ABI."""
    if folder.name == "_abi" and not translation(folder, abi).is_file():
        return False
    return any((folder / f"{name}{suffix}").is_file() for suffix in EXTENSION_SUFFIXES)


def translation(folder: Path, abi: str) -> Path:
    """The library through which the modules of a folder _abi call an MPI library."""
    return folder / f"libweft_mpi_{abi}.so"


def version_of(path: str) -> str:
    """The version of a loaded MPI library, such as "Open MPI v5.0.11"."""
    text, length = ctypes.create_string_buffer(8192), ctypes.c_int()
    ctypes.CDLL(path).MPI_Get_library_version(text, ctypes.byref(length))
    return text.value.decode(errors="replace").partition(",")[0].split("\n")[0].strip()


_chosen: Optional[Choice] = None


def load(name: str = "_core") -> ModuleType:
    """Loads an extension module, after the MPI library itself (RTLD_GLOBAL: the modules have no path to it)."""
    global _chosen
    choice = _chosen or choose()
    folder = next((f for f in module_folders(choice.abi) if has_module(f, name, choice.abi)), None)
    if folder is None:
        other = next((abi for abi in NAMES if abi != choice.abi and any(has_module(f, name, abi) for f in module_folders(abi))), None)
        also = f" It has one for {NAMES[other]}: use its launcher, or set MPI4PY_MPIABI={other}." if other else ""
        raise ImportError(f"weft has no extension module {name} for {NAMES[choice.abi]} and this Python "
                          f"({sys.version_info[0]}.{sys.version_info[1]}; searched {', '.join(map(str, module_folders(choice.abi)))}).{also} In the source tree build it with "
                          "`make python-modules`, or set WEFT_BUILD to its build folder.")
    import weft
    if str(folder.parent) not in weft.__path__:
        weft.__path__.append(str(folder.parent))
    try:
        ctypes.CDLL(choice.path, ctypes.RTLD_GLOBAL)
        if folder.name == "_abi":
            ctypes.CDLL(str(translation(folder, choice.abi)), ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise ImportError(f"{choice.path} can't be loaded ({error}). {choice.why} `weft doctor` shows what is installed.") from None
    try:
        module = importlib.import_module(f"weft.{folder.name}.{name}")
    except ImportError as error:
        if "undefined symbol" not in str(error):
            raise
        built_with = importlib.import_module(f"weft.{folder.name}").built_with
        raise ImportError(f"weft's module {name} was built with {NAMES[choice.abi]} {built_with}, and can't use {choice.path} "
                          f"({version_of(choice.path)}; {str(error).rpartition('undefined symbol: ')[2]} is missing). {choice.why} Build the "
                          "module with this library (`make python-modules`), or use the other one (MPI4PY_LIBMPI).") from None
    _chosen = choice
    return module
