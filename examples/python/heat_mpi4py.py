# SPDX-License-Identifier: BSD-3-Clause
"""Heat on a periodic square, with mpi4py alone: heat.py without weft. With --overlap the inner points are computed while the messages
are in flight."""
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


def compute(old, new, edge=0, rows=16, between=lambda: None):
    """One explicit step of all points but `edge` lines along the faces. Bands of rows: their temporary arrays stay in the cache."""
    y, left, right = (slice(1 + edge + k, old.shape[1] - 1 - edge + k) for k in (0, -1, 1))
    for first in range(1 + edge, len(old) - 1 - edge, rows):
        between()
        here = slice(first, min(first + rows, len(old) - 1 - edge))
        update(old, new, here, y, left, right)


def update(old, new, x, y, left, right):
    around = old[x.start - 1:x.stop - 1, y] + old[x.start + 1:x.stop + 1, y] + old[x, left] + old[x, right]
    new[x, y] = old[x, y] + DIFFUSION * (around - 4 * old[x, y])


def compute_edge(old, new):
    """The same of the points along the faces."""
    nx, ny = old.shape
    for x in (slice(1, 2), slice(nx - 2, nx - 1)):
        update(old, new, x, slice(1, ny - 1), slice(0, ny - 2), slice(2, ny))
    for y in (1, ny - 2):
        update(old, new, slice(2, nx - 2), slice(y, y + 1), slice(y - 1, y), slice(y + 1, y + 2))


def exchange(comm, u, meanwhile=lambda requests: None):
    """Fills the ghost points of the faces. `meanwhile` is called with the requests while the messages are in flight."""
    above, below = comm.Shift(0, 1)
    left, right = comm.Shift(1, 1)
    columns = [u[1:-1, 1].copy(), u[1:-1, -2].copy()]  # contiguous, as MPI wants them
    ghosts = [np.empty_like(columns[0]), np.empty_like(columns[1])]
    requests = [
        comm.Irecv(u[-1, 1:-1], below, 1), comm.Irecv(u[0, 1:-1], above, 2),
        comm.Irecv(ghosts[1], right, 3), comm.Irecv(ghosts[0], left, 4),
        comm.Isend(u[1, 1:-1], above, 1), comm.Isend(u[-2, 1:-1], below, 2),
        comm.Isend(columns[0], left, 3), comm.Isend(columns[1], right, 4)]
    meanwhile(requests)
    MPI.Request.Waitall(requests)
    u[1:-1, 0], u[1:-1, -1] = ghosts


def solve(points, steps, overlap=False):
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
        if overlap:
            exchange(comm, old, lambda requests: compute(old, new, edge=1, between=lambda: MPI.Request.Testall(requests)))
            compute_edge(old, new)
        else:
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
    options.add_argument("--overlap", action="store_true", help="compute the inner points while messages are in flight")
    given = options.parse_args()

    block, heat, seconds = solve(given.points, given.steps, given.overlap)
    error = abs(heat - decay(given.points, given.steps) * wave(given.points, block)).max()
    if MPI.COMM_WORLD.rank == 0:
        print(f"{seconds * 1e3:.3f} ms per step, largest error {error:.1e}")
