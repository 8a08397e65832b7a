# SPDX-License-Identifier: BSD-3-Clause
"""Two clients of a step manager, and the overlap report."""
import numpy as np
import weft

rank, size = weft.rank(), weft.size()
left, right = (rank - 1) % size, (rank + 1) % size


class Ring(weft.Client):
    """Heat that flows around a ring of cells."""

    def __init__(self, cells, value):
        self.heat = np.full(cells + 2, float(value))
        self.new = self.heat.copy()

    def request(self, requests):
        requests.send(left, 1, self.heat[1:2])
        requests.send(right, 2, self.heat[-2:-1])
        requests.receive(right, 1, self.heat[-1:])
        requests.receive(left, 2, self.heat[:1])

    def during(self, step):  # while the messages of all clients are in flight
        self.new[2:-2] = (self.heat[1:-3] + 2 * self.heat[2:-2] + self.heat[3:-1]) / 4

    def after(self, step):  # the ghost cells are filled
        for k in (1, -2):
            self.new[k] = (self.heat[k - 1] + 2 * self.heat[k] + self.heat[k + 1]) / 4
        self.heat[1:-1] = self.new[1:-1]


manager = weft.StepManager(progress="thread", timeline=weft.Timeline())
manager.add("fast", Ring(1000, rank))
manager.add("slow", Ring(100, -rank), every=5)  # active in every fifth step
for _ in range(101):
    manager.run_step()
report = manager.report(exchange_seconds=manager.measure_alone(10))
if rank == 0:
    print(report)
