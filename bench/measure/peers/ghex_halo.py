# SPDX-License-Identifier: BSD-3-Clause
"""Compares halo exchanges from Python: of 19 fields of float64, stored one after the other, on a periodic grid of three axes.

Each rank has a block of 64 x 64 x 64 points; the blocks lie in a row along x. All ghost points of width 1 are filled, those at edges and
corners, too.

  weft    weft.Halo
  GHEX    a communication object of its Python binding; left out if ghex can't be imported
  mpi4py  persistent requests, receives started first, packed by hand with numpy

All use the same arrays. Each exchange is started and finished at once, without computation. The turns of all implementations are
interleaved in one run, and their order rotates. A turn is a batch of about 0.02 s; its time is that of the slowest rank. The last line of
the output is a JSON object with the median over the turns, in us per exchange. Run with mpirun on two or more ranks (--seconds S)."""
import argparse
import json
import statistics
import time
from typing import Callable

import mpi4py
import numpy as np
import weft

mpi4py.rc.thread_level = "single"  # MPI takes no locks
from mpi4py import MPI  # noqa: E402

try:
    import ghex
    from ghex.context import make_context
    from ghex.structured.cartesian_sets import IndexSpace
    from ghex.structured.regular import (DomainDescriptor, HaloGenerator, make_communication_object, make_field_descriptor,
                                         make_pattern)
    WITHOUT_GHEX = ""
except ImportError as error:
    WITHOUT_GHEX = str(error)

POINTS, FIELDS, TURN_SECONDS = 64, 19, 0.02
COMM = MPI.COMM_WORLD
EXTENT = (POINTS * COMM.size, POINTS, POINTS)
Exchange = Callable[[], None]


def with_weft(u: np.ndarray) -> Exchange:
    """All fields as components of one array."""
    halo = weft.Halo(weft.CartesianGrid(EXTENT, processes=(COMM.size, 1, 1), periodic=True), u[None])

    def exchange() -> None:
        halo.start()
        halo.finish()

    return exchange


def with_ghex(u: np.ndarray) -> Exchange:
    """One pattern for all fields, each of which has a descriptor."""
    whole = IndexSpace.from_sizes(*EXTENT).subset["definition"]
    context = make_context(COMM)
    block = IndexSpace.from_sizes(*EXTENT).decompose((COMM.size, 1, 1))[COMM.rank, 0, 0].subset["definition"]
    domain = DomainDescriptor(context.rank(), block)
    pattern = make_pattern(context, HaloGenerator(whole, (1, 1, 1), (True, True, True)), [domain])
    fields = [pattern(make_field_descriptor(domain, field, (1, 1, 1), field.shape)) for field in u]
    communication = make_communication_object(context)

    def exchange(_: object = pattern) -> None:  # the binding's objects don't keep their pattern alive
        communication.exchange(fields).wait()

    return exchange


def wrap(u: np.ndarray) -> None:
    """Fills the ghost points along y and z, which have their values in the same block."""
    u[:, :, 0], u[:, :, -1] = u[:, :, -2], u[:, :, 1]
    u[..., 0], u[..., -1] = u[..., -2], u[..., 1]


def with_mpi4py(u: np.ndarray) -> Exchange:
    """First fills the ghost points along y and z of the outer planes, so that these are sent whole; those of the other planes while the
    messages are on their way."""
    sent, received = np.empty((2, 2, FIELDS, *u.shape[2:]))
    left, right = (COMM.rank - 1) % COMM.size, (COMM.rank + 1) % COMM.size
    receives = [COMM.Recv_init(received[0], left, 1), COMM.Recv_init(received[1], right, 0)]
    sends = [COMM.Send_init(sent[0], left, 0), COMM.Send_init(sent[1], right, 1)]

    def exchange() -> None:
        MPI.Prequest.Startall(receives)
        for side, plane in (0, 1), (1, POINTS):
            wrap(u[:, plane:plane + 1])
            sent[side] = u[:, plane]
        MPI.Prequest.Startall(sends)
        wrap(u[:, 2:-2])
        MPI.Request.Waitall(receives + sends)
        u[:, 0], u[:, -1] = received

    return exchange


def values() -> np.ndarray:
    """What the array must have after an exchange: a number for each point of the grid and field."""
    x, y, z = ((np.arange(-1, POINTS + 1) + start) % n for start, n in zip((COMM.rank * POINTS, 0, 0), EXTENT))
    points = (x[:, None, None] * EXTENT[1] + y[:, None]) * EXTENT[2] + z
    return np.arange(FIELDS)[:, None, None, None] * float(np.prod(EXTENT)) + points


def verify(name: str, exchange: Exchange, u: np.ndarray) -> None:
    """Raises an error on all ranks if a ghost point is wrong after an exchange."""
    expected, inner = values(), (slice(None), *3 * (slice(1, -1), ))
    u.fill(np.nan)
    u[inner] = expected[inner]
    exchange()
    if not COMM.allreduce(np.array_equal(u, expected), MPI.LAND):
        raise RuntimeError(f"The ghost points are wrong after the exchange of {name}.")


def time_batch(exchange: Exchange, batch: int) -> float:
    """The seconds per exchange of the slowest rank."""
    COMM.Barrier()
    start = time.perf_counter()
    for _ in range(batch):
        exchange()
    return COMM.allreduce((time.perf_counter() - start) / batch, MPI.MAX)


def take_turns(exchanges: dict[str, Exchange], seconds: float) -> dict[str, list[float]]:
    """The times of all turns. A batch has the same number of exchanges for all: on a busy machine the median depends on it."""
    least = min(time_batch(exchange, 2) for _ in range(5) for exchange in exchanges.values())
    batch, names = max(1, int(TURN_SECONDS / least)), list(exchanges)
    times: dict[str, list[float]] = {name: [] for name in names}
    end = time.perf_counter() + seconds
    while COMM.bcast(time.perf_counter() < end or not times[names[0]]):
        for name in names:
            times[name].append(time_batch(exchanges[name], batch))
        names.append(names.pop(0))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10, help="how long the turns last in all")
    seconds = parser.parse_args().seconds
    u = np.empty((FIELDS, *3 * (POINTS + 2, )))
    makers = {"GHEX": with_ghex, "weft": with_weft, "mpi4py": with_mpi4py}
    if WITHOUT_GHEX:
        del makers["GHEX"]
    exchanges = {name: make(u) for name, make in makers.items()}
    for name, exchange in exchanges.items():
        verify(name, exchange, u)
    times = take_turns(exchanges, seconds)
    result = {name: round(1e6 * statistics.median(all_times), 2) for name, all_times in times.items()}
    if COMM.rank == 0:
        print(WITHOUT_GHEX and f"without GHEX: {WITHOUT_GHEX}\n", f"{len(times['weft'])} turns", sep="")
        print(json.dumps({**result, **({} if WITHOUT_GHEX else {"ghex": ghex.__version__})}), flush=True)


if __name__ == "__main__":
    main()
