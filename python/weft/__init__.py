# SPDX-License-Identifier: BSD-3-Clause
"""weft: overlap of MPI communication with computation.

The classes of the core (`weft.Exchange`, `weft.Halo`, `weft.StepManager`, ...) are loaded at their first use, with the MPI library of
the process (docs/python). Without them the package has no need of MPI: pictures of a run's output (`python -m weft.pictures DIRECTORY`) and
reports of benchmarks (`python -m weft.report REPORT.json`)."""
import importlib
from typing import TYPE_CHECKING, NoReturn

from weft.errors import Error, InputError, PeerError

if TYPE_CHECKING:  # for editors and type checkers; _core.pyi is made by the target weft_python_stub
    from weft import box, flow, wave  # noqa: F401
    from weft._client import Client  # noqa: F401
    from weft._core import *  # noqa: F401, F403
    from weft._pipeline import Pipeline  # noqa: F401

__version__ = "0.1.0"

# The names of the extension module weft._core, in the order of the book.
_CORE = ("Exchange", "StartedExchange", "Requests", "SendPart", "ReceivePart", "CollectivePart", "CartesianGrid", "Halo", "Graph",
         "GraphExchange", "MatrixGraph", "StepManager", "Step", "Monitors", "Tile", "pipeline", "Fft", "Tuning", "tune", "step_candidates", "exchange_candidates", "Progress", "Timeline",
         "OverlapReport", "overlap_report", "now_seconds", "TestDevice", "TestQueue", "rank", "size", "barrier", "library",
          "build_info", "set_warning_handler")
# The classes in modules of this package.
_PYTHON = {"Client": "_client", "Pipeline": "_pipeline"}
# Modules that are loaded at their first use.
_MODULES = ("box", "flow", "wave")

__all__ = [*_CORE, *_PYTHON, "Error", "InputError", "PeerError", "__version__"]


class _Missing:
    """Stands for a class or function that can't be loaded, so that `hasattr(weft, ...)` and `from weft import ...` raise nothing: only
    its use does."""

    def __init__(self, name: str, why: str):
        self.__name__, self._why = name, why

    def __call__(self, *arguments: object, **options: object) -> NoReturn:
        raise ImportError(self._why)

    def __mro_entries__(self, bases: object) -> NoReturn:
        raise ImportError(self._why)

    def __instancecheck__(self, instance: object) -> bool:
        return False

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"weft.{self.__name__} has no '{name}' here. {self._why}")

    def __repr__(self) -> str:
        return f"<weft.{self.__name__}, which can't be loaded: {self._why}>"


def __getattr__(name: str) -> object:
    if name in _CORE:
        from weft import _native
        try:
            module = _native.load("_core")
        except ImportError as error:
            return _Missing(name, str(error))
        try:
            value = getattr(module, name)
        except AttributeError:
            raise AttributeError(f"weft.{name} is not in this build of weft (its library was missing). See docs/python/index.md.") from None
    elif name in _PYTHON:
        value = getattr(importlib.import_module(f"weft.{_PYTHON[name]}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"weft.{name}")
    else:
        raise AttributeError(f"module 'weft' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
