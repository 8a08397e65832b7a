# SPDX-License-Identifier: BSD-3-Clause
"""Loads the extension module `_programs`: the build for the MPI library of this process."""
import ctypes
import importlib.util
import os
import sys
from pathlib import Path

LIBRARIES = {"openmpi": "libmpi.so.40", "mpich": "libmpi.so.12"}


def _load(name):
    folders = [Path(__file__).parent, *map(Path, filter(None, [os.environ.get("WEFT_EXTENSIONS")]))]
    loaded = sys.modules.get("mpi4py.MPI")
    wanted = "mpich" if loaded and "Open MPI" not in loaded.Get_library_version() else "openmpi"
    for abi in (wanted, *(() if loaded else LIBRARIES)):
        for folder in folders:
            for file in sorted((folder / f"_{abi}").glob(f"{name}.*so")):
                # Open MPI's plug-ins look for the library's symbols among the global ones.
                ctypes.CDLL(LIBRARIES[abi], mode=ctypes.RTLD_GLOBAL)
                full = f"weft._{abi}.{name}"
                if full not in sys.modules:
                    spec = importlib.util.spec_from_file_location(full, file)
                    sys.modules[full] = importlib.util.module_from_spec(spec)
                    spec.loader.exec_module(sys.modules[full])
                return sys.modules[full]
    raise ImportError(f"weft's extension module {name} for this MPI library ({wanted}) is not there. Build it (cmake "
                      "-DWEFT_PYTHON=ON, target weft_python), and set WEFT_EXTENSIONS to its folder, "
                      "build/PRESET/python/weft.")


def load():
    """The module `_programs`, loaded once."""
    try:
        from weft._native import load as load_native
    except ImportError:
        return _load("_programs")
    return load_native("_programs")
