# SPDX-License-Identifier: BSD-3-Clause
"""Objects that end too early, too late, or not at all: nothing crashes, and no rank hangs."""
import time
import unittest

from binding import PREFACE, Case, needs_module

PAIR = """
exchange = weft.Exchange()
list_ = exchange.client("a")
source, target = np.full(1 << 18, rank), np.zeros(1 << 18, int)
out = list_.send(right, 1, source)
list_.receive(left, 1, target)
exchange.commit()
weft.barrier()
"""


@needs_module
class Lifetimes(Case):
    def test_arrays_that_the_program_drops_are_kept(self):
        self.ok(PAIR + """
import gc
view = target[:4]
messages = exchange.start()
del source, target, list_
gc.collect()
junk = [np.full(1 << 18, 99) for _ in range(4)]
messages.ready(out)
messages.wait()
assert (view == left).all()
""")

    def test_a_lent_array_is_kept_after_a_refused_call(self):
        self.ok("""
            import sys
            exchange = weft.Exchange()
            list_ = exchange.client("a")
            out = list_.send(right, 1, 80)
            list_.receive(left, 1, np.zeros(10))
            exchange.commit()
            messages = exchange.start()
            lent, other = np.zeros(10), np.zeros(10)
            messages.ready(out, lent)
            references = sys.getrefcount(lent)
            try:
                messages.ready(out, other)
            except weft.Error:
                pass
            assert sys.getrefcount(lent) == references
            messages.wait()
            """)

    def test_buffers_can_not_shrink_meanwhile(self):
        self.ok("""
            exchange = weft.Exchange()
            data = bytearray(100)
            exchange.client("a").send(right, 1, data)
            try:
                data.clear()
            except BufferError:
                pass
            else:
                raise AssertionError
            exchange.close()
            data.clear()
            """)

    def test_an_exchange_that_is_deleted_while_started(self):
        self.ok(PAIR + """
messages = exchange.start()
del exchange
messages.ready(out)
messages.wait()
assert (target == left).all()
""")
        self.ok(PAIR + """
messages = exchange.start()
messages.ready(out)
exchange.close()
assert messages.is_over
try:
    messages.wait()
except weft.Error:
    pass
""")

    def test_the_interpreter_ends_with_a_start_under_way(self):
        for end in ("messages = exchange.start()", "messages = exchange.start(); messages.ready(out)",
                    "messages = exchange.start(); messages.ready(out); import sys; sys.modules['keep'] = (messages, exchange)"):
            with self.subTest(end):
                self.ok(PAIR + end + "\nweft.barrier()\n")        # all ranks have started

    def test_of_halos_managers_and_cycles(self):
        self.ok("""
            grid = weft.CartesianGrid((8, 8))
            halo = weft.Halo(grid, grid.zeros())
            halo.start()
            class Owner(weft.Client):
                def request(self, requests):
                    requests.send(right, 1, np.zeros(2)); requests.receive(left, 1, np.zeros(2))
            owner = Owner()
            owner.manager = weft.StepManager(progress="thread")   # a cycle: the manager keeps its client
            owner.manager.add("owner", owner)
            owner.manager.run_step()
            monitors = weft.Monitors()
            fft = weft.Fft((8, 8, 8)) if hasattr(weft, "Fft") else None
            del owner
            """)

    def test_objects_that_only_a_client_holds_at_the_end(self):
        self.ok("""
            class Owns(weft.Client):
                def __init__(self):
                    self.exchange, self.late = weft.Exchange(), []
                def request(self, requests): pass
            manager = weft.StepManager()
            manager.add("owns", Owns())
            for _ in range(5):
                client = Owns()
                client.manager = weft.StepManager()
                client.manager.add("owns", client)
                grid = weft.CartesianGrid((4, 4), periodic=True)
                client.halo = weft.Halo(grid, grid.zeros())
                with client.halo.start(): pass
                client.fft = weft.Fft((4, 4, 4)) if hasattr(weft, "Fft") else None
                last = weft.Exchange()
            import gc
            gc.disable()
            del client
            """)

    def test_monitors_that_are_older_than_their_manager(self):
        self.ok("""
            import sys
            class Monitor:
                def local(self): return 1
                def use(self, value, step): pass
            monitors, manager = weft.Monitors(), weft.StepManager()
            monitors.add(Monitor())
            monitors.start(manager)
            del manager                                 # the monitors keep it, until the end of the interpreter
            sys.modules["keep"] = monitors
            """, MALLOC_PERTURB_="165")

    def test_cycles_are_collected(self):
        self.ok("""
            import gc, weakref
            class Owner(weft.Client):
                def request(self, requests): pass
            owner = Owner()
            owner.manager = weft.StepManager()
            owner.manager.add("owner", owner)
            gone = weakref.ref(owner)
            del owner
            gc.collect()
            assert gone() is None
            """)

    def test_the_error_of_another_rank_after_a_program_was_loaded(self):
        self.ok("""
            from weft import _native
            _native.load("_programs")
            exchange = weft.Exchange()
            list_ = exchange.client("a")
            out = list_.send(right, 1, np.zeros(4)); list_.receive(left, 1, np.zeros(4))
            exchange.commit()
            messages = exchange.start()
            weft.barrier()
            try:
                if rank == 0: messages.fail("on purpose")
                else: messages.ready(out), messages.wait()
            except weft.PeerError: assert rank == 1
            else: assert rank == 0
            """)

    def test_cycles_with_monitors_are_collected(self):
        self.ok("""
            import gc, weakref
            class Owner(weft.Client):
                def request(self, requests): pass
                def local(self): return 1
                def use(self, value, step): self.value = value
            def make(client, starts):
                owner = Owner()
                owner.manager, owner.monitors = weft.StepManager(), weft.Monitors()
                if client: owner.manager.add("owner", owner)
                owner.monitors.add(owner)
                if starts:
                    owner.monitors.start(owner.manager)
                    for _ in range(3): owner.manager.run_step()
                    assert owner.value == size
                return owner
            for client in (False, True):
                for starts in (False, True):
                    owner = make(client, starts)
                    gc.collect()
                    if starts: owner.manager.run_step()
                    gone = weakref.ref(owner)
                    del owner
                    gc.collect()
                    assert gone() is None, (client, starts)
            """)

    def test_monitors_that_a_callback_closes_or_drops(self):
        self.ok("""
            import gc
            class Monitor:
                def __init__(self): self.steps = []
                def local(self): return 1
                def use(self, value, step):
                    self.steps.append(step)
                    act("use")
            class Other(weft.Client):
                def request(self, requests): pass
                def before(self, step): act("before")
                def after(self, step): act("after")
            def refused(call):
                try: call()
                except weft.Error as error: assert "callback" in str(error), error
                else: raise AssertionError
            def make(way):
                global manager, monitors, monitor
                manager, monitors, monitor = weft.StepManager(), weft.Monitors(), Monitor()
                manager.add("other", Other())
                monitors.add(monitor)
                monitors.start(manager, "sums", way=way)
            for way in ("nonblocking", "blocking", "rounds", "phased"):
                for where in ("before", "use", "after"):
                    def act(at):
                        if at != where: return
                        done.append(1)
                        for call in (monitors.close, monitors.stop, lambda: monitors.read_now(0)): refused(call)
                    done = []
                    make(way)
                    for _ in range(4): manager.run_step()
                    assert done and len(monitor.steps) >= 2, (way, where)
                    monitors.close()
                    monitors.close()
                    def act(at): pass
                    manager.run_step()

                    def act(at):
                        global monitors
                        if at == where and "monitors" in globals():
                            del monitors
                            gc.collect()
                            junk = [bytearray(1000) for _ in range(100)]
                    for ends in ("step", "manager"):
                        make(way)
                        manager.run_step()
                        while "monitors" in globals(): manager.run_step()
                        seen = len(monitor.steps)
                        if ends == "step":
                            for _ in range(3): manager.run_step()
                            assert len(monitor.steps) == seen, (way, where)
                        manager.close()
                def act(at): pass
                make(way)
                def act(at): refused(monitors.close); refused(lambda: monitors.add(Monitor()))
                monitors.read_now(5)
                assert monitor.steps == [5]
                monitors.close()
                manager.close()

            def act(at):                                # a step that fails releases them, too
                global monitors
                del monitors
                raise KeyError("in use")
            make("nonblocking")
            try: manager.run_step()
            except (KeyError, weft.PeerError): pass
            else: raise AssertionError
            gc.collect()
            assert not monitor.steps and manager.has_failed
            """, MALLOC_PERTURB_="165")
    def test_an_exception_on_one_rank_reaches_the_others(self):
        done = self.fails(PAIR + """
try:
    with exchange.start() as messages:
        if rank == 1:
            raise ValueError("rank 1 has failed")
        messages.ready(out)
except weft.PeerError as error:
    print("peer error:", error)
    raise
""", "rank 1 has failed")
        self.assertIn("peer error:", done.stdout)

    def test_an_uncaught_exception_with_a_start_under_way(self):
        self.fails(PAIR + """
messages = exchange.start()
if rank == 0: messages.ready(out)
raise RuntimeError("ends here")
""", "ends here")

    def test_an_exception_after_complete_starts(self):
        done = self.fails(PAIR + """
import time
for _ in range(3):
    with exchange.start() as messages:
        messages.ready(out)
weft.barrier()
if rank == 0: raise RuntimeError("ends here")
""", "ends here")
        self.assertNotIn("can't end in order", done.stderr)

    def test_an_exception_outside_of_weft_ends_the_job(self):
        waits = {"in a start": "with exchange.start() as messages: messages.ready(out)",
                 "in a barrier": "weft.barrier()",
                 "in mpi4py": "from mpi4py import MPI; MPI.COMM_WORLD.recv(source=0)",
                 "without end": "time.sleep(60)"}
        for name, wait in waits.items():
            with self.subTest(name):
                begin = time.monotonic()
                done = self.fails("import time\n" + PAIR + f"""
weft.barrier()
if rank == 0: raise RuntimeError("ends here")
{wait}
time.sleep(60)
""", "RuntimeError: ends here")
                self.assertLess(time.monotonic() - begin, 25, done.stderr)
                self.assertIn("Traceback", done.stderr)

    def test_an_exception_of_all_ranks_needs_no_abort(self):
        done = self.fails(PAIR + """
raise RuntimeError(f"ends rank {rank}")
""", "ends rank 0")
        self.assertIn("ends rank 1", done.stderr)
        self.assertNotIn("the job is ended", done.stderr)

    def test_an_exception_does_not_end_the_job_if_it_shall_not(self):
        done = self.fails("import time\n" + PAIR + """
weft.barrier()
if rank == 0: raise RuntimeError("ends here")
time.sleep(4)
print("goes on", flush=True)
""", "ends here", WEFT_ABORT="no")
        self.assertIn("goes on", done.stdout)

    def test_an_interrupted_wait(self):
        self.ok("import os, signal, threading, time\n" + PAIR + """
def interrupt():
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGINT)
if rank == 0:
    threading.Thread(target=interrupt).start()
    begin = time.monotonic()
    messages = exchange.start()
    messages.ready(out)
    try: messages.wait()
    except KeyboardInterrupt: assert time.monotonic() - begin < 5
    else: raise AssertionError("not interrupted")
else:
    time.sleep(2)
    try:
        while True:
            with exchange.start() as messages: messages.ready(out)
    except weft.PeerError as error: assert "KeyboardInterrupt" in str(error), error
""")

    def test_a_start_that_the_other_rank_does_not_have(self):
        self.fails(PAIR + """
if rank == 0:
    messages = exchange.start()
    messages.ready(out)
print("over", flush=True)
""", "over", WEFT_GIVE_UP_SECONDS="5")

    def test_methods_with_another_object_as_self(self):
        self.ok("""
            for kind in (weft.Exchange, weft.Halo, weft.StepManager, weft.StartedExchange, weft.Requests, weft.Monitors, weft.Timeline):
                for name in dir(kind):
                    if name.startswith("__") and name not in ("__enter__", "__exit__", "__len__", "__repr__"): continue
                    for wrong in ((), (5,), ("x", 1), (kind.__new__(kind),), (weft.Progress("passive"), 0, 0)):
                        try:
                            getattr(kind, name)(*wrong)
                        except (TypeError, RuntimeError, AttributeError): pass
            """)

    def test_a_forked_process(self):
        self.ok("""
            import os
            exchange = weft.Exchange()
            child = os.fork()
            if child == 0:
                try:
                    weft.Exchange()
                except weft.Error as error:
                    raise SystemExit("forked" in str(error) and 7)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
            """, ranks=0)

    def test_a_forked_process_with_a_start_under_way(self):
        self.ok(PAIR + """
import os, sys
exchange.close()
exchange = weft.Exchange(progress="thread")
list_ = exchange.client("a")
out = list_.send(right, 1, source)
list_.receive(left, 1, target)
exchange.commit()
messages = exchange.start()
messages.ready(out)
sys.stdout.flush()
child = os.fork()
if child == 0:
    for call in messages.wait, messages.progress, exchange.start, exchange.close:
        try:
            call()
            os._exit(1)
        except weft.Error as error:
            assert "forked" in str(error), error
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
messages.wait()
assert (target == left).all()
""")

    def test_mpi_is_finalised_by_the_program(self):
        for end in ("", "messages = exchange.start()", "messages = exchange.start(); messages.ready(out)"):
            for first in ("import mpi4py.MPI\n", ""):  # which initialises MPI, or weft does
                with self.subTest(end, first=first):
                    self.ok(PAIR + end + """
more = weft.Exchange(progress="thread")
grid = weft.CartesianGrid((8, 8))
halo = weft.Halo(grid, grid.zeros())
from mpi4py import MPI
MPI.Finalize()
for call, text in ((exchange.start, "ended"), (weft.Exchange, "ended"), (halo.start, "ended"),
                   (lambda: weft.Halo(grid, grid.zeros()), "ended"), (weft.rank, "ended"), (more.commit, "ended")):
    try:
        call()
        raise AssertionError(text)
    except weft.Error as error:
        assert text in str(error), error
""", preface=first + PREFACE)

    def test_use_after_the_end(self):
        self.ok(PAIR + """
import atexit
from weft import _native
class Late:
    def __del__(self):
        try:
            exchange.start()
        except weft.Error as error:
            assert "closed" in str(error)
            print("late")
keep = Late()
""")

    def test_two_threads(self):
        self.ok(PAIR + """
import threading, time
found = []
messages = exchange.start()
if rank == 0:
    messages.ready(out)
    waiting = threading.Thread(target=messages.wait)
    waiting.start()
    time.sleep(0.3)          # the GIL is free while the other thread waits
    try:
        messages.progress()
    except weft.Error as error:
        found.append(str(error))
    waiting.join()
    assert "thread" in found[0], found
else:
    time.sleep(1)
    messages.ready(out)
    messages.wait()
assert (target == left).all()
""")

    def test_objects_that_were_not_constructed(self):
        self.ok("""
            for name in ("Exchange", "Halo", "StepManager", "StartedExchange", "Requests", "Step", "Tile", "SendPart", "Monitors"):
                kind = getattr(weft, name)
                try:
                    made = kind.__new__(kind)
                    repr(made), dir(made)
                    made.start() if hasattr(made, "start") else made.progress()
                except (TypeError, AttributeError, RuntimeError):
                    pass
            """)


if __name__ == "__main__":
    unittest.main()
