# SPDX-License-Identifier: BSD-3-Clause
"""Poisson's equation on a mesh of triangles by conjugate gradients: inner triangles are computed while values of nodes are in flight.

    mpirun -n 2 python examples/python/poisson.py --cells 256

poisson_mpi4py.py is the same program without weft.
"""
import argparse
import time

import numpy as np
import weft
from poisson_mesh import Mesh, solution


def solve(cells, tolerance=1e-10, **how):
    """Returns the mesh, this rank's values of its owned nodes, the number of steps and seconds per step.

    A step waits twice: for the residual of other ranks' nodes and the sum of its squares; and for what triangles of other ranks add to
    the product at owned nodes, and a sum."""
    mesh = Mesh(cells, weft.rank(), weft.size())
    n = len(mesh.owned)
    residual, product = np.zeros(len(mesh.load)), np.array(mesh.load)
    mine, total = np.zeros(1), np.zeros(1)
    graph = weft.Graph(mesh.owned, mesh.wanted)
    to_copies, to_owners = weft.Exchange(**how), weft.Exchange(**how)
    for exchange in to_copies, to_owners:
        client = exchange.client("poisson")
        if exchange is to_copies:
            graph.to_copies(client, 1, residual[:n], residual[n:])
        else:
            graph.to_owners(client, 1, product[n:], product[:n], "sum")
        client.all_reduce(mine, total)
        exchange.commit()

    with to_owners.start() as messages:  # assembles the right side
        messages.ready_all()
    residual[:n] = product[:n] * mesh.free
    u, direction, forces = np.zeros(n), np.zeros_like(residual), np.zeros_like(residual)
    first = last = 0.0
    step = 0
    begin = time.perf_counter()
    for step in range(100 * cells):
        mine[0] = residual[:n] @ residual[:n]
        with to_copies.start() as messages:
            messages.ready_all()
            new = mesh.product(residual, mesh.interior)  # in flight
        squares = total[0]
        first = first or squares
        if squares <= tolerance ** 2 * first:
            break
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
    return mesh, u, step, (time.perf_counter() - begin) / max(step, 1)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--cells", type=int, default=128, help="of two triangles, along each axis")
    options.add_argument("--progress", default="polling", help="polling, thread, ... (docs/python/index.md)")
    given = options.parse_args()

    mesh, u, steps, seconds = solve(given.cells, progress=given.progress)
    n = len(u)
    error = abs(u - solution(mesh.x[:n], mesh.y[:n])).max(initial=0)
    print(f"rank {weft.rank()}: {steps} steps, {seconds * 1e3:.3f} ms per step, largest error {error:.1e}")
