# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions of weft, and the one line that the programs print of an error."""


class Error(RuntimeError):
    """An error of a run, for example a flow that became unstable. The text is one line: what is wrong, and what to do.

    Attributes
    ----------
    run : Run or None
        The run that ended, if the error ended one: its tables and its number of steps are those up to the error.
    """

    run = None


class InputError(Error, ValueError):
    """The text is one line: what is wrong with the input, and what to do."""


def message(error: Exception) -> str:
    """The line to print: an InputError's text, or the file and the reason of an OSError."""
    if isinstance(error, OSError):
        file = f"{error.filename}: This file" if error.filename else "A file"
        return f"{file} can't be read or written ({error.strerror or error}). Check its path, permissions and the free space."
    return str(error)
