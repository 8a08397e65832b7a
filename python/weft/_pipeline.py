# SPDX-License-Identifier: BSD-3-Clause
"""A pipeline as an object."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import weft
from weft._shown import in_html

if TYPE_CHECKING:
    from weft import Tile, Timeline


class Pipeline:
    """A loop in tiles whose communication overlaps the computation of the next tiles: the arguments of `weft.pipeline()`, kept for
    several runs.

    Parameters
    ----------
    buffers : sequence, optional
        At least ``window + 1`` objects, used in rotation. None: the callbacks get None.
    tile : int
        Iterations that are computed and sent together.
    window : int
        Tiles in flight while the next one is computed; None: one less than the number of buffers, without buffers 1.
    tiles, comm, timeline, client
        As for `weft.pipeline()`."""

    def __init__(self, buffers: Iterable[Any] | None = None, *, tile: int = 1, window: int | None = None, tiles: int = 0,
                 comm: object | None = None, timeline: Timeline | None = None, client: str = "") -> None:
        self.buffers = None if buffers is None else list(buffers)
        if window is None:
            window = 1 if self.buffers is None else len(self.buffers) - 1
        self.options: dict[str, Any] = {"tile": tile, "window": window, "tiles": tiles, "comm": comm, "timeline": timeline,
                                        "client": client}

    def run(self, iterations: int | None, compute: Callable[[Tile, Any], object], communicate: Callable[[Tile, Any], object],
            consume: Callable[[Tile, Any], object]) -> None:
        """Run the loop. Collective unless ``tiles`` was given.

        Parameters
        ----------
        iterations : int or None
            Of this rank's loop. None: the loop ends when ``compute`` returns False.
        compute, communicate, consume : callable
            ``compute(tile, buffer)`` computes a `Tile`, ``communicate(tile, buffer)`` starts its communication and returns the handle,
            ``consume(tile, buffer)`` uses the received data."""
        weft.pipeline(iterations, compute, communicate, consume, buffers=self.buffers, **self.options)

    def __repr__(self) -> str:
        buffers = "no buffers" if self.buffers is None else f"{len(self.buffers)} buffers"
        return f"<weft.Pipeline: tile {self.options['tile']}, window {self.options['window']}, {buffers}>"

    _repr_html_ = in_html
