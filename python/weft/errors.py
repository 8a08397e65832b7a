# SPDX-License-Identifier: BSD-3-Clause
"""The exception for wrong input, and the one line that the programs print of an error."""


class InputError(Exception):
    """The text is one line: what is wrong with the input, and what to do."""


def message(error: Exception) -> str:
    """The line to print: an InputError's text, or the file and the reason of an OSError."""
    if isinstance(error, OSError):
        file = f"{error.filename}: This file" if error.filename else "A file"
        return f"{file} can't be read or written ({error.strerror or error}). Check its path, permissions and the free space."
    return str(error)
