# SPDX-License-Identifier: BSD-3-Clause
"""weft: overlap of MPI communication with computation.

The classes of the core (`weft.Exchange`, `weft.Halo`, `weft.StepManager`, ...) are loaded at their first use, with the MPI library of
the process (docs/python). Without them the package has no need of MPI: pictures of a run's output (`python -m weft.pictures DIRECTORY`) and
reports of benchmarks (`python -m weft.report REPORT.json`)."""
import importlib
from typing import TYPE_CHECKING

from weft.errors import Error, InputError, PeerError

if TYPE_CHECKING:  # for editors and type checkers; _core.pyi is made by the target weft_python_stub
    from weft._client import Client  # noqa: F401
    from weft._core import *  # noqa: F401, F403
    from weft._pipeline import Pipeline  # noqa: F401

__version__ = "0.1.0"

# The names of the extension module weft._core, in the order of the book.
_CORE = ("Exchange", "StartedExchange", "Requests", "SendPart", "ReceivePart", "CollectivePart", "CartesianGrid", "Halo", "StepManager",
         "Step", "Monitors", "Tile", "pipeline", "Fft", "Tuning", "tune", "step_candidates", "exchange_candidates", "Progress", "Timeline",
         "OverlapReport", "overlap_report", "now_seconds", "rank", "size", "barrier", "library")
# The names of modules of this package that need the extension module.
_PYTHON = {"Client": "_client", "Pipeline": "_pipeline"}

__all__ = [*_CORE, *_PYTHON, "Error", "InputError", "PeerError", "__version__"]


def __getattr__(name: str) -> object:
    if name in _CORE:
        from weft import _native
        module = _native.load("_core")
        try:
            value = getattr(module, name)
        except AttributeError:
            raise AttributeError(f"weft.{name} is not in this build of weft (its library was missing). See docs/python/index.md.") from None
    elif name in _PYTHON:
        value = getattr(importlib.import_module(f"weft.{_PYTHON[name]}"), name)
    else:
        raise AttributeError(f"module 'weft' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
