# SPDX-License-Identifier: BSD-3-Clause
"""Names parts of an MPI program for `weft run`, whose report then has the overlap of each:

    from weft.regions import region

    with region("halo"):
        ...

Also a decorator: `@region("halo")`. Regions may be inside others; their name is then "step/halo". Without `weft run` they cost next to
nothing. Neither MPI nor weft's libraries are loaded."""
import ctypes
from contextlib import ContextDecorator
from types import TracebackType

_mark = getattr(ctypes.CDLL(None), "weft_mark_region", None)
if _mark is not None:
    _mark.argtypes, _mark.restype = [ctypes.c_char_p, ctypes.c_int], None


class region(ContextDecorator):
    def __init__(self, name: str):
        if not isinstance(name, str) or not name:
            raise TypeError(f"The name of a region is {name!r} (it must be a text that is not empty).")
        try:
            self._name = name.encode()
        except UnicodeEncodeError:
            raise ValueError(f"The name of a region is {name!r} (half of a surrogate pair is no character). Leave it out.") from None
        if b"\0" in self._name:  # would end the name
            raise ValueError(f"The name of a region is {name!r} (it contains a zero byte). Leave it out.")

    def __enter__(self) -> "region":
        if _mark is not None:
            _mark(self._name, 1)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if _mark is not None:
            _mark(self._name, 0)
