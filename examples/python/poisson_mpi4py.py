# SPDX-License-Identifier: BSD-3-Clause
"""Poisson's equation on a mesh of triangles by conjugate gradients, with mpi4py alone: poisson.py without weft."""
import argparse
import time

import numpy as np
from mpi4py import MPI
from poisson_mesh import Mesh, solution


class Neighbours:
    """Which of this rank's nodes others have, and the reverse; the mesh knows who owns a node."""

    def __init__(self, mesh):
        self.comm = comm = MPI.COMM_WORLD
        owner = mesh.owner_of(mesh.wanted)
        self.copies = {r: len(mesh.owned) + np.flatnonzero(owner == r) for r in np.unique(owner)}
        wanted = comm.alltoall([mesh.wanted[owner == r] for r in range(comm.size)])
        self.owned = {r: np.searchsorted(mesh.owned, numbers) for r, numbers in enumerate(wanted) if len(numbers)}

    def exchange(self, u, send, receive, put):
        incoming = {r: np.empty(len(at)) for r, at in receive.items()}
        requests = [self.comm.Irecv(data, r) for r, data in incoming.items()]
        outgoing = {r: u[at] for r, at in send.items()}
        requests += [self.comm.Isend(data, r) for r, data in outgoing.items()]
        MPI.Request.Waitall(requests)
        for r, at in receive.items():
            put(u, at, incoming[r])

    def to_copies(self, u):
        self.exchange(u, self.owned, self.copies, np.ndarray.__setitem__)

    def to_owners(self, u):
        self.exchange(u, self.copies, self.owned, np.add.at)

    def total(self, value):
        return self.comm.allreduce(value)


def solve(points, most=None, tolerance=1e-10):
    """Returns the mesh, this rank's values of its owned nodes, the number of steps and seconds per step. Ends after `most` steps, if given."""
    mesh = Mesh(points, MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size)
    n = len(mesh.owned)
    residual, product = np.zeros(len(mesh.load)), np.array(mesh.load)
    neighbours = Neighbours(mesh)
    neighbours.to_owners(product)
    residual[:n] = product[:n] * mesh.free
    u, direction, forces = np.zeros(n), np.zeros_like(residual), np.zeros_like(residual)
    first = last = 0.0
    step = 0
    begin = time.perf_counter()
    for step in range(100 * points if most is None else most + 1):
        squares = neighbours.total(residual[:n] @ residual[:n])
        neighbours.to_copies(residual)
        first = first or squares
        if squares <= tolerance ** 2 * first or step == most:
            break
        new = mesh.product(residual, mesh.interior)
        new += mesh.product(residual, mesh.edge)
        beta = squares / last if step else 0.0
        direction *= beta
        direction += residual
        forces *= beta
        forces += new
        product[:] = forces
        alpha, last = squares / neighbours.total(direction @ forces), squares
        neighbours.to_owners(product)
        u += alpha * direction[:n]
        residual[:n] -= alpha * product[:n] * mesh.free
    return mesh, u, step, (time.perf_counter() - begin) / max(step, 1)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--points", type=int, default=128, help="cells of two triangles along each axis")
    options.add_argument("--steps", type=int, help="at most; default: until the residual is 1e-10 of the first")
    given = options.parse_args()

    mesh, u, steps, seconds = solve(given.points, given.steps)
    error = abs(u - solution(mesh.x, mesh.y)[:len(u)]).max(initial=0)
    if MPI.COMM_WORLD.rank == 0:
        print(f"{seconds * 1e3:.3f} ms per step, {steps} steps, largest error {error:.1e}")
