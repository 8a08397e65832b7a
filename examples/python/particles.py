# SPDX-License-Identifier: BSD-3-Clause
"""Particles in a periodic square that exchange momentum in cells: those that leave a rank's strip are sent as parts of
up to n bytes, while the sums of the others are made.

    mpirun -n 2 python examples/python/particles.py --points 400000 --steps 100

particles_mpi4py.py is the same program without weft.
"""
import argparse
import time

import numpy as np
import weft

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


def solve(points, steps, **how):
    """Returns this rank's particles, the seconds per step of communication alone, computation and both, and the overlap
    report."""
    rank, size = weft.rank(), weft.size()
    left, right = (rank - 1) % size, (rank + 1) % size
    first, end = rank * CELLS // size, (rank + 1) * CELLS // size
    rows = create(points, first, end)

    most = points // size // 4 + 64  # particles that leave through one side in a step
    to_left, to_right, from_left, from_right = (np.empty((most, 4)) for _ in range(4))
    timeline = weft.Timeline()
    exchange = weft.Exchange(timeline=timeline, **how)
    parts = exchange.client("particles")
    send_left = parts.send_up_to(left, 1, to_left)
    send_right = parts.send_up_to(right, 2, to_right)
    receive_right = parts.receive_up_to(right, 1, from_right)
    receive_left = parts.receive_up_to(left, 2, from_left)
    exchange.commit()

    def send(messages, part, buffer, leaving):
        if len(leaving) > most:
            raise RuntimeError(f"{len(leaving)} particles leave rank {rank} in one step (the buffer holds {most}).")
        buffer[:len(leaving)] = leaving
        messages.ready(part, leaving.nbytes)

    weft.barrier()
    begin = time.perf_counter()
    for _ in range(steps):
        with timeline.computing("particles"):
            move(rows)
            goes_left, goes_right = rows[:, 0] < first / CELLS, rows[:, 0] >= end / CELLS
        with exchange.start() as messages:
            send(messages, send_left, to_left, rows[goes_left])
            send(messages, send_right, to_right, rows[goes_right])
            with timeline.computing("particles"):  # meanwhile: the particles that stay
                rows = rows[~(goes_left | goes_right)]
                messages.progress()
                cell, total = sums(rows, first, end)
        with timeline.computing("particles"):  # the particles that came
            came = np.vstack([from_left[:exchange.received_bytes(receive_left) // 32],  # 32 bytes each
                              from_right[:exchange.received_bytes(receive_right) // 32]])
            came[:, 0] %= 1
            cell_of_came, total_of_came = sums(came, first, end)
            rows, cell = np.vstack([rows, came]), np.concatenate([cell, cell_of_came])
            relax(rows, cell, total + total_of_came)
    seconds = (time.perf_counter() - begin) / steps
    report = weft.overlap_report(timeline, steps, ["particles"])
    alone = measure_alone(exchange, [(part, exchange.sent_bytes(part)) for part in (send_left, send_right)])
    return rows, (alone, report.computation_seconds, seconds), report


def measure_alone(exchange, sizes, repeats=20):
    """The duration of the last step's exchange without computation, in seconds."""
    weft.barrier()
    begin = time.perf_counter()
    for _ in range(repeats):
        with exchange.start() as messages:
            for part, n_bytes in sizes:
                messages.ready(part, n_bytes)
    return (time.perf_counter() - begin) / repeats


def overlap_fraction(communication, computation, both):
    """How much of the shorter one costs nothing: 0 to 1 (docs/concepts.md)."""
    return min(max((communication + computation - both) / min(communication, computation), 0), 1)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--points", type=int, default=200000, help="particles")
    options.add_argument("--steps", type=int, default=100)
    options.add_argument("--progress", default="polling", help="polling, thread, ... (docs/python/index.md)")
    given = options.parse_args()

    rows, times, report = solve(given.points, given.steps, progress=given.progress)
    if weft.rank() == 0:
        print(report)
        comm, comp, both = times
        print(f"alone: communication {comm * 1e3:.3f} ms, computation {comp * 1e3:.3f} ms; "
              f"overlap fraction {overlap_fraction(*times):.2f}")
        print(f"{both * 1e3:.3f} ms per step, {len(rows)} particles on rank 0")
