# SPDX-License-Identifier: BSD-3-Clause
"""Uses weft in Python wrongly, in the way that the argument names (table.py). Prints `EXCEPTION: SENTENCE`."""
import sys

import numpy as np
import weft

rank = weft.rank()
out, numbers = np.zeros(4), np.zeros(4)


def refused(call):
    """Prints the error of a call that should fail: rank 0 to stdout and rank 1 to stderr, so that their lines can't mix."""
    line = "none: no error"
    try:
        call()
    except Exception as error:
        kind = type(error)
        name = kind.__name__ if kind.__module__ == "builtins" else f"weft.{kind.__name__}"
        line = f"{name}: {error}"
    print(line, file=sys.stderr if rank else sys.stdout, flush=True)


def ring(received=numbers):
    """Each of the two ranks sends numbers to the other one."""
    exchange = weft.Exchange()
    requests = exchange.client("ring")
    return exchange, requests, requests.send(1 - rank, 1, out), requests.receive(1 - rank, 1, received)


def started():
    exchange, _, sent, received = ring()
    exchange.commit()
    return exchange, exchange.start(), sent, received


def end(messages):
    messages.ready_all()
    messages.wait()


def wrong_rank_of_array():
    grid = weft.CartesianGrid((8, 8, 8))
    refused(lambda: weft.Halo(grid, out))


def wrong_kind():
    _, messages, _, received = started()
    refused(lambda: messages.ready(received))
    end(messages)


def wrong_handle():
    exchange = weft.Exchange()
    refused(lambda: weft.Halo(exchange, out))


def never_made():
    class Heat(weft.Exchange):
        def __init__(self):
            """Forgets super().__init__()."""
    refused(lambda: Heat().commit())


def freed():
    exchange = ring()[0]
    exchange.close()
    refused(exchange.commit)


def after_finalize():
    from mpi4py import MPI
    exchange = ring()[0]
    exchange.commit()
    MPI.Finalize()
    refused(exchange.start)


def sizes_differ():
    refused(ring(np.zeros(3))[0].commit)


def types_differ():
    refused(ring(np.zeros(4, int))[0].commit)


def no_other_end():
    exchange, requests, _, _ = ring()
    if rank == 0:
        requests.send(1, 2, out)
    refused(exchange.commit)


def not_committed():
    refused(ring()[0].start)


def not_ready():
    _, messages, _, _ = started()
    refused(messages.wait)
    end(messages)


def ready_twice():
    _, messages, sent, _ = started()
    messages.ready(sent)
    refused(lambda: messages.ready(sent))
    end(messages)


def start_twice():
    exchange, messages, _, _ = started()
    refused(exchange.start)
    end(messages)


def finish_without_start():
    grid = weft.CartesianGrid((8, 8))
    refused(weft.Halo(grid, grid.zeros()).finish)


def wrong_peer():
    exchange, requests, _, _ = ring()

    def late():
        requests.send(7, 2, out)
        exchange.commit()
    refused(late)


def receives_overlap():
    exchange, requests, _, _ = ring()
    requests.send(1 - rank, 2, out)
    requests.receive(1 - rank, 2, numbers, combine="sum")
    refused(exchange.commit)


def nobodys_number():
    refused(lambda: weft.Graph([rank], [77] if rank == 0 else []))


class Pressure(weft.Client):
    def request(self, requests):
        requests.all_reduce(out, numbers)

    def before(self, step):
        if rank == 1:
            raise ValueError("The pressure is negative.")


def callback_fails():
    manager = weft.StepManager()
    manager.add("pressure", Pressure())
    refused(manager.run_step)


globals()[sys.argv[1]]()
