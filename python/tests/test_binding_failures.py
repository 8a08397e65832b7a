# SPDX-License-Identifier: BSD-3-Clause
"""A failure is final: all ranks learn it, no array is used after the failing call, and a new object works."""
import unittest

from binding import PREFACE, Case, needs_module

FAILURES = PREFACE + """
import gc, time

def raised(call, *kinds):
    "The exception that the call raises."
    try: call()
    except kinds or weft.Error as error: return error
    raise AssertionError("no exception")

def fails(call):
    "Calls until it raises. The other ranks may have completed what rank 0 has failed in, and get the error in their next call."
    def calls():
        while True: call()
    error = raised(calls, ValueError, weft.PeerError)
    assert isinstance(error, ValueError) == (rank == 0), error
    return error

def sentence(who, error, of=0):
    return f"{who} has failed (rank {of}: {error}). Make a new one."

def all_raise(who, error, *calls, of=0):
    "Each call raises the sentence: a PeerError, but on the rank that has failed."
    for call in calls:
        got = raised(call)
        assert str(got) == sentence(who, error, of), got
        assert isinstance(got, weft.PeerError) == (rank != of), type(got)

def ring(source, target, **options):
    exchange = weft.Exchange(**options)
    list_ = exchange.client("a")
    out = list_.send(right, 1, source)
    list_.receive(left, 1, target)
    exchange.commit()
    weft.barrier()        # otherwise a rank may get the error of another one in commit()
    return exchange, out

def works():
    "A new exchange works."
    source, target = np.full(100, rank), np.zeros(100, int)
    exchange, out = ring(source, target)
    for _ in range(3):
        with exchange.start() as messages: messages.ready(out)
        assert (target == left).all()
"""


class Failing(Case):
    def ok(self, code, ranks=2, **more):
        return super().ok(code, ranks, preface=FAILURES, **more)


@needs_module
class Exchanges(Failing):
    def test_an_exception_in_the_block(self):
        self.ok("""
            for options in ({}, {"progress": "thread"}, {"progress": "send_receive_threads"}, {"shared_memory": True},
                            {"defer_unpacking": True}):
                for n in 10, 1 << 17:
                    for late in False, True:
                        source, target = np.full(n, rank), np.zeros(n, int)
                        exchange, out = ring(source, target, **options)
                        def start():
                            with exchange.start() as messages:
                                if rank == 0 and not late: raise ValueError("on purpose")
                                messages.ready(out)
                                messages.accept_all() if options.get("defer_unpacking") else None
                                if rank == 0: raise ValueError("on purpose")
                        fails(start)
                        # Nothing uses the arrays any more.
                        source[:] = -1
                        received = target.copy()
                        del source
                        gc.collect()
                        junk = [np.full(n, 99) for _ in range(4)]
                        weft.barrier()
                        assert (target == received).all() and exchange.has_failed
                        all_raise("The exchange of 'a'", "ValueError: on purpose", exchange.start, exchange.start,
                                  lambda: exchange.rebind(out, np.zeros(n)), lambda: exchange.sent_bytes(out), exchange.commit)
            works()
            """, 3, MALLOC_PERTURB_="165")

    def test_handles_of_a_failed_exchange(self):
        self.ok("""
            exchange, out = ring(np.zeros(4), np.zeros(4))
            messages = exchange.start()
            assert not messages.has_failed
            weft.barrier()                             # all ranks have started
            if rank == 0:
                messages.fail("why not")
                assert messages.is_over and messages.has_failed
            else:
                messages.ready(out)
                raised(messages.wait, weft.PeerError)
            all_raise("The exchange of 'a'", "why not", messages.wait, messages.progress, messages.test, lambda: messages.ready(out),
                      messages.ready_all, messages.accept_all, exchange.start)
            exchange.fail("twice")                     # the first counts
            all_raise("The exchange of 'a'", "why not", exchange.start)
            exchange.close()
            assert "closed" in str(raised(lambda: exchange.has_failed))
            assert "closed" in str(raised(lambda: exchange.fail("late")))
            messages.fail("late")
            works()
            """)

    def test_a_rank_fails_between_two_starts(self):
        self.ok("""
            exchange, out = ring(np.zeros(4), np.zeros(4))
            def start():
                with exchange.start() as messages: messages.ready(out)
            start()
            weft.barrier()
            if rank == 1: exchange.fail("no more data")
            else: raised(lambda: [start() for _ in range(100000)], weft.PeerError)
            all_raise("The exchange of 'a'", "no more data", start, of=1)
            """, 3)

    def test_a_mistake_is_no_failure(self):
        self.ok("""
            target = np.zeros(4)
            exchange, out = ring(np.full(4, 1. + rank), target)
            messages = exchange.start()
            raised(messages.wait), raised(exchange.start), raised(lambda: messages.accept(out), TypeError)
            messages.ready(out)
            raised(lambda: messages.ready(out))
            messages.wait()
            assert (target == left + 1).all() and not exchange.has_failed
            """)

    def test_texts_of_exceptions(self):
        self.ok("""
            class Mute(Exception):
                def __str__(self): raise RuntimeError("no text")
            class Long(Exception): pass
            for error, text in ((KeyError("a"), "KeyError: 'a'"), (ZeroDivisionError(), "ZeroDivisionError"), (Mute(), "Mute"),
                                (weft.Error("A sentence. Another."), "A sentence. Another."), (KeyboardInterrupt(), "KeyboardInterrupt"),
                                (Long("x" * 5000), "Long: " + "x" * 1994), (ValueError("\\u00e4\\u00f6"), "ValueError: \\u00e4\\u00f6")):
                exchange, out = ring(np.zeros(4), np.zeros(4))
                def start():
                    with exchange.start() as messages:
                        if rank == 0: raise error
                        messages.ready(out)
                got = raised(start, BaseException)
                assert got is error if rank == 0 else str(got) == sentence("The exchange of 'a'", text), got
            """)

    def test_a_dropped_handle(self):
        self.ok("""
            target = np.zeros(1 << 18, int)
            exchange, out = ring(np.full(1 << 18, rank), target)
            messages = exchange.start()
            messages.ready(out)
            del messages                       # ready: waited for
            assert (target == left).all()
            messages = exchange.start()
            weft.barrier()                     # all ranks have started
            del messages                       # not ready: the exchange fails
            assert exchange.has_failed and "a start was not waited for" in str(raised(exchange.start))
            works()
            """)

    def test_rebinding_after_a_failure_frees_no_array_too_early(self):
        self.ok("""
            n = 64 << 20
            exchange = weft.Exchange()
            list_ = exchange.client("c")
            if rank == 0: big, never = list_.send_up_to(1, 1, n), list_.send(1, 2, np.zeros(4))
            else: got, _ = list_.receive_up_to(0, 1, n), list_.receive(0, 2, np.zeros(4))
            exchange.commit()
            weft.barrier()
            def start():
                with exchange.start() as messages:
                    if rank == 1: return
                    messages.ready(big, np.ones(n, np.uint8))
                    raise ValueError("on purpose")
            if rank == 1: time.sleep(1)
            raised(start, ValueError, weft.PeerError)
            if rank == 0: all_raise("The exchange of 'c'", "ValueError: on purpose", lambda: exchange.rebind(big, np.zeros(8, np.uint8)))
            gc.collect()
            junk = [np.full(n, 7, np.uint8) for _ in range(2)]
            """, MALLOC_PERTURB_="165")

    def test_a_binding_is_kept_while_a_start_lends_memory(self):
        self.ok("""
            exchange = weft.Exchange()
            list_ = exchange.client("c")
            target = np.zeros(1000, int)
            out = list_.send(right, 1, target.nbytes)
            list_.receive(left, 1, target)
            exchange.commit()
            exchange.rebind(out, np.full(1000, 10 + rank))       # until the next rebind()
            for _ in range(3):
                with exchange.start() as messages: messages.ready(out, np.full(1000, 20 + rank))     # in this start
                gc.collect()
                junk = [np.full(1000, 99) for _ in range(50)]
                assert (target == 20 + left).all()
                with exchange.start() as messages: messages.ready(out)
                assert (target == 10 + left).all(), target
            exchange.rebind(out, np.full(1000, 30 + rank))
            with exchange.start() as messages: messages.ready(out)
            assert (target == 30 + left).all()

            class Lends(weft.Client):
                def request(self, requests):
                    self.out = requests.send(right, 1, target.nbytes)
                    requests.receive(left, 1, target)
                def before(self, step):
                    step.ready(self.out, *([np.full(1000, 20 + rank)] if step.number % 2 == 0 else []))
                def after(self, step):
                    assert (target == (20 if step.number % 2 == 0 else 10) + left).all(), (target, step.number)
                    gc.collect()
            manager, lends = weft.StepManager(), Lends()
            manager.add("lends", lends)
            manager.rebind(lends, lends.out, np.full(1000, 10 + rank))
            for _ in range(6): manager.run_step()
            """, MALLOC_PERTURB_="165")

    def test_objects_are_collected_in_any_order(self):
        self.ok("""
            import itertools
            for order in itertools.permutations(("exchange", "messages", "source", "target")):
                names = dict(source=np.full(1 << 15, rank), target=np.zeros(1 << 15, int))
                names["exchange"], names["out"] = ring(names["source"], names["target"])
                names["messages"] = names["exchange"].start()
                weft.barrier()                             # all ranks have started
                if rank == 0: names["messages"].fail("any order")
                else: names["messages"].ready(names["out"]), raised(names["messages"].wait, weft.PeerError)
                for name in order:
                    del names[name]
                    gc.collect()
            works()
            """, MALLOC_PERTURB_="165")

    def test_with_an_exchange(self):
        self.ok("""
            def run():
                with weft.Exchange() as exchange:
                    list_ = exchange.client("a")
                    out = list_.send(right, 1, np.zeros(4))
                    list_.receive(left, 1, np.zeros(4))
                    exchange.commit()
                    for k in range(10):
                        if rank == 0 and k == 5: raise ValueError("between starts")
                        with exchange.start() as messages: messages.ready(out)
            error = raised(run, ValueError, weft.PeerError)
            assert rank == 0 or str(error) == sentence("The exchange of 'a'", "ValueError: between starts"), error
            works()
            """)

    def test_a_rank_that_never_starts_again_ends_the_job(self):
        self.fails("""
            exchange = weft.Exchange()
            list_ = exchange.client("a")
            out, _ = list_.send(right, 1, np.zeros(1 << 20)), list_.receive(left, 1, np.zeros(1 << 20))
            exchange.commit()
            if rank == 0:
                with exchange.start() as messages:
                    messages.ready(out)
                    raise ValueError("on purpose")
            import time
            time.sleep(60)
            """, "MPI may still use memory of the program", WEFT_GIVE_UP_SECONDS="3")


@needs_module
class Halos(Failing):
    def test_an_exception_in_the_block(self):
        self.ok("""
            for scheme in "direct", "by_dimension":
                grid = weft.CartesianGrid((300, 300), periodic=True)
                u = grid.zeros(components=(9,))
                halo = weft.Halo(grid, u, scheme=scheme)
                halo.fail("nothing to fail")       # before commit()
                assert not halo.has_failed
                with halo.start(): pass
                weft.barrier()
                def start():
                    with halo.start():
                        if rank == 0: raise ValueError("on purpose")
                fails(start)
                u[:] = 7
                weft.barrier()
                assert (u == 7).all() and halo.has_failed and not halo.is_active
                all_raise("The exchange of 'halo'", "ValueError: on purpose", halo.start, halo.finish, halo.progress, halo.test, start)
                del u, halo
                gc.collect()
                u = grid.zeros()
                halo = weft.Halo(grid, u)
                u[halo.block()] = rank + 1
                with halo.start(): pass
                assert (u[1:-1, 0] > 0).all()
            """, 3)

    def test_a_start_that_was_not_finished(self):
        self.ok("""
            grid = weft.CartesianGrid((8, 8), periodic=True)
            halo = weft.Halo(grid, grid.zeros())
            halo.start()
            weft.barrier()        # otherwise a rank may get the error of another one in its first start()
            if rank == 0: assert "before finish()" in str(raised(halo.start))
            else: raised(lambda: [(halo.finish(), halo.start()) for _ in range(100000)], weft.PeerError)
            all_raise("The exchange of 'halo'", "start() was called again before finish()", halo.start)
            halo.close()
            works()
            """)


CLIENTS = FAILURES + """
class Ring(weft.Client):
    "Sends its number around, in two rounds."
    fails_in, why = None, "on purpose"
    def __init__(self):
        self.out, self.got = np.full(1 << 15, rank), np.zeros((2, 1 << 15), int)
    def request(self, requests):
        self.act("request")
        for r in range(2):
            requests.send(right, r, self.out, round=r)
            requests.receive(left, r, self.got[r], round=r)
    def act(self, where):
        if self.fails_in == where: raise ValueError(self.why)
    def before(self, step): self.act("before")
    def during(self, step): self.act("during")
    def after(self, step):
        self.act("after")
        if step.round == 1: self.act("last")
    def finish(self, step): self.act("finish")
"""


@needs_module
class Steps(Case):
    def ok(self, code, ranks=2, **more):
        return super().ok(code, ranks, preface=CLIENTS, **more)

    def test_an_exception_in_each_callback(self):
        self.ok("""
            for options in {}, {"progress": "thread"}, {"coalesce": False, "defer_unpacking": True}:
                for where in "before", "during", "after", "last", "finish":
                    manager, a, b = weft.StepManager(**options), Ring(), Ring()
                    manager.add("a", a)
                    manager.add("b", b)
                    manager.run_step()
                    weft.barrier()
                    if rank == 0: a.fails_in = where
                    fails(manager.run_step)
                    a.out[:], b.out[:] = -1, -1            # nothing uses them any more
                    received = b.got.copy()
                    all_raise("The StepManager", "ValueError: on purpose", manager.run_step, manager.run_step, lambda: manager.changed(a),
                              lambda: manager.add("c", Ring()), lambda: manager.remove(a), lambda: manager.step,
                              lambda: manager.start_at(1), lambda: manager.counts, manager.describe)
                    assert manager.has_failed
                    weft.barrier()
                    assert (b.got == received).all()
            manager, a = weft.StepManager(), Ring()
            manager.add("a", a)
            manager.run_step()
            assert (a.got == left).all()
            """, 3)

    def test_an_exception_in_request(self):
        self.ok("""
            manager, a, bad = weft.StepManager(), Ring(), Ring()
            manager.add("a", a)
            if rank == 0: bad.fails_in = "request"
            added = []
            fails(lambda: manager.run_step() if added else (added.append(1), manager.add("bad", bad)))
            all_raise("The StepManager", "ValueError: on purpose", manager.run_step)
            manager, a = weft.StepManager(), Ring()
            manager.add("a", a)
            manager.run_step()
            weft.barrier()
            a.out, a.fails_in = a.out.copy(), "request" if rank == 0 else None
            fails(lambda: (manager.changed(a), manager.run_step()))
            all_raise("The StepManager", "ValueError: on purpose", manager.run_step)
            """, 3)

    def test_fail_between_steps_and_in_a_callback(self):
        self.ok("""
            for where in "between", "during":
                class Fails(Ring):
                    def during(self, step):
                        if where == "during" and rank == 0: manager.fail("enough")
                manager, a = weft.StepManager(), Fails()
                manager.add("a", a)
                if where == "between":
                    manager.run_step()
                    weft.barrier()
                    if rank == 0: manager.fail("enough")
                raised(lambda: [manager.run_step() for _ in range(100000)])
                all_raise("The StepManager", "enough", manager.run_step)
                manager.fail("again")
                manager.close()
            """, 3)

    def test_with_a_manager(self):
        self.ok("""
            def run():
                with weft.StepManager() as manager:
                    manager.add("a", Ring())
                    for k in range(10):
                        if rank == 0 and k == 5: raise ValueError("between steps")
                        manager.run_step()
            error = raised(run, ValueError, weft.PeerError)
            assert rank == 0 or str(error) == sentence("The StepManager", "ValueError: between steps"), error
            works()
            """)

    def test_objects_are_collected_in_any_order(self):
        self.ok("""
            import itertools
            for order in itertools.permutations(("manager", "a", "arrays", "error")):
                a = Ring()
                if rank == 0: a.fails_in = "during"
                names = dict(manager=weft.StepManager(progress="thread"), a=a, arrays=[a.out, a.got])
                names["manager"].add("a", a)
                names["error"] = fails(names["manager"].run_step)
                a = None
                for name in order:
                    del names[name]
                    gc.collect()
            works()
            """, MALLOC_PERTURB_="165")

    def test_monitors(self):
        self.ok("""
            for way in "nonblocking", "blocking", "rounds", "phased":
                for where in "local", "use":
                    class Monitor:
                        def local(self):
                            if where == "local" and rank == 0: raise ValueError("of a monitor")
                            return 1
                        def use(self, value, step):
                            if where == "use" and rank == 0: raise ValueError("of a monitor")
                    manager, monitors = weft.StepManager(), weft.Monitors()
                    monitors.add(Monitor())
                    monitors.start(manager, way=way)
                    weft.barrier()
                    fails(manager.run_step)
                    all_raise("The StepManager", "ValueError: of a monitor", manager.run_step)
                    if rank == 0: monitors.close(), manager.close()
                    else: manager.close(), monitors.close()
            works()
            """, 3)


@needs_module
class Pipelines(Failing):
    def test_an_exception_with_exchanges_in_flight(self):
        self.ok("""
            for progress in "passive", "thread":
                for where in "compute", "communicate", "consume":
                    buffers = []
                    for _ in range(3):
                        source, target = np.full(1 << 15, rank), np.zeros(1 << 15, int)
                        buffers.append((*ring(source, target, progress=progress), source, target))
                    def act(at, tile):
                        if at == where and rank == 0 and tile.index == 5: raise ValueError("on purpose")
                    def communicate(tile, buffer):
                        act("communicate", tile)
                        messages = buffer[0].start()
                        messages.ready(buffer[1])
                        return messages
                    fails(lambda: weft.pipeline(30, lambda t, b: act("compute", t), communicate, lambda t, b: act("consume", t),
                                                window=2, buffers=buffers, tiles=30))
                    for exchange, out, source, target in buffers: source[:], target[:] = -1, -2
                    weft.barrier()
                    for exchange, out, source, target in buffers: assert (target == -2).all()
                    failed = [exchange for exchange, *_ in buffers if exchange.has_failed]
                    assert failed
                    for exchange in failed:
                        error = str(raised(exchange.start))
                        assert "The exchange of 'a' has failed (rank " in error, error
            works()
            """)


@needs_module
class Transforms(Failing):
    def setUp(self):
        if super().ok('print("fft" if hasattr(weft, "Fft") else "none")\n', 1).startswith("none"):
            self.skipTest("weft was built without a serial transform (FFTW or pocketfft)")

    def test_fail_between_transforms(self):
        for carrier in "messages", "collective":
            with self.subTest(carrier):
                self.ok(f"""
                    fft = weft.Fft((8, 8, 8), carrier={carrier!r}, effort="estimate")
                    field = np.ones(fft.field_shape)
                    wanted = fft.forward(field)
                    weft.barrier()
                    if rank == 0: fft.fail("no field")
                    else: raised(lambda: [fft.forward(field) for _ in range(100000)], weft.PeerError)
                    all_raise("The Fft", "no field", lambda: fft.forward(field), lambda: fft.inverse(wanted))
                    assert fft.has_failed
                    def run():
                        with weft.Fft((8, 8, 8), effort="estimate") as fft:
                            for k in range(4):
                                assert (fft.forward(field) == wanted).all()
                                if rank == 0 and k == 1: raise ValueError("on purpose")
                    error = raised(run, ValueError, weft.PeerError)
                    assert rank == 0 or str(error) == sentence("The Fft", "ValueError: on purpose"), error
                    works()
                    """, 3)

    def test_a_wrong_array_on_one_rank(self):
        for first in True, False:
            with self.subTest(first=first):
                self.ok(f"""
                    fft = weft.Fft((8, 8, 8), effort="estimate")
                    field = np.ones(fft.field_shape)
                    if not {first}: wanted = fft.forward(field)
                    begin = weft.now_seconds()
                    if rank == 1: raised(lambda: fft.forward(field.astype("f4")), weft.InputError)
                    else:
                        error = raised(lambda: fft.forward(field), weft.PeerError)
                        assert "rank 1" in str(error) and "float64" in str(error), error
                    assert weft.now_seconds() - begin < 10
                    works()
                    """, 3)


if __name__ == "__main__":
    unittest.main()
