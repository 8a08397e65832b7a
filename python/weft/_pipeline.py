# SPDX-License-Identifier: BSD-3-Clause
"""A pipeline as an object."""
import weft


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
    **options
        tiles, comm, timeline and client, as for `weft.pipeline()`."""

    def __init__(self, buffers=None, *, tile=1, window=None, **options):
        self.buffers = None if buffers is None else list(buffers)
        if window is None:
            window = 1 if self.buffers is None else len(self.buffers) - 1
        self.options = {"tile": tile, "window": window, **options}

    def run(self, iterations, compute, communicate, consume):
        """Run the loop. Collective unless ``tiles`` was given.

        Parameters
        ----------
        iterations : int or None
            Of this rank's loop. None: the loop ends when ``compute`` returns False.
        compute, communicate, consume : callable
            ``compute(tile, buffer)`` computes a `Tile`, ``communicate(tile, buffer)`` starts its communication and returns the handle,
            ``consume(tile, buffer)`` uses the received data."""
        weft.pipeline(iterations, compute, communicate, consume, buffers=self.buffers, **self.options)
