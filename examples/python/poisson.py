# SPDX-License-Identifier: BSD-3-Clause
"""Poisson's equation on a mesh of triangles by conjugate gradients: inner triangles are computed while values of nodes are in flight.

    mpirun -n 2 python examples/python/poisson.py --points 256

poisson_mpi4py.py is the same program without weft.
"""
import argparse
import time

import numpy as np
import weft
from poisson_mesh import Mesh, solution


def solve(points, most=None, tolerance=1e-10, **how):
    """Returns the mesh, this rank's values of its owned nodes, the number of steps, the seconds per step of communication alone,
    computation alone and both, and the overlap report. Ends after `most` steps, if given.

    A step waits twice: for the residual of other ranks' nodes and the sum of its squares; and for what triangles of other ranks add to
    the product at owned nodes, and a sum."""
    mesh = Mesh(points, weft.rank(), weft.size())
    n = len(mesh.owned)
    residual, product = np.zeros(len(mesh.load)), np.array(mesh.load)
    mine, total = np.zeros(1), np.zeros(1)
    timeline = weft.Timeline()
    graph = weft.Graph(mesh.owned, mesh.wanted)
    to_copies, to_owners = (weft.Exchange(timeline=timeline, **how) for _ in range(2))
    for exchange in to_copies, to_owners:
        client = exchange.client("poisson")
        if exchange is to_copies:
            graph.to_copies(client, 1, residual[:n], residual[n:])
        else:
            graph.to_owners(client, 1, product[n:], product[:n], "sum")
        client.all_reduce(mine, total)
        exchange.commit()

    alone = measure_alone(to_copies, to_owners)
    product[:] = mesh.load
    with to_owners.start() as messages:  # assembles the right side
        messages.ready_all()
    residual[:n] = product[:n] * mesh.free
    u, direction, forces = np.zeros(n), np.zeros_like(residual), np.zeros_like(residual)
    first = last = 0.0
    step = 0
    timeline.reset()
    begin = time.perf_counter()
    for step in range(100 * points if most is None else most + 1):
        mine[0] = residual[:n] @ residual[:n]
        with to_copies.start() as messages, timeline.computing("poisson"):
            messages.ready_all()
            new = mesh.product(residual, mesh.interior, messages.progress)  # in flight
        squares = total[0]
        first = first or squares
        if squares <= tolerance ** 2 * first or step == most:
            break
        with timeline.computing("poisson"):
            new += mesh.product(residual, mesh.edge)
            beta = squares / last if step else 0.0
            direction *= beta
            direction += residual  # of all local nodes
            forces *= beta
            forces += new  # of this rank's triangles
            product[:] = forces
            mine[0] = direction @ forces
        with to_owners.start() as messages:
            messages.ready_all()
        alpha, last = squares / total[0], squares
        u += alpha * direction[:n]
        residual[:n] -= alpha * product[:n] * mesh.free
    seconds = (time.perf_counter() - begin) / max(step, 1)
    report = weft.overlap_report(timeline, max(step, 1), ["poisson"])
    return mesh, u, step, (alone, report.computation_seconds, seconds), report


def measure_alone(*exchanges, repeats=20):
    """The duration of a step's exchanges without computation, in seconds."""
    weft.barrier()
    begin = time.perf_counter()
    for _ in range(repeats):
        for exchange in exchanges:
            with exchange.start() as messages:
                messages.ready_all()
    return (time.perf_counter() - begin) / repeats


def overlap_fraction(communication, computation, both):
    """How much of the shorter one costs nothing: 0 to 1 (docs/concepts.md)."""
    return min(max((communication + computation - both) / min(communication, computation), 0), 1)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--points", type=int, default=128, help="cells of two triangles along each axis")
    options.add_argument("--steps", type=int, help="at most; default: until the residual is 1e-10 of the first")
    options.add_argument("--progress", default="polling", help="polling, thread, ... (docs/python/index.md)")
    given = options.parse_args()

    mesh, u, steps, times, report = solve(given.points, given.steps, progress=given.progress)
    error = abs(u - solution(mesh.x, mesh.y)[:len(u)]).max(initial=0)
    if weft.rank() == 0:
        print(report)
        comm, comp, both = times
        print(f"alone: communication {comm * 1e3:.3f} ms, computation {comp * 1e3:.3f} ms; "
              f"overlap fraction {overlap_fraction(*times):.2f}")
        print(f"{both * 1e3:.3f} ms per step, {steps} steps, largest error {error:.1e}")
