# SPDX-License-Identifier: BSD-3-Clause
"""Heat on a periodic square, with mpi4py alone: heat.py without weft."""
import argparse
import time

import numpy as np
from mpi4py import MPI

DIFFUSION = 0.2  # diffusivity * time step / spacing^2, at most 0.25


def wave(points, block):
    """One period of a sine along each axis, in this rank's block."""
    x, y = (np.sin(2 * np.pi * np.arange(points)[s] / points) for s in block)
    return x[:, None] * y


def decay(points, steps):
    """The amplitude of the wave after so many steps, by the exact solution of the scheme."""
    return (1 - 8 * DIFFUSION * np.sin(np.pi / points) ** 2) ** steps


def compute(old, new, rows=16):
    """One explicit step of the whole block. Bands of rows: their temporary arrays stay in the cache."""
    y, left, right = slice(1, -1), slice(0, -2), slice(2, None)
    for first in range(1, len(old) - 1, rows):
        last = min(first + rows, len(old) - 1)
        here = slice(first, last)
        around = old[first - 1:last - 1, y] + old[first + 1:last + 1, y] + old[here, left] + old[here, right]
        new[here, y] = old[here, y] + DIFFUSION * (around - 4 * old[here, y])


def exchange(comm, u):
    """Fills the ghost points of the faces."""
    above, below = comm.Shift(0, 1)
    left, right = comm.Shift(1, 1)
    columns = [u[1:-1, 1].copy(), u[1:-1, -2].copy()]  # contiguous, as MPI wants them
    ghosts = [np.empty_like(columns[0]), np.empty_like(columns[1])]
    MPI.Request.Waitall([
        comm.Irecv(u[-1, 1:-1], below, 1), comm.Irecv(u[0, 1:-1], above, 2),
        comm.Irecv(ghosts[1], right, 3), comm.Irecv(ghosts[0], left, 4),
        comm.Isend(u[1, 1:-1], above, 1), comm.Isend(u[-2, 1:-1], below, 2),
        comm.Isend(columns[0], left, 3), comm.Isend(columns[1], right, 4)])
    u[1:-1, 0], u[1:-1, -1] = ghosts


def solve(points, steps):
    """Returns this rank's block (slices of the square), the temperature in it and seconds per step."""
    dims = MPI.Compute_dims(MPI.COMM_WORLD.size, 2)
    comm = MPI.COMM_WORLD.Create_cart(dims, periods=(True, True))
    block = tuple(slice(c * points // n, (c + 1) * points // n) for c, n in zip(comm.coords, dims))
    old = np.zeros([s.stop - s.start + 2 for s in block])
    new = np.zeros_like(old)
    old[1:-1, 1:-1] = wave(points, block)
    exchange(comm, old)
    comm.Barrier()

    begin = time.perf_counter()
    for _ in range(steps):
        exchange(comm, old)
        compute(old, new)
        old, new = new, old
    seconds = (time.perf_counter() - begin) / steps
    comm.Free()
    return block, old[1:-1, 1:-1], seconds


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--points", type=int, default=1024, help="along each axis")
    options.add_argument("--steps", type=int, default=100)
    given = options.parse_args()

    block, heat, seconds = solve(given.points, given.steps)
    error = abs(heat - decay(given.points, given.steps) * wave(given.points, block)).max()
    if MPI.COMM_WORLD.rank == 0:
        print(f"{seconds * 1e3:.3f} ms per step, largest error {error:.1e}")
