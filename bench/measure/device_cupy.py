#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The six faces of `weft bench device` by CuPy and mpi4py, as programs do without weft: every face is copied to the host, the whole
device is waited for, and MPI sends it.

    mpirun -n 2 python bench/measure/device_cupy.py [POINTS] [--numpy]

POINTS along each axis of a rank's block (64). --numpy: on the host, to try the program. Prints the median of the slowest rank, in us.
"""
import statistics
import sys
import time

import numpy
from mpi4py import MPI

ON_HOST = "--numpy" in sys.argv
if ON_HOST:
    cupy = numpy
else:
    try:
        import cupy
    except ImportError:
        sys.exit("device_cupy: there is no CuPy. Install cupy-cuda12x, or use --numpy.")

numbers = [word for word in sys.argv[1:] if word != "--numpy"]
n = int(numbers[0]) if numbers else 64
world = MPI.COMM_WORLD
u = cupy.full((n + 2, n + 2, n + 2), world.rank + 1.0)


def synchronize():
    if not ON_HOST:
        cupy.cuda.Device().synchronize()


def exchange():
    inner = slice(1, n + 1)
    for axis in range(3):
        for side in (-1, 1):
            peer = (world.rank + side) % world.size if axis == 0 else world.rank
            source = (world.rank - side) % world.size if axis == 0 else world.rank
            send, receive = [inner] * 3, [inner] * 3
            send[axis], receive[axis] = (n, 0) if side > 0 else (1, n + 1)
            face = cupy.ascontiguousarray(u[tuple(send)])
            out = face if ON_HOST else face.get()
            synchronize()
            arrived = numpy.empty_like(out)
            world.Sendrecv(out, peer, 0, arrived, source, 0)
            u[tuple(receive)] = arrived if ON_HOST else cupy.asarray(arrived)
            synchronize()
    return source


exchange()
assert float(u[0, 1, 1]) == (world.rank - 1) % world.size + 1
assert float(u[1, 0, 1]) == world.rank + 1
times = []
for _ in range(200):
    world.Barrier()
    began = time.perf_counter()
    exchange()
    times.append(world.allreduce(time.perf_counter() - began, MPI.MAX))
if world.rank == 0:
    print(f"six faces: CuPy and mpi4py, waits for the device: {1e6 * statistics.median(times):.1f} us")
