# SPDX-License-Identifier: BSD-3-Clause
"""weft with mpi4py: an exchange on a communicator of the program."""
import numpy as np
from mpi4py import MPI

import weft

half = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank % 2, MPI.COMM_WORLD.rank)
exchange = weft.Exchange(half)  # or half.py2f(), an integer; without an argument: all ranks
a, b = np.full(4, half.rank), np.zeros(4, int)
ring = exchange.client("ring")
part = ring.send((half.rank + 1) % half.size, 1, a)
ring.receive((half.rank - 1) % half.size, 1, b)
exchange.commit()
with exchange.start() as messages:
    messages.ready(part)
assert (b == (half.rank - 1) % half.size).all()
if MPI.COMM_WORLD.rank == 0:
    print(f"{half.size} ranks in this half, {weft.library()}")
