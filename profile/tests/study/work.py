# SPDX-License-Identifier: BSD-3-Clause
"""What the programs of the study in Python have in common: as work.h."""
import sys
import time

from mpi4py import MPI

comm = MPI.COMM_WORLD
other = 1 - comm.rank
variant = sys.argv[1]


def compute(rounds):
    x = 1.0
    for _ in range(rounds):
        x = x * 1.0000001 + 1e-9
    return x


if variant == "calibrate":
    best = 1.0
    for _ in range(20):
        start = time.perf_counter()
        compute(10000)
        best = min(best, time.perf_counter() - start)
    if comm.rank == 0:
        print(10000 / best)
    sys.exit()
size, rounds, steps = map(int, sys.argv[2:])
comm.Barrier()
start = MPI.Wtime()


def end():
    longest = comm.reduce((MPI.Wtime() - start) / steps, MPI.MAX)
    if comm.rank == 0:
        print(longest)
