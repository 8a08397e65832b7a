# SPDX-License-Identifier: BSD-3-Clause
"""weft.StepManager with clients of Python, weft.Monitors, and the overlap report."""
import unittest

from binding import PREFACE, Case, needs_module

CLIENTS = PREFACE + """
class Ring(weft.Client):
    "Sends a number around; in round 1 it sends what it got in round 0."
    def __init__(self, start, rounds=1, log=None):
        self.out, self.got = np.full(4, float(start)), np.zeros((rounds, 4))
        self.rounds, self.log, self.sums = rounds, log if log is not None else [], np.zeros(1)
    def request(self, requests):
        self.sends = [requests.send(right, 10 + r, self.out if r == 0 else self.got[r - 1], round=r) for r in range(self.rounds)]
        self.receives = [requests.receive(left, 10 + r, self.got[r], round=r) for r in range(self.rounds)]
        self.total = requests.all_reduce(self.out[:1], self.sums)
    def before(self, step):
        self.log.append(("before", step.number, step.round))
        if step.round == 0: self.out += 1
        step.ready(self.sends[step.round])
    def during(self, step):
        self.log.append(("during", step.number, step.round))
        step.progress()
    def after(self, step): self.log.append(("after", step.number, step.round))
    def finish(self, step): self.log.append(("finish", step.number, step.round))
"""


@needs_module
class Steps(Case):
    def test_callbacks_and_data_with_all_options(self):
        self.ok("""
            for options in ({}, {"coalesce": False}, {"progress": "thread"}, {"progress": "send_receive_threads"},
                            {"grouping": "per_part"}, {"defer_unpacking": True}, {"shared_memory": True}):
                manager = weft.StepManager(**options)
                a, b = Ring(rank, 2), Ring(10 * rank)
                manager.add("a", a)
                manager.add("b", b, every=2)
                for step in range(4):
                    assert manager.step == step
                    manager.run_step()
                    assert (a.got[0] == left + step + 1).all() and (a.got[1] == (left - 1) % size + step + 1).all(), (options, a.got)
                    assert a.sums[0] == sum(r + step + 1 for r in range(size))
                assert (b.got == 10 * left + 2).all() and len(b.log) == 8
                assert a.log[:7] == [("before", 0, 0), ("during", 0, 0), ("after", 0, 0), ("before", 0, 1), ("during", 0, 1),
                                     ("after", 0, 1), ("finish", 0, 0)], a.log[:7]
                assert manager.counts["steps"] == 4 and manager.options["coalesce"] == options.get("coalesce", True)
                manager.remove(b)
                manager.run_step()
                manager.close()
            """, 3, preface=CLIENTS)

    def test_lists_that_change_and_other_options(self):
        self.ok("""
            manager = weft.StepManager()
            a = Ring(rank)
            manager.add("a", a)
            manager.run_step()
            old = a.sends[0]
            a.out, a.got = np.full(9, 5. + rank), np.zeros((1, 9))
            manager.changed(a)
            manager.run_step()
            assert (a.got == left + 6).all()
            a.sends = [old]
            try:
                manager.run_step()
            except weft.Error as error: assert "another list" in str(error)
            else: raise AssertionError
            a.out[:] = 7 + rank  # a rank that heard of the failure first was not called
            manager = weft.StepManager()
            manager.add("a", a)
            for setting in weft.step_candidates()[:4]:
                manager.use(setting, keep=True)
                manager.run_step()
                assert (a.got == a.out[0] - rank + left).all()
            manager.use(progress="thread", grouping="per_part")
            assert manager.options["progress"] == "thread"
            manager.coalesce(False); assert not manager.coalesces
            manager.run_step()
            manager.activate(a, False)
            n = len(a.log); manager.run_step(); assert len(a.log) == n
            manager.start_at(100); assert manager.step == 100
            for call in (lambda: manager.add("again", a), lambda: manager.remove(Ring(0)), lambda: manager.add("c", object()),
                         lambda: manager.add('a"b', Ring(0))):
                try:
                    call()
                except (weft.Error, TypeError): pass
                else: raise AssertionError
            """, preface=CLIENTS)

    def test_clients_without_request(self):
        self.ok("""
            manager, a = weft.StepManager(), Ring(rank)
            manager.add("a", a)
            for bad, kind in (object(), TypeError), (weft.Client(), NotImplementedError):
                assert not manager.has_failed
                try:
                    manager.add("bad", bad)
                except kind as error:
                    assert "request" in str(error)
                else: raise AssertionError
            try:
                manager.run_step()
            except weft.Error as error:
                assert "NotImplementedError: Client has no method request" in str(error), error
            else: raise AssertionError
            """, preface=CLIENTS)

    def test_collectives_of_clients_know_the_number_of_ranks(self):
        self.ok("""
            class Gathers(weft.Client):
                def request(self, requests):
                    self.mine, self.all, self.swapped = np.arange(size) + 10 * rank, np.zeros(size * size, int), np.zeros(size, int)
                    self.parts = [requests.all_gather(self.mine, self.all), requests.all_to_all(self.mine, self.swapped)]
                def before(self, step):
                    for part in self.parts: step.ready(part)
            manager, client = weft.StepManager(), Gathers()
            manager.add("gathers", client)
            manager.run_step()
            assert client.all.tolist() == [10 * r + k for r in range(size) for k in range(size)], client.all
            assert client.swapped.tolist() == [10 * r + rank for r in range(size)], client.swapped
            """, 3)

    def test_a_typing_mistake_in_a_method_warns(self):
        self.ok("""
            import warnings
            class Wrong(weft.Client):
                def request(self, requests): pass
                def durring(self, step): pass
                def Before(self, step): pass
            class Right(weft.Client):
                def request(self, requests): pass
                def finished(self): pass
                def after_all(self): pass
            manager = weft.StepManager()
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                manager.add("wrong", Wrong()); manager.add("right", Right())
            texts = sorted(str(one.message) for one in seen)
            assert len(texts) == 2 and "Before(), which weft never calls. Is before() meant?" in texts[0] and "durring()" in texts[1], texts
            """)

    def test_calls_from_callbacks(self):
        self.ok("""
            class Nested(Ring):
                def after(self, step):
                    self.step = step
                    for call in (manager.run_step, manager.close, lambda: manager.measure_alone(1), lambda: manager.remove(self)):
                        try:
                            call()
                        except weft.Error: pass
                        else: raise AssertionError
                    manager.activate(self, True)
            manager = weft.StepManager()
            a = Nested(rank)
            manager.add("a", a)
            manager.run_step()
            try:
                a.step.progress()
            except weft.Error as error:
                assert "outside of a callback" in str(error)
            else: raise AssertionError
            manager.run_step()
            """, preface=CLIENTS)

    def test_a_halo_in_a_client(self):
        self.ok("""
            grid = weft.CartesianGrid((8, 8), periodic=True)
            u = grid.zeros()
            halo = weft.Halo(grid, u, scheme="by_dimension")
            class Heat(weft.Client):
                def request(self, requests): halo.request(requests)
                def before(self, step):
                    if step.round == 0: u[halo.block()] = rank + 1
            manager = weft.StepManager()
            manager.add("heat", Heat())
            manager.add("other", Ring(rank))
            manager.run_step()
            assert (u > 0).all() and (u[0, 1:-1] == grid.neighbour((-1, 0)) + 1).all()
            """, preface=CLIENTS)


@needs_module
class Monitoring(Case):
    def test_all_ways(self):
        self.ok("""
            class One:
                def __init__(self): self.seen = []
                def local(self): return rank + 1.
                def use(self, value, step): self.seen.append((value, step))
            class Three(One):
                def local(self): return np.array([rank, -rank, rank])
                def use(self, value, step): self.seen.append((value.tolist(), step))
            for way in ("nonblocking", "blocking", "rounds", "phased"):
                manager = weft.StepManager(progress="thread")
                manager.add("a", Ring(rank))
                monitors, one, three = weft.Monitors(), One(), Three()
                monitors.add(one)
                monitors.add(three, ["maximum", "min", "sum"])
                monitors.start(manager, way=way, every=5)
                for _ in range(11): manager.run_step()
                total = sum(range(1, size + 1))
                assert one.seen[:2] == [(total, 0), (total, 5)], (way, one.seen)
                assert three.seen[0] == ([size - 1, 1 - size, total - size], 0), three.seen
                monitors.stop()
                monitors.read_now(77)
                assert one.seen[-1] == (total, 77) and monitors.idle_before(78)
            for call in (lambda: monitors.add(One(), "mean"), lambda: monitors.start(manager, way="x")):
                try: call()
                except ValueError: pass
                else: raise AssertionError
            """, 3, preface=CLIENTS)

    def test_reductions_of_the_ranks_are_compared(self):
        self.ok("""
            class Monitor:
                def local(self): return 1.0
                def use(self, value, step): pass
            manager, monitors, monitor = weft.StepManager(), weft.Monitors(), Monitor()
            monitors.add(monitor, "sum")
            monitors.add(monitor, "maximum" if rank else "minimum")
            try: monitors.start(manager, "monitors")
            except weft.Error as error: assert "Monitor 1 is a maximum on rank 1, but a minimum on rank 0" in str(error), error
            else: raise AssertionError("no error")
            """)

    def test_a_nan_of_any_rank_reaches_all(self):
        self.ok("""
            class One:
                def __init__(self, who): self.who, self.got = who, []
                def local(self): return np.nan if rank == self.who else 1. + rank
                def use(self, value, step): self.got.append(value)
            for way in ("nonblocking", "blocking", "rounds", "phased"):
                manager, monitors = weft.StepManager(), weft.Monitors()
                all = [(One(who), how) for who in range(size) for how in ("minimum", "maximum", "sum")]
                for one, how in all: monitors.add(one, how)
                monitors.start(manager, way=way)
                for step in range(4): manager.run_step()
                for one, how in all: assert one.got and np.isnan(one.got).all(), (way, how, one.who, one.got)
                monitors.close()
            for who in range(size):
                for dtype in ("f4", "f8"):
                    data = np.array([np.nan if rank == who else rank, rank], dtype)
                    low, high = np.zeros(2, dtype), np.zeros(2, dtype)
                    exchange = weft.Exchange()
                    client = exchange.client("nan")
                    client.all_reduce(data, low, "minimum"); client.all_reduce(data, high, "maximum")
                    exchange.commit()
                    with exchange.start() as started: started.ready_all(0, 0)
                    assert np.isnan(low[0]) and np.isnan(high[0]) and low[1] == 0 and high[1] == size - 1, (low, high)
            """, 3)

    def test_an_exception_in_a_monitor(self):
        self.ok("""
            class Bad:
                def local(self): return "many"
                def use(self, value, step): pass
            manager, monitors = weft.StepManager(), weft.Monitors()
            monitors.add(Bad())
            monitors.start(manager)
            try:
                manager.run_step()
            except (ValueError, weft.PeerError): pass
            else: raise AssertionError
            """, preface=CLIENTS)


@needs_module
class Reports(Case):
    def test_of_a_manager(self):
        out = self.ok("""
            import json, time
            class Works(Ring):
                def during(self, step):
                    end = time.perf_counter() + 2e-3
                    while time.perf_counter() < end: step.progress()
            timeline = weft.Timeline(keep_spans=True)
            manager = weft.StepManager(timeline=timeline)
            manager.add("works", Works(rank))
            manager.run_step()
            manager.reset_counts()
            for _ in range(10): manager.run_step()
            report = manager.report(exchange_seconds=manager.measure_alone(5))
            d = report.as_dict()
            mean, works = d["mean"], d["regions"][0]
            assert d["ranks"] == size and mean["steps"] == 10 and 1.9e-3 < works["compute_seconds"] < 1, d
            assert works["name"] == "works" and works["messages"] > 0 and 0 <= works["overlap_fraction"] <= 1, works
            assert mean["needed_seconds"] > 0 and 0 <= mean["overlap_fraction"] <= 1, mean
            assert d == json.loads(report.json())
            for timeline_ in (weft.Timeline(), None):
                try: manager.use(timeline=timeline_)
                except weft.InputError as error: assert "can't be exchanged" in str(error)
                else: raise AssertionError
            try: manager.report(["work"])
            except weft.InputError as error: assert "no client 'work'" in str(error) and "'works'" in str(error)
            else: raise AssertionError
            html = report._repr_html_()
            assert "<table>" in html and "works" in html and "overlap fraction" in html
            if rank == 0: print(report)
            import tempfile, os
            path = os.path.join(tempfile.gettempdir(), f"weft-trace-{os.getppid()}.json")
            timeline.write_trace(path)
            if rank == 0:
                assert json.load(open(path)); os.remove(path)
            try:
                weft.StepManager().report()
            except weft.Error as error: assert "timeline" in str(error)
            else: raise AssertionError
            """, preface=CLIENTS)
        self.assertIn("overlap: 10 steps on 2 ranks", out)

    def test_without_a_manager(self):
        self.ok("""
            timeline = weft.Timeline()
            exchange = weft.Exchange(timeline=timeline)
            list_ = exchange.client("a")
            out = list_.send(right, 1, np.zeros(4)); list_.receive(left, 1, np.zeros(4))
            exchange.commit()
            with exchange.start() as messages:
                messages.ready(out)
                with timeline.computing("a"):
                    sum(range(10000))
            report = weft.overlap_report(timeline, 1, ["a"])
            d = report.as_dict()
            assert d["regions"][0]["compute_seconds"] > 0 and timeline.total_seconds("a", "compute") > 0 and "a" in timeline.tracks
            assert str(report).startswith("overlap: time on 2 ranks")
            """)


if __name__ == "__main__":
    unittest.main()
