# SPDX-License-Identifier: BSD-3-Clause
"""Writing files that are whole or not there."""
import os
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
    """Writes beside, then renames: nobody ever sees half a file."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
