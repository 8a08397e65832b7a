# SPDX-License-Identifier: BSD-3-Clause
"""A slab's halo, by a function whose keyword says that the caller overlaps it."""
import numpy
from work import MPI, comm, compute, end, other, rounds, size, steps, variant

into, out = numpy.zeros(size, "b"), numpy.ones(size, "b")


def exchange(overlap=False):
    if variant == "pickle":
        return [], comm.sendrecv(out, other, source=other)  # BROKEN pickle
    requests = [comm.Irecv(into, other), comm.Isend(out, other)]
    if not overlap:
        MPI.Request.Waitall(requests)  # BROKEN keyword
        requests = []
    return requests, into


for step in range(steps):
    requests, halo = exchange() if variant == "keyword" else exchange(overlap=True)
    if variant == "barrier":
        comm.Barrier()  # BROKEN barrier
    compute(rounds)
    MPI.Request.Waitall(requests)
end()
