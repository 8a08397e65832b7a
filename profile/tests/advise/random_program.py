# SPDX-License-Identifier: BSD-3-Clause
"""A random, legal program of mpi4py for the tests of libweft_advise: random_program.py SEED OPERATIONS PREFIX.

As random_program.c: all ranks draw the same plan, rank 0 prints a checksum of each rank's results, and each rank writes
the number of its calls by function, and its messages and bytes of buffers, to PREFIX.RANK.json. Pickled objects are
sent by functions that mpi4py chooses, so their calls and messages are not counted; a program either sends objects or
counts. Programs with odd seeds count.
"""
import array
import json
import random
import sys
import zlib

from mpi4py import MPI

SEED, OPERATIONS, PREFIX = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
COUNTS = SEED % 2 == 1
world = MPI.COMM_WORLD
plan, own = random.Random(SEED), random.Random(1000 * SEED + world.rank)
calls, sent = {}, [[0, 0] for _ in range(world.size)]
results, pending, comms = 0, [], [world]


def count(name, size=0):
    numbers = calls.setdefault("MPI_" + name, [0, 0, 0])
    numbers[0] += 1
    numbers[2] += size


def note(*what):
    global results
    results = (results + zlib.crc32(repr(what).encode())) % 2**32


def data(n, key):
    return array.array("i", [(key + 7 * i) % 30011 for i in range(n)])


def complete(some):
    """Completes requests with their memory: [(request, memory)]."""
    requests = [request for request, _ in some]
    way = own.randrange(4)
    if way == 0:
        for request in requests:
            count("Wait")
            request.Wait()
    elif way == 1:
        count("Waitall")
        MPI.Request.Waitall(requests)
    elif way == 2:
        for _ in requests:
            count("Waitany")
            MPI.Request.Waitany(requests)
    else:
        count("Waitall")
        MPI.Request.Waitall(requests, [MPI.Status() for _ in requests])
    for _, memory in some:
        note(memory.tolist())


def message(op):
    comm = plan.choice(comms)
    source, to, n = plan.randrange(comm.size), plan.randrange(comm.size), plan.choice([0, 1, 50, 3000, 50000])
    way, more, any_source, own_comm = plan.randrange(4), plan.randrange(20), plan.randrange(2), plan.randrange(3) == 0
    into, out = array.array("i", [-1] * (n + more)), data(n, op)
    on = comm
    if own_comm:
        count("Comm_dup")
        on = comm.Dup()
    if comm.rank == to:
        wanted = MPI.ANY_SOURCE if any_source else source
        if way < 2 or source == to:
            count("Irecv", 4 * n)
            pending.append((on.Irecv(into, wanted, op), into))
    if comm.rank == source:
        sent[comm.Get_group().Translate_ranks([to], world.Get_group())[0]][0] += 1
        sent[comm.Get_group().Translate_ranks([to], world.Get_group())[0]][1] += 4 * n
        if way % 2:
            count("Isend", 4 * n)
            pending.append((on.Isend(out, to, op), out))
        else:
            count("Ssend" if way else "Send", 4 * n)
            (on.Ssend if way else on.Send)(out, to, op)
    if comm.rank == to and way >= 2 and source != to:
        status = MPI.Status()
        if way == 2:
            count("Probe")
            on.Probe(wanted, op, status)
            count("Recv", 4 * n)
            on.Recv(into, status.source, op, status)
        else:
            count("Mprobe")
            found = on.Mprobe(wanted, op, status)
            count("Mrecv", 4 * n)
            found.Recv(into, status)
        note(status.source, status.tag, status.Get_count(MPI.INT), into.tolist())
    if own_comm:
        count("Comm_free")
        on.Free()


def objects(op):
    comm = plan.choice(comms)
    source, to, n, way = plan.randrange(comm.size), plan.randrange(comm.size), plan.randrange(2000), plan.randrange(3)
    if COUNTS:
        return
    what = {"op": op, "data": list(range(n))}
    request = comm.isend(what, to, op) if comm.rank == source else None
    if comm.rank == to:
        note(comm.recv(source=source, tag=op) if way else comm.irecv(1 << 16, source, op).wait())
    if request:
        request.wait()
    note(comm.allreduce(comm.rank), comm.allgather(op), comm.bcast(what if comm.rank == 0 else None))


def collective(op):
    comm, n, way, later = plan.choice(comms), plan.randrange(300), plan.randrange(4), plan.randrange(2)
    out, into = data(n, op + comm.rank), array.array("i", [0] * (n * comm.size))
    if way == 0:
        count("Bcast")
        comm.Bcast(out, 0)
        note(out.tolist())
    elif way == 1:
        count("Iallreduce")
        both = data(n, op)
        pending.append((comm.Iallreduce(MPI.IN_PLACE, both), both))
    elif way == 2:
        count("Allgather")
        comm.Allgather(out, into)
        note(into.tolist())
    else:
        count("Ibarrier")
        pending.append((comm.Ibarrier(), out))
    if not later:
        complete_some(op)


def complete_some(_):
    own.shuffle(pending)
    n = own.randrange(len(pending) + 1)
    some, pending[:] = pending[:n], pending[n:]
    if some:
        complete(some)


def make(_):
    comm, way = plan.choice(comms), plan.randrange(2)
    if len(comms) > 6:
        return
    if way:
        count("Comm_dup")
        comms.append(comm.Dup())
    else:
        count("Comm_split")
        comms.append(comm.Split(0, -comm.rank))


def free(_):
    if len(comms) < 2:
        return
    comm = comms.pop(plan.randrange(1, len(comms)))
    while pending:  # Open MPI 4.1 may crash if a collective is pending
        complete([pending.pop()])
    count("Comm_free")
    comm.Free()


def wrong(_):
    way = plan.randrange(4)
    try:
        if way == 0:
            count("Send")
            world.Send(data(1, 0), 1000)
        elif way == 1:
            count("Irecv")
            world.Irecv(data(1, 0), 0, -7)
        elif way == 2:
            count("Bcast")
            world.Bcast(data(1, 0), 1000)
        else:
            count("Probe")
            world.Probe(1000)
        note("no error")
    except MPI.Exception as e:
        note(e.Get_error_class())


kinds = [message] * 8 + [objects] * 2 + [collective] * 4 + [complete_some] * 3 + [make, free, wrong]
for op in range(1, OPERATIONS + 1):
    plan.choice(kinds)(op)
while pending:
    complete([pending.pop()])
count("Gather")
everything = array.array("q", [0] * world.size)
world.Gather(array.array("q", [results]), everything)
if world.rank == 0:
    print(*(f"rank {rank}: {result:08x}" for rank, result in enumerate(everything)), sep="\n", flush=True)
with open(f"{PREFIX}.{world.rank}.json", "w") as file:
    json.dump({"calls": calls, "sent": sent, "counts": COUNTS}, file)
