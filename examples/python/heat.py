# SPDX-License-Identifier: BSD-3-Clause
"""Heat on a periodic square: the interior is computed while the halo is in flight.

    mpirun -n 2 python examples/python/heat.py --points 2048 --steps 200

heat_mpi4py.py is the same program without weft.
"""
import argparse
import time

import numpy as np
import weft

DIFFUSION = 0.2  # diffusivity * time step / spacing^2, at most 0.25


def wave(points, block):
    """One period of a sine along each axis, in this rank's block."""
    x, y = (np.sin(2 * np.pi * np.arange(points)[s] / points) for s in block)
    return x[:, None] * y


def decay(points, steps):
    """The amplitude of the wave after so many steps, by the exact solution of the scheme."""
    return (1 - 8 * DIFFUSION * np.sin(np.pi / points) ** 2) ** steps


def compute(old, new, box, rows=16):
    """One explicit step in a box of slices. Bands of rows: their temporary arrays stay in the cache."""
    x, y = box
    left, right = slice(y.start - 1, y.stop - 1), slice(y.start + 1, y.stop + 1)
    for first in range(x.start, x.stop, rows):
        last = min(first + rows, x.stop)
        here = slice(first, last)
        around = old[first - 1:last - 1, y] + old[first + 1:last + 1, y] + old[here, left] + old[here, right]
        new[here, y] = old[here, y] + DIFFUSION * (around - 4 * old[here, y])
        yield


def solve(points, steps, **how):
    """Returns this rank's block (slices of the square), the temperature in it, the seconds per step of communication
    alone, computation alone and both, and the overlap report."""
    grid = weft.CartesianGrid((points, points), periodic=True)
    arrays = grid.zeros(), grid.zeros()  # this rank's block, with a ghost point on each side
    timeline = weft.Timeline()
    halo = weft.Halo(grid, arrays, stencil="star", timeline=timeline, **how)
    arrays[0][halo.block()] = wave(points, grid.block)
    alone = measure_alone(halo, arrays)
    timeline.reset()

    begin = time.perf_counter()
    old, new = arrays
    for _ in range(steps):
        with halo.start(old), timeline.computing("heat"):  # sends the outer points of this array
            for _ in compute(old, new, halo.interior()):
                halo.progress()
        with timeline.computing("heat"):  # the ghost points are filled
            for box in halo.boundary():
                for _ in compute(old, new, box):
                    pass
        old, new = new, old
    seconds = (time.perf_counter() - begin) / steps
    report = weft.overlap_report(timeline, steps, ["heat"])
    return grid.block, old[halo.block()], (*alone, seconds), report


def measure_alone(halo, arrays, repeats=20):
    """The seconds of a halo exchange, and of the computation of a step. The next step overwrites what they write."""
    halo.commit()
    weft.barrier()
    begin = time.perf_counter()
    for _ in range(repeats):
        halo.start(0)
        halo.finish()
    middle = time.perf_counter()
    old, new = arrays
    for _ in range(repeats):
        for box in (halo.interior(), *halo.boundary()):
            for _ in compute(old, new, box):
                pass
    return (middle - begin) / repeats, (time.perf_counter() - middle) / repeats


def overlap_fraction(communication, computation, both):
    """How much of the shorter one costs nothing: 0 to 1 (docs/concepts.md)."""
    return min(max((communication + computation - both) / min(communication, computation), 0), 1)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--points", type=int, default=1024, help="along each axis")
    options.add_argument("--steps", type=int, default=100)
    options.add_argument("--progress", default="polling", help="polling, thread, ... (docs/python/index.md)")
    given = options.parse_args()

    block, heat, times, report = solve(given.points, given.steps, progress=given.progress)
    error = abs(heat - decay(given.points, given.steps) * wave(given.points, block)).max()
    if weft.rank() == 0:
        print(report)
        comm, comp, both = times
        print(f"alone: communication {comm * 1e3:.3f} ms, computation {comp * 1e3:.3f} ms; "
              f"overlap fraction {overlap_fraction(*times):.2f}")
        print(f"{both * 1e3:.3f} ms per step, largest error {error:.1e}")
