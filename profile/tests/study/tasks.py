# SPDX-License-Identifier: BSD-3-Clause
"""Rank 0 gives out tasks. A worker asks for the next one before it works on the one that it has."""
import numpy
from work import MPI, comm, compute, end, rounds, size, steps, variant

if variant == "large":
    size *= 3
task, ask = numpy.zeros(size, "b"), numpy.zeros(1, "b")


def asked():
    requests = [comm.Irecv(task, 0, 1), comm.Isend(ask, 0, 0)]
    if variant == "early_wait":
        MPI.Request.Waitall(requests)  # BROKEN early_wait
    return requests


def work(prefetch=False):
    for step in range(steps):
        requests = asked() if prefetch else None
        compute(rounds)
        MPI.Request.Waitall(requests or asked())  # BROKEN keyword BROKEN large


def give():
    status = MPI.Status()
    for step in range(steps):
        comm.Recv(ask, MPI.ANY_SOURCE, 0, status)
        comm.Send(task, status.source, 1)


if comm.rank == 0:
    give()
elif variant == "keyword":
    work()
else:
    work(prefetch=True)
end()
