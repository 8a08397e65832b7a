# SPDX-License-Identifier: BSD-3-Clause
"""Particles in a periodic square that exchange momentum in cells, with mpi4py alone: particles.py without weft."""
import argparse
import time

import numpy as np
from mpi4py import MPI

CELLS, TIME_STEP, RELAXATION = 64, 0.004, 0.3  # cells along each axis; the square has the side 1


def create(points, first, end):
    """The particles of the cells first to end - 1 along x, on any number of ranks: rows of x, y and two velocities."""
    random = np.random.default_rng(1)
    rows = np.hstack([random.random((points, 2)), random.normal(0, 0.5, (points, 2))])
    cell = (rows[:, 0] * CELLS).astype(int)
    return rows[(cell >= first) & (cell < end)]


def move(rows):
    """Free flight for one time step, by less than a cell. x is not wrapped yet: it shows who leaves the strip."""
    rows[:, :2] += np.clip(rows[:, 2:] * TIME_STEP, -0.9 / CELLS, 0.9 / CELLS)
    rows[:, 1] %= 1


def sums(rows, first, end):
    """The cell of each particle; and for each cell of the strip the number of particles and the sums of velocities."""
    x, y = np.minimum((rows[:, :2] * CELLS).astype(int).T, [[end - 1], [CELLS - 1]])
    cell = (x - first) * CELLS + y
    of_strip = (end - first) * CELLS
    return cell, np.array([np.bincount(cell, weights, of_strip) for weights in (None, rows[:, 2], rows[:, 3])])


def relax(rows, cell, total):
    """Velocities approach the mean velocity of their cell. The momentum of each cell stays."""
    mean = total[1:] / np.maximum(total[0], 1)
    rows[:, 2:] += RELAXATION * (mean.T[cell] - rows[:, 2:])


def solve(points, steps):
    """Returns this rank's particles and seconds per step."""
    comm = MPI.COMM_WORLD
    left, right = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
    first, end = comm.rank * CELLS // comm.size, (comm.rank + 1) * CELLS // comm.size
    rows = create(points, first, end)
    most = points // comm.size // 4 + 64  # particles that leave through one side in a step
    from_left, from_right = np.empty((most, 4)), np.empty((most, 4))

    comm.Barrier()
    begin = time.perf_counter()
    for _ in range(steps):
        move(rows)
        goes_left, goes_right = rows[:, 0] < first / CELLS, rows[:, 0] >= end / CELLS
        receives = [comm.Irecv(from_left, left, 2), comm.Irecv(from_right, right, 1)]
        sends = [comm.Isend(rows[goes_left], left, 1), comm.Isend(rows[goes_right], right, 2)]
        sizes = [MPI.Status(), MPI.Status()]
        MPI.Request.Waitall(receives, sizes)
        MPI.Request.Waitall(sends)
        came = np.vstack([from_left[:sizes[0].Get_count(MPI.DOUBLE) // 4], from_right[:sizes[1].Get_count(MPI.DOUBLE) // 4]])
        came[:, 0] %= 1
        rows = np.vstack([rows[~(goes_left | goes_right)], came])
        cell, total = sums(rows, first, end)
        relax(rows, cell, total)
    return rows, (time.perf_counter() - begin) / steps


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--points", type=int, default=200000, help="particles")
    options.add_argument("--steps", type=int, default=100)
    given = options.parse_args()

    rows, seconds = solve(given.points, given.steps)
    if MPI.COMM_WORLD.rank == 0:
        print(f"{seconds * 1e3:.3f} ms per step, {len(rows)} particles on rank 0")
