# SPDX-License-Identifier: BSD-3-Clause
"""Writes files atomically: a file is complete, or it does not exist."""
import os
import tempfile
from pathlib import Path

from weft.errors import InputError


def check_place(path: Path) -> None:
    """Checks that the file can be written. Called before the work, so that a wrong path is reported at once."""
    if path.is_dir():
        raise InputError(f"{path}: This is a directory (a file is to be written). Name a file.")
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: This file can't be written (it is no plain file). Name another file.")
    if not path.resolve().parent.is_dir():
        raise InputError(f"{path}: There is no directory for this file. Make it, or name another file.")
    if not os.access(path.resolve().parent, os.W_OK):
        raise InputError(f"{path}: This file can't be written (no permission in its directory). Name another file.")


def write_whole(path: Path, text: str) -> None:
    """Writes a temporary file with a unique name in the same directory, syncs it and renames it. Readers never see a partial file. A
    symbolic link stays: the file that it leads to is replaced."""
    path = path.resolve()
    number, name = tempfile.mkstemp(prefix=f"{path.name[:200]}.weft-", dir=path.parent)
    beside = Path(name)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fchmod(file.fileno(), mode_for(path))
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def mode_for(path: Path) -> int:
    """The permissions of a new file: those of the file that it replaces, else by the umask, which mkstemp does not apply."""
    if path.is_file():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
