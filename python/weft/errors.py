# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions of weft, and the one line that the programs print of an error."""
from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft._case import Run

RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")  # of the launchers


class Error(RuntimeError):
    """An error of weft, for example a flow that became unstable. The text is one line: what is wrong (why it is wrong), what to do.

    Attributes
    ----------
    run : Run or None
        The run that ended, if the error ended one: its tables and its number of steps are those up to the error.
    """

    run: Run | None = None

    def __init__(self, *args: object) -> None:
        super().__init__(*args)


class PeerError(Error):
    """Another rank has failed, so what this rank calls has failed on all ranks. The text names that rank, and its error."""


class InputError(Error, ValueError):
    """A value that was given to weft is wrong. The text is one line, which names the allowed values."""


def check_plots(*modules: str) -> None:
    """Raises an InputError unless these modules of the extra `plots` are installed."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise InputError(f"{' and '.join(missing)} can't be imported. Install the extra: pip install 'weft-mpi[plots]'.")


def is_first_rank() -> bool:
    """Whether this process is rank 0 of its job, or the only one. Known before MPI starts."""
    return all(os.environ.get(name, "0") == "0" for name in RANKS)


def message(error: Exception) -> str:
    """The line to print: an InputError's text, or the file and the reason of an OSError."""
    if isinstance(error, OSError):
        file = f"{error.filename}: This file" if error.filename else "A file"
        return f"{file} can't be read or written ({error.strerror or error}). Check its path, permissions and the free space."
    return str(error)
