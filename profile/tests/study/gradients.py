# SPDX-License-Identifier: BSD-3-Clause
"""Training: the gradients of a layer are summed while those of the layer before are computed."""
import numpy
from work import MPI, comm, compute, end, rounds, size, steps, variant

LAYERS, PIECES = 4, 6
PIECE = rounds // ((LAYERS + 2) * PIECES)
mine = [numpy.ones(size // 8) for _ in range(LAYERS)]
sums = [numpy.zeros(size // 8) for _ in range(LAYERS)]


def reduce(layer, asynchronous=False):
    if variant == "blocking":
        comm.Allreduce(mine[layer], sums[layer])  # BROKEN blocking
        return MPI.REQUEST_NULL
    request = comm.Iallreduce(mine[layer], sums[layer])
    if not asynchronous:
        request.Wait()  # BROKEN keyword
    return request


for step in range(steps):
    pending = []
    for layer in range(LAYERS):
        for _ in range(PIECES):
            compute(PIECE)
            if pending:
                MPI.Request.Testall(pending)
        if variant != "late_post":
            pending.append(reduce(layer) if variant == "keyword" else reduce(layer, asynchronous=True))
    for _ in range(2 * PIECES):  # the optimiser's part that needs no gradients
        compute(PIECE)
        MPI.Request.Testall(pending)
    if variant == "late_post":
        pending = [reduce(layer, asynchronous=True) for layer in range(LAYERS)]
    MPI.Request.Waitall(pending)  # BROKEN late_post
end()
