# SPDX-License-Identifier: BSD-3-Clause
"""weft.Exchange: what arrives, for every kind of array and option."""
import unittest

from binding import Case, needs_module


@needs_module
class Arrays(Case):
    def test_any_strides_orders_and_types_arrive(self):
        self.ok("""
            for dtype in ("f8", "f4", "f2", "i1", "u8", "c8", "c16", "?", "S3", "M8[s]", [("a", "i4"), ("b", "f8", 2)]):
                full = np.zeros((6, 8), dtype)
                views = lambda a: (a, a[2], a[:, 3], a[1:5, 2:7], a[::2, ::3], a.T, np.asfortranarray(a)[1:3], a[0:0], a[3:4, 5])
                sources = views(full)
                for k, source in enumerate(sources):
                    source = np.array(source, order="K", subok=True) if k == 6 else source
                    raw = np.frombuffer(np.random.default_rng(rank + k).bytes(source.nbytes), "u1")
                    if dtype == "?": raw = raw % 2
                    source[...] = np.frombuffer(raw.tobytes(), source.dtype).reshape(source.shape)
                    target = np.zeros((16, 16), dtype)[::2, ::2][tuple(slice(0, n) for n in source.shape)] if source.ndim == 2 \\
                        else np.zeros(source.shape, dtype)
                    exchange = weft.Exchange()
                    list_ = exchange.client("a")
                    out = list_.send(right, 1, source)
                    list_.receive(left, 1, target)
                    exchange.commit()
                    with exchange.start() as messages:
                        messages.ready(out)
                    raw = np.frombuffer(np.random.default_rng(left + k).bytes(source.nbytes), "u1")
                    if dtype == "?": raw = raw % 2
                    wanted = np.frombuffer(raw.tobytes(), source.dtype).reshape(source.shape)
                    assert target.tobytes() == wanted.tobytes(), (dtype, k)
            """)

    def test_other_buffers_and_dlpack(self):
        self.ok("""
            import array, ctypes
            class Dlpack:
                def __init__(self, a): self.a = a
                def __dlpack__(self, **k): return self.a.__dlpack__()
                def __dlpack_device__(self): return self.a.__dlpack_device__()
            class Interface:
                def __init__(self, a): self.a, self.__array_interface__ = a, a.__array_interface__
            data = np.arange(8.) + 10 * rank
            sent = [data, array.array("d", data), bytes(data.tobytes()), memoryview(data), Dlpack(data), Interface(data),
                    (ctypes.c_double * 8)(*data)]
            back = np.zeros(8)
            received = [back, array.array("d", [0] * 8), bytearray(64), memoryview(np.zeros(8)), Dlpack(np.zeros(8)),
                        Interface(np.zeros(8)), ((ctypes.c_double * 4) * 2)()]
            exchange = weft.Exchange()
            list_ = exchange.client("a")
            for k, (s, r) in enumerate(zip(sent, received)):
                list_.send(right, k, s)
                list_.receive(left, k, r)
            exchange.commit()
            with exchange.start() as messages:
                messages.ready_all()
            for r in received:
                a = np.frombuffer(r.a if hasattr(r, "a") else r)
                assert (a == np.arange(8.) + 10 * left).all(), r
            """)

    def test_wrong_arrays_are_refused_in_a_sentence(self):
        self.ok("""
            class Interface:
                def __init__(self, **interface): self.__array_interface__ = interface
            list_ = weft.Exchange().client("a")
            constant, both = np.zeros(4), np.zeros(8)
            constant.flags.writeable = False
            for call, kind, text in ((lambda: list_.receive(0, 1, constant), TypeError, "read-only"),
                                     (lambda: list_.receive(0, 1, b"abc"), TypeError, "read-only"),
                                     (lambda: list_.receive(0, 1, "abc"), TypeError, "no memory"),
                                     (lambda: list_.send(0, 1, 1.5), TypeError, "no memory"),
                                     (lambda: list_.send(0, 1, np.zeros(4)[::-1]), ValueError, "negative stride"),
                                     (lambda: list_.receive(0, 1, np.lib.stride_tricks.as_strided(np.zeros(1), (4,), (0,))), ValueError,
                                      "repeats"),
                                     (lambda: list_.send(0, 1, constant, order="K"), weft.InputError, "order"),
                                     (lambda: list_.send(size, 1, constant), weft.Error, "rank"),
                                     (lambda: list_.send(0, 1, np.array([1, None])), TypeError, "dtype object"),
                                     (lambda: list_.send(0, 1, np.zeros(2, [("a", "f8"), ("b", "O")])), TypeError, "dtype object"),
                                     (lambda: list_.send(0, 1, np.zeros(2, [("a", "O"), ("b", "M8[s]")])), TypeError, "dtype object"),
                                     (lambda: list_.send(0, 1, Interface(shape=(4,), typestr="<f8", data=(0, False))), TypeError,
                                      "no memory"),
                                     (lambda: list_.send(0, 1, Interface(shape="x", typestr=3)), TypeError, "no memory"),
                                     (lambda: list_.send(0, 1, -3), weft.InputError, "-3 is no number of bytes"),
                                     (lambda: list_.all_reduce(both[:4], both[2:6]), ValueError, "share memory"),
                                     (lambda: list_.all_reduce(np.zeros(2, "f2"), np.zeros(2, "f2")), ValueError, "reduced"),
                                     (lambda: list_.all_reduce(np.zeros(2), np.zeros(2), "mean"), ValueError, "sum"),
                                     (lambda: list_.all_reduce(np.zeros(2), np.zeros(2, "i8")), ValueError, "dtype")):
                try:
                    call()
                except kind as error:
                    assert text in str(error), error
                    assert str(error).endswith("."), error
                else:
                    if text != "rank": raise AssertionError(text)
            list_.send(0, 1, constant)
            """)

    def test_order_of_elements(self):
        self.ok("""
            a = np.asfortranarray(np.arange(12.).reshape(3, 4))
            b = np.zeros((4, 3))
            exchange = weft.Exchange()
            list_ = exchange.client("a")
            list_.send(right, 1, a, order="F")
            list_.receive(left, 1, b)
            exchange.commit()
            with exchange.start() as messages:
                messages.ready_all()
            assert (b == a.T).all()
            """)


@needs_module
class Options(Case):
    def test_results_do_not_depend_on_them(self):
        self.ok("""
            for options in ({}, {"progress": "thread"}, {"progress": "send_receive_threads", "threads": 1}, {"progress": "passive"},
                            {"grouping": "per_part"}, {"grouping": "by_size"}, {"carrier": "synchronous"}, {"carrier": "datatypes"},
                            {"carrier": "datatypes"}, {"shared_memory": True}, {"defer_unpacking": True}, {"piece_bytes": 64},
                            {"progress": weft.Progress("thread")}, {"timeline": weft.Timeline()}):
                exchange = weft.Exchange(**options)
                list_ = exchange.client("a")
                a, b = np.arange(100.) + rank, np.zeros(100)
                c, d = np.full((5, 5), rank), np.zeros((5, 5), int)
                sent = [list_.send(right, 1, a), list_.send(right, 2, c[:, 1])]
                received = [list_.receive(left, 1, b), list_.receive(left, 2, d[:, 3])]
                exchange.commit()
                for start in range(3):
                    a += 1
                    messages = exchange.start()
                    for part in sent: messages.ready(part)
                    messages.progress()
                    if "defer_unpacking" in options:
                        for part in received: messages.accept(part)
                    messages.wait()
                    assert messages.is_over and all(messages.arrived(part) for part in received)
                    assert (b == np.arange(100.) + left + start + 1).all() and (d[:, 3] == left).all(), options
                exchange.close()
            """)

    def test_wrong_options_are_refused(self):
        self.ok("""
            for options, kind, text in (({"grouping": "x"}, weft.InputError, "per_peer, per_part"), ({"colour": 1}, TypeError, "colour"),
                                        ({"progress": "x"}, ValueError, "polling"), ({"progress": 3}, TypeError, "Progress"),
                                        ({"shared_memory": "maybe"}, TypeError, "shared_memory"), ({"timeline": 1}, TypeError, "Timeline"),
                                        ({"comm": "world"}, TypeError, "mpi4py")):
                try:
                    weft.Exchange(**options)
                except kind as error:
                    assert text in str(error), error
                else:
                    raise AssertionError(options)
            """)

    def test_types_of_both_ends_are_compared(self):
        self.ok("""
            def refused(call, *words):
                try: call()
                except weft.Error as error: assert all(word in str(error) for word in words), error
                else: raise AssertionError("no error")
            def send(source, target):
                exchange = weft.Exchange()
                a = exchange.client("a")
                if rank == 0: a.send(1, 1, source)
                else: a.receive(0, 1, target)
                exchange.commit()
            def pair(*fields): return np.zeros(4, np.dtype(list(fields)))
            seconds, days = np.zeros(4, "M8[s]"), np.zeros(4, "M8[D]")
            floats, ints = pair(("a", "f4"), ("b", "f4")), pair(("a", "i4"), ("b", "i4"))
            kinds = [np.zeros(4, t) for t in ("i8", "u8", "f8", ">f8", ">i8", "c8")] + [seconds, days, floats, ints]
            for a in kinds:
                for b in kinds:
                    if a is b: send(a, b)
                    else: refused(lambda: send(a, b), "two types")
                send(a, np.zeros(32, "u1")); send(bytes(32), b)
            refused(lambda: send(kinds[0], kinds[2]), "sends int64", "receives float64")
            grid = weft.CartesianGrid((8, 8), periodic=True)
            refused(lambda: weft.Halo(grid, grid.zeros("i8" if rank else "f8")).commit(), "int64", "float64")
            for name in "broadcast", "all_reduce", "all_gather", "all_to_all", "gather":
                kind = "i4" if rank else "f4"
                exchange = weft.Exchange()
                a = exchange.client("a")
                x, y = np.zeros(2, kind), np.zeros(4 if "gather" in name else 2, kind)
                getattr(a, name)(*[0] * (name in ("broadcast", "gather")), x, *[y] * (name != "broadcast"))
                refused(exchange.commit, "int32", "float32")
            """)

    def test_buffer_indices_are_compared(self):
        for options in "", "scheme='by_dimension'", "shared_memory=True", "carrier='datatypes'":
            with self.subTest(options):
                self.ok(f"""
                    grid = weft.CartesianGrid((64, 64), periodic=True)
                    halo = weft.Halo(grid, (grid.zeros(), grid.zeros()), {options})
                    for k in range(4):
                        with halo.start(k): pass
                    weft.barrier()
                    try:
                        for _ in range(2):
                            with halo.start(rank): pass
                    except weft.Error as error: assert "is started with buffer index" in str(error), error
                    else: raise AssertionError("no error")
                    """)

    def test_flags_may_be_of_numpy(self):
        self.ok("""
            for true, false in ((np.True_, np.False_), (1, 0), (np.int64(1), np.int8(0))):
                exchange = weft.Exchange(defer_unpacking=true, compares_buffer_indices=false)
                exchange.close()
                manager = weft.StepManager(coalesce=false)
                assert not manager.coalesces
                manager.coalesce(true); assert manager.coalesces
                for periodic in (true, [true, false], np.array([1, 0]), np.array([True, False]), (1, 0)):
                    grid = weft.CartesianGrid((8, 8), processes=(1, size), periodic=periodic)
                    assert grid.neighbour((1, 0)) == rank, periodic
            for wrong in (2, "yes", [True, 2], 1.0, None):
                try: weft.CartesianGrid((8, 8), periodic=wrong)
                except TypeError as error: assert "periodic" in str(error) and "\\n" not in str(error), error
                else: raise AssertionError(wrong)
            """)

    def test_without_a_peer_nothing_is_sent(self):
        self.ok("""
            grid = weft.CartesianGrid((6,))
            exchange = weft.Exchange()
            client = exchange.client("shift")
            there, from_left = grid.neighbour((1,)), grid.neighbour((-1,))
            data, got = np.full(2, rank + 1.), np.zeros(2)
            part = client.send(there, 1, data)
            arrives = client.receive(from_left, 1, got)
            assert (part is None) == (rank == size - 1) and (arrives is None) == (rank == 0)
            assert client.send_up_to(None, 2, data) is None and client.receive_up_to(None, 2, got) is None
            assert len(client) == (rank > 0) + (rank < size - 1)
            exchange.commit()
            with exchange.start() as started: started.ready(part)
            assert (got == rank).all(), got
            class Shift(weft.Client):
                def request(self, requests): self.part = requests.send(there, 1, data); requests.receive(from_left, 1, got)
                def before(self, step): step.ready(self.part)
            manager = weft.StepManager()
            manager.add("shift", Shift())
            data += 1
            manager.run_step()
            assert (got == (rank + 1 if rank else 0)).all(), got
            """, 3)

    def test_rounds_buffers_sizes_and_addresses(self):
        self.ok("""
            exchange = weft.Exchange()
            list_ = exchange.client("a")
            x, y = (np.full(3, 1. + rank), np.full(3, 2. + rank)), (np.zeros(3), np.zeros(3))
            list_.send(right, 1, x)
            list_.receive(left, 1, y)
            second, got = np.zeros(1), np.zeros(1)
            list_.send(left, 2, second, round=1)
            list_.receive(right, 2, got, round=1)
            text = np.zeros(10, "u1")
            some, came = list_.send_up_to(right, 7, text), list_.receive_up_to(left, 7, 10)
            lent, where = list_.send(right, 8, 24), list_.receive(left, 8, 24)
            exchange.commit()
            assert exchange.buffer_count == 2 and exchange.rounds == 2
            target = np.zeros(3)
            exchange.rebind(where, target)
            for k in (0, 1):
                messages = exchange.start(k)
                text[:3] = rank + 5
                messages.ready(some, 3)
                messages.ready(lent, np.full(3, 70. + rank + k))
                messages.ready_all(0, 0)
                messages.wait(0)
                assert (y[k] == 1 + k + left).all() and (target == 70 + left + k).all()
                assert exchange.received_bytes(came) == 3 and exchange.sent_bytes(some) == 3
                assert exchange.take_received(came).tolist() == [left + 5] * 3
                second[:] = y[k][0]
                messages.ready_all(0, 1)
                messages.wait()
                assert got[0] == 1 + k + rank
            assert exchange.starts == 2
            """)

    def test_numbers_of_bytes_may_be_of_numpy(self):
        self.ok("""
            exchange = weft.Exchange()
            list_ = exchange.client("a")
            some, came = list_.send_up_to(right, 1, np.full(10, rank, "u1")), list_.receive_up_to(left, 1, np.int64(10))
            lent, where = list_.send(right, 2, np.int32(24)), list_.receive(left, 2, np.zeros(3))
            exchange.commit()
            with exchange.start() as messages:
                messages.ready(some, np.ones(4, bool).sum())
                messages.ready(lent, np.zeros(3))
            assert exchange.take_received(came).tolist() == [left] * 4
            """)

    def test_collectives(self):
        self.ok("""
            for dtype in ("i4", "i8", "u8", "f4", "f8", "c16", "i2", "u1"):
                exchange = weft.Exchange()
                list_ = exchange.client("a")
                a, total = np.arange(3).astype(dtype) + rank, np.zeros(3, dtype)
                parts = [list_.all_reduce(a, total)]
                first = np.full(2, rank, dtype)
                parts.append(list_.broadcast(0, first))
                every, counted = np.zeros(3 * size, dtype), np.zeros(sum(r + 1 for r in range(size)), dtype)
                parts.append(list_.all_gather(a, every))
                parts.append(list_.gather(0, a[:rank + 1], counted if rank == 0 else None, [r + 1 for r in range(size)]))
                there, here = np.arange(size).astype(dtype) + 10 * rank, np.zeros(size, dtype)
                parts += [list_.all_to_all(there, here), list_.barrier()]
                exchange.commit()
                with exchange.start() as messages:
                    for part in parts: messages.ready(part)
                assert (total == sum(np.arange(3).astype(dtype) + r for r in range(size))).all() and (first == 0).all()
                assert every.tolist() == [k + r for r in range(size) for k in range(3)]
                assert rank or counted.tolist() == [k + r for r in range(size) for k in range(r + 1)]
                assert here.tolist() == [rank + 10 * r for r in range(size)]
            """, ranks=3)

    def test_collectives_send_whole_elements_of_one_type(self):
        self.ok("""
            def refused(call, text):
                list_ = weft.Exchange().client("a")
                try: call(list_)
                except weft.InputError as error: assert text in str(error), error
                else: raise AssertionError(text)
            five, six = np.arange(5), np.arange(6)
            refused(lambda c: c.all_to_all(five, np.zeros(5, "i8")), "data of 5 elements can't be divided among 2 ranks")
            refused(lambda c: c.all_to_all(six, np.zeros(5, "i8")), "result of 5 elements can't be divided among 2 ranks")
            other = np.zeros(12)
            for call in (lambda c: c.all_to_all(six, other[:6]), lambda c: c.all_gather(six, other), lambda c: c.gather(0, six, other),
                         lambda c: c.all_reduce(six, other[:6]), lambda c: c.reduce(0, six, other[:6])):
                refused(call, "The data are int64, but the result is float64")
            refused(lambda c: c.all_gather(six, np.zeros(12, ">i8")), "'>q' of 8 bytes")
            pair = np.dtype([("a", "i4"), ("b", "f4")])
            refused(lambda c: c.all_gather(np.zeros(2, pair), np.zeros(4)), "of 8 bytes, but the result is float64")
            exchange = weft.Exchange()
            client = exchange.client("a")
            all, mine = np.zeros(3, "q"), np.full(rank + 1, rank)
            client.all_gather(mine, all, [1, 2])                                    # q and l are both int64
            given, got = np.arange(3) + 10 * rank, np.zeros(2 if rank == 0 else 4, int)
            client.all_to_all(given, got, [1, 2], [rank + 1] * 2)
            exchange.commit()
            with exchange.start() as started: started.ready_all(0, 0)
            assert all.tolist() == [0, 1, 1] and got.tolist() == ([0, 10] if rank == 0 else [1, 2, 11, 12]), (all, got)
            """)


@needs_module
class Communicators(Case):
    def test_of_mpi4py_split_freed_and_as_integers(self):
        self.ok("""
            from mpi4py import MPI
            for turn in range(5):
                half = MPI.COMM_WORLD.Split(rank % 2, rank)
                assert weft.size(half) == half.size and weft.rank(half.py2f()) == half.rank
                exchange = weft.Exchange(half)
                a, b = np.full(2, rank), np.zeros(2, int)
                out = exchange.client("a").send((half.rank + 1) % half.size, 1, a)
                exchange.client("b")
                list_ = exchange.client("c")
                exchange.commit() if half.size > 9 else None
                half.Free()
            assert MPI.Query_thread() == MPI.THREAD_MULTIPLE and weft.library() and weft.build_info()["version"] == weft.__version__
            try:
                weft.Exchange(MPI.COMM_NULL)
            except weft.InputError as error:
                assert "null" in str(error)
            half = MPI.COMM_WORLD.Split(rank % 2, rank)
            try:
                weft.Exchange(half.Create_intercomm(0, MPI.COMM_WORLD, 1 - rank % 2))
            except weft.InputError as error:
                assert "intercommunicator" in str(error)
            weft.barrier()
            """, ranks=4)

    def test_weft_alone_starts_and_ends_mpi(self):
        self.ok("""
            import sys
            assert "mpi4py" not in sys.modules
            weft.barrier()
            """)
        self.ok("assert size == 1\n", ranks=0)

    def test_mpi4py_after_weft(self):
        self.ok("""
            from mpi4py import MPI
            assert MPI.COMM_WORLD.rank == rank and MPI.COMM_WORLD.size == size
            assert MPI.COMM_WORLD.allreduce(1) == size
            """)


@needs_module
class Errors(Case):
    def test_two_ends_that_differ_are_named_on_all_ranks(self):
        self.ok("""
            exchange = weft.Exchange()
            list_ = exchange.client("heat")
            list_.send(right, 1, np.zeros(4 + rank))
            list_.receive(left, 1, np.zeros(4))
            try:
                exchange.commit()
            except weft.Error as error:
                assert "heat" in str(error), error
            else:
                raise AssertionError
            """)

    def test_wrong_use(self):
        self.ok("""
            exchange = weft.Exchange()
            other = weft.Exchange().client("a").send(right, 1, np.zeros(1))
            list_ = exchange.client("a")
            out = list_.send(right, 1, np.zeros(1))
            arrived = list_.receive(left, 1, np.zeros(1))
            def refused(call, text, kind=weft.Error):
                try:
                    call()
                except kind as error:
                    assert text in str(error), error
                else:
                    raise AssertionError(text)
            refused(exchange.start, "commit()")
            exchange.commit()
            refused(exchange.commit, "twice")
            refused(lambda: list_.send(right, 2, np.zeros(1)), "")
            messages = exchange.start()
            refused(exchange.start, "not waited for")
            refused(lambda: messages.ready(other), "another list")
            refused(lambda: messages.ready(arrived), "(given: ReceivePart). Use ready(part: SendPart, *, stream: object | None = None), or ready(",
                    TypeError)
            refused(lambda: weft.Timeline(1, 2, 3), "Timeline() does not take these arguments (given: int, int, int). Use Timeline(", TypeError)
            refused(lambda: weft.rank(1, 2), "rank() does not take", TypeError)
            refused(lambda: weft.Exchange(True), "communicator is True or False", TypeError)
            refused(messages.wait, "ready")
            refused(lambda: exchange.rebind("b", np.zeros(1)), "SendPart", TypeError)
            messages.ready(out)
            refused(lambda: messages.ready(out), "twice")
            messages.wait()
            refused(messages.wait, "waited for already")
            exchange.close()
            exchange.close()
            refused(exchange.start, "closed")
            refused(lambda: list_.send(right, 2, np.zeros(1)), "closed")
            refused(lambda: exchange.client("b"), "closed")
            """)


if __name__ == "__main__":
    unittest.main()
