# SPDX-License-Identifier: BSD-3-Clause
"""Heat in a ring of cells: each rank has a piece, and exchanges its outermost cells with both neighbours."""
import numpy as np
import weft

rank, size = weft.rank(), weft.size()
left, right = (rank - 1) % size, (rank + 1) % size
heat = np.zeros(102)  # 100 cells, and a ghost cell on each side
heat[1:-1] = rank

exchange = weft.Exchange(progress="thread")
ring = exchange.client("ring")
to_left = ring.send(left, 1, heat[1:2])  # the key says which part it is: 1 goes to the left, 2 to the right
to_right = ring.send(right, 2, heat[-2:-1])
ring.receive(right, 1, heat[-1:])
ring.receive(left, 2, heat[:1])
exchange.commit()  # both ends of each part are compared

new = heat.copy()
for _ in range(1000):
    with exchange.start() as messages:  # posts the receives
        messages.ready(to_left)  # sends
        messages.ready(to_right)
        new[2:-2] = (heat[1:-3] + 2 * heat[2:-2] + heat[3:-1]) / 4  # meanwhile the inner cells
    # The block ends with the wait: the ghost cells are filled.
    new[1] = (heat[0] + 2 * heat[1] + heat[2]) / 4
    new[-2] = (heat[-3] + 2 * heat[-2] + heat[-1]) / 4
    heat[1:-1] = new[1:-1]

summing = weft.Exchange()
mine, total = np.array([heat[1:-1].sum()]), np.zeros(1)
part = summing.client("sum").all_reduce(mine, total)
summing.commit()
with summing.start() as messages:
    messages.ready(part)
if rank == 0:
    print(f"heat of all ranks: {total[0]:.6f}, at first {100 * sum(range(size))}")
