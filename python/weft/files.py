# SPDX-License-Identifier: BSD-3-Clause
"""Writing files that are whole or not there."""
import os
import tempfile
from pathlib import Path

from weft.errors import InputError


def check_place(path: Path) -> None:
    """Before the work, so that nobody waits for what can't be written in the end."""
    if path.is_dir():
        raise InputError(f"{path}: is a directory. Name a file.")
    if not path.resolve().parent.is_dir():
        raise InputError(f"{path}: there is no directory to put it into.")
    if not os.access(path.resolve().parent, os.W_OK):
        raise InputError(f"{path}: can't write into its directory.")


def write_whole(path: Path, text: str) -> None:
    """Writes beside, under a name that nobody else has, syncs and renames: nobody ever sees half a file."""
    number, name = tempfile.mkstemp(prefix=f"{path.name[:200]}.weft-", dir=path.parent)
    beside = Path(name)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), 0o666 & ~umask())
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def umask() -> int:
    """What the process leaves out of a new file's permissions, which mkstemp does not ask."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
