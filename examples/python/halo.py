# SPDX-License-Identifier: BSD-3-Clause
"""Heat in a box: a halo exchange of two arrays that are swapped."""
import numpy as np
import weft

grid = weft.CartesianGrid((48, 40, 32), periodic=True)
u, new = grid.zeros(), grid.zeros()  # this rank's block, with a ghost point on each side
halo = weft.Halo(grid, (u, new))  # one field, two arrays

u[halo.block()] = np.arange(48)[grid.block[0]][:, None, None]


def compute(old, out, box):
    """The mean of the six neighbours, in a box of slices."""
    x, y, z = box
    around = [slice(s.start - 1, s.stop - 1) for s in box], [slice(s.start + 1, s.stop + 1) for s in box]
    out[box] = sum(old[a, y, z] + old[x, b, z] + old[x, y, c] for a, b, c in around) / 6


for step in range(20):
    with halo.start(u):  # sends the outer points of this block
        compute(u, new, halo.interior())
    for box in halo.boundary():  # the ghost points are filled
        compute(u, new, box)
    u, new = new, u
print(f"rank {weft.rank()}: {halo.rounds} round, mean {u[halo.block()].mean():.4f}")
