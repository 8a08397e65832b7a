# SPDX-License-Identifier: BSD-3-Clause
"""Planes that are computed and sent to the next rank, three at a time, while the next ones are computed."""
import numpy as np
import weft

rank, size = weft.rank(), weft.size()


class Planes:
    """A buffer for the planes of one tile, and the exchange that sends it."""

    def __init__(self, tile):
        self.mine, self.theirs = np.zeros((tile, 64)), np.zeros((tile, 64))
        self.exchange = weft.Exchange(progress="thread")
        planes = self.exchange.client("planes")
        self.part = planes.send((rank + 1) % size, 1, self.mine)
        planes.receive((rank - 1) % size, 1, self.theirs)
        self.exchange.commit()


buffers, total = [Planes(3) for _ in range(3)], np.zeros(64)  # window + 1 buffers


def compute(tile, buffer):
    for k in range(tile.count):
        buffer.mine[k] = np.sqrt(np.arange(64.0) + tile.first + k)


def communicate(tile, buffer):
    messages = buffer.exchange.start()
    messages.ready(buffer.part)
    return messages  # weft waits for it before consume


def consume(tile, buffer):
    total[:] += buffer.theirs[:tile.count].sum(axis=0)


weft.Pipeline(buffers, tile=3, window=2).run(20, compute, communicate, consume)
assert np.allclose(total, sum(np.sqrt(np.arange(64.0) + k) for k in range(20)))
print(f"rank {rank}: {total.sum():.3f}")
