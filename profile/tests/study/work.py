# SPDX-License-Identifier: BSD-3-Clause
"""What the programs of the study in Python have in common: as work.h."""
import sys

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
    start = MPI.Wtime()
    for _ in range(1000):
        compute(10000)
    if comm.rank == 0:
        print(1e7 / (MPI.Wtime() - start))
    sys.exit()
size, rounds, steps = map(int, sys.argv[2:])
comm.Barrier()
start = MPI.Wtime()


def end():
    longest = comm.reduce((MPI.Wtime() - start) / steps, MPI.MAX)
    if comm.rank == 0:
        print(longest)
