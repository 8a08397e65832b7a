# SPDX-License-Identifier: BSD-3-Clause
"""mypy and pyright accept the package, the examples and the programs of docs/python, and find wrong programs; what inspect shows."""
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from binding import BUILD, ROOT, Case, needs_module
from python_blocks import blocks

PUBLIC = [ROOT / "python/weft" / f"{name}.py" for name in ("__init__", "_case", "_client", "_device_array", "_pipeline", "_shown", "box", "errors", "flow", "wave")]

RIGHT = """
import numpy as np
import weft
import weft.box
import weft.flow
import weft.wave
from typing_extensions import assert_type

exchange = weft.Exchange(progress="thread")
client = exchange.client("a")
part = client.send(0, 1, np.zeros(3))
client.receive(0, 1, np.zeros(3))
taken = client.receive_up_to(0, 2, 80)
exchange.commit()
with exchange.start() as messages:
    messages.ready(part)
size: int = exchange.take_received(taken).size
peer: int | None = None
at_the_edge = client.send(peer, 3, np.zeros(3))
assert_type(at_the_edge, weft.SendPart | None)


class Ring(weft.Client):
    def request(self, requests: weft.Requests) -> None:
        self.part = requests.send(0, 1, np.zeros(3))

    def during(self, step: weft.Step) -> None:
        step.progress()


manager = weft.StepManager(timeline=weft.Timeline())
manager.add("ring", Ring())
manager.use(progress="thread")
report: weft.OverlapReport = manager.report()
tuning = weft.tune("x", lambda setting: manager.use(setting), manager.run_step, limit_seconds=1)
weft.Pipeline([1, 2], tile=2).run(3, lambda tile, buffer: None, lambda tile, buffer: None, lambda tile, buffer: None)

grid = weft.CartesianGrid((8, 8), periodic=True)
u = grid.zeros()
u[1:-1, 1:-1] = 1.0
halo: weft.Halo = weft.Halo(grid, u, width=1, scheme="direct")
with halo.start(u):
    inner = u[halo.interior()]
for box in halo.boundary():
    u[box] += 1
graph = weft.Graph([0, 1], [0])
device = weft.TestDevice(seed=2)
queue: weft.TestQueue = device.queue()
on_device = device.array((8, 8), "f4")[1:-1]
device.launch(queue, lambda a, value: a.fill(value), on_device, 3)
halo.start(on_device, stream=queue).finish(stream=queue)
manager.run_step(stream=0)
add: weft.GraphExchange = weft.GraphExchange(graph, (u, u), (u, u, "minimum"), flow="to_owners").start()
fft = weft.Fft((16, 16, 16))
spectrum = fft.forward(np.zeros(fft.field_shape))
spectrum *= 2

case = weft.flow.Case("case.toml")
case.fluid.viscosity = "4 mPa s"
run = case.copy({"run.steps": 3}).run(on_step=lambda run: run.pressure.max() < 1)
assert_type(run, weft.flow.Run)
mean = float(run.pressure.mean())
assert_type(weft.wave.Case("case.toml").run().blocks, list[weft.wave.Block])
assert_type(weft.box.Case("case.toml").run(), weft.box.Run)
"""

WRONG = """
import numpy as np
import weft
import weft.flow

weft.Exchange(progress="threads")
weft.Exchange(grouping="per_peer", carier="messages")
weft.Exchange().client()
weft.Monitors().add(None, "mean")
weft.Timeline().total_seconds("heat", "computing")
weft.StepManager().use(progress="threads")
weft.Halo(weft.CartesianGrid((8, 8)), np.zeros((10, 10)), widht=2)
weft.Halo(weft.CartesianGrid((8, 8)), np.zeros((10, 10)), scheme="dimension")
weft.Halo()
weft.Fft((8, 8, 8), decomposition="slab")
weft.flow.Case("case.toml").run().presure
weft.flow.Case("case.toml").run(stepps=3)
"""
FIRST_WRONG = 6  # its line


def programs(folder):
    """The files to check: the examples, and each block of docs/python and RIGHT, in files of a folder."""
    files = [file for file in sorted((ROOT / "examples").rglob("*.py"))]
    for page, number, text in [*blocks(), ("right", 0, RIGHT)]:
        files.append(Path(folder, f"{page}_{number}.py"))
        files[-1].write_text(text)
    return files


class Types(unittest.TestCase):
    def lines_with_errors(self, checker, files):
        """Tuples of the file's name, the line and the message, of each error that the checker finds."""
        if not importlib.util.find_spec(checker):
            self.skipTest(f"{checker} is not installed (tools/setup-python test)")
        files = list(map(str, files))
        if checker == "mypy":
            with tempfile.TemporaryDirectory() as cache:
                done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", cache, "--no-error-summary", "--hide-error-context",
                                       *files], capture_output=True, text=True, cwd=ROOT)
            self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
            found = re.findall(r"^(.*?):(\d+): error: (.*)$", done.stdout, re.MULTILINE)
            return [(Path(file).name, int(line), message) for file, line, message in found]
        done = subprocess.run([sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", ".", *files],
                              capture_output=True, text=True, cwd=ROOT, env=os.environ | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"})
        if not done.stdout.startswith("{"):
            self.skipTest(f"pyright can't start, which needs node ({(done.stderr or done.stdout).strip().splitlines()[-1]})")
        answer = json.loads(done.stdout)
        self.assertGreaterEqual(answer["summary"]["filesAnalyzed"], len(files))
        return [(Path(one["file"]).name, one["range"]["start"]["line"] + 1, one["message"]) for one in answer["generalDiagnostics"]
                if one["severity"] == "error"]

    def test_right_programs(self):
        for checker in ("mypy", "pyright"):
            with self.subTest(checker), tempfile.TemporaryDirectory() as folder:
                self.assertEqual(self.lines_with_errors(checker, [*PUBLIC, *programs(folder)]), [])

    def test_wrong_programs(self):
        lines = {FIRST_WRONG + k for k in range(len(WRONG.strip().splitlines()) - FIRST_WRONG + 2)}
        for checker in ("mypy", "pyright"):
            with self.subTest(checker), tempfile.TemporaryDirectory() as folder:
                file = Path(folder, "wrong.py")
                file.write_text(WRONG)
                self.assertEqual({line for _, line, _ in self.lines_with_errors(checker, [file])}, lines)


@needs_module
class Shown(Case):
    def test_signatures(self):
        self.ok("""
            import inspect
            import weft.box, weft.flow, weft.wave

            def check(value, name):
                assert str(inspect.signature(value)).startswith("("), name
                for member, function in vars(value).items() if isinstance(value, type) else ():
                    if callable(function) and (not member.startswith("_") or member in ("__init__", "__enter__", "__exit__")):
                        inspect.signature(function)

            for module in (weft, weft.flow, weft.box, weft.wave):
                for name in module.__all__:
                    if name != "__version__" and (name != "Fft" or hasattr(weft, name)):
                        check(getattr(module, name), name)
            assert str(inspect.signature(weft.Timeline)) == "(keep_spans: bool = False) -> None"
            assert str(inspect.signature(weft.Timeline().computing)) == "(track: str = 'program') -> weft.Computing"
            assert list(inspect.signature(weft.StartedExchange.ready).parameters) == ["self", "part", "n_bytes", "array", "stream"]

            class Mine(weft.Exchange):
                def __init__(self, more): super().__init__()
            assert str(inspect.signature(Mine)) == "(more)"
            """, 1)

    def test_names_of_modes_are_those_of_the_errors(self):
        self.ok("""
            import inspect, re

            def check(function, name, call):
                annotation = inspect.signature(function).parameters[name].annotation
                try: call()
                except weft.InputError as error: listed = re.findall("[a-z_]+", str(error).split("Use ")[1].replace("one of", ""))
                assert set(re.findall("'([a-z_]+)'", annotation)) == set(listed) - {"or"}, (name, annotation, listed)

            for name in ("progress", "grouping", "carrier"):
                check(weft.Exchange, name, lambda: weft.Exchange(**{name: "x"}))
            check(weft.Progress, "kind", lambda: weft.Progress("x"))
            check(weft.Requests.all_reduce, "operation", lambda: weft.Exchange().client("a").all_reduce(np.zeros(1), np.zeros(1), "x"))
            check(weft.Monitors.start, "way", lambda: weft.Monitors().start(weft.StepManager(), way="x"))
            check(weft.Monitors.start, "algorithm", lambda: weft.Monitors().start(weft.StepManager(), algorithm="x"))
            grid = weft.CartesianGrid((8, 8))
            for name in ("scheme", "stencil", "payload", "flow"):
                check(weft.Halo, name, lambda: weft.Halo(grid, grid.zeros(), **{name: "x"}))
            for name in ("decomposition", "norm", "effort", "carrier") if hasattr(weft, "Fft") else ():
                check(weft.Fft, name, lambda: weft.Fft((8, 8, 8), **{name: "x"}))
            check(weft.Timeline.total_seconds, "activity", lambda: weft.Timeline().total_seconds("a", "x"))
            """, 1)

    def test_representations(self):
        self.ok("""
            exchange = weft.Exchange()
            client = exchange.client("a <b>")
            sent = client.send(0, 1, np.zeros(3))
            assert repr(client) == "<weft.Requests: 1 part>", client
            assert repr(sent) == "<weft.SendPart: part 0 of client 0>", sent
            client.receive(0, 1, np.zeros(3))
            exchange.commit()
            assert repr(exchange) == f"<weft.Exchange: {exchange.describe().splitlines()[0]}>", exchange
            with exchange.start() as messages:
                assert repr(messages) == "<weft.StartedExchange: in flight>", messages
                messages.ready(sent)
            assert repr(messages) == "<weft.StartedExchange: over>", messages
            exchange.close()
            assert repr(exchange) == "<weft.Exchange: closed>" and repr(client) == "<weft.Requests: closed>"
            assert exchange._repr_html_() == "<code>&lt;weft.Exchange: closed&gt;</code>"

            class Ring(weft.Client):
                def request(self, requests): pass
                def during(self, step): self.step = step; assert repr(step) == "<weft.Step: 0, round 0>", step
            manager, ring, monitors, timeline = weft.StepManager(), Ring(), weft.Monitors(), weft.Timeline()
            assert repr(manager) == "<weft.StepManager: step 0, 0 clients, progress polling>", manager
            manager.add("ring", ring)
            manager.run_step()
            assert repr(manager) == "<weft.StepManager: step 1, 1 client (ring), progress polling>", manager
            assert repr(ring.step) == "<weft.Step: over>"
            assert repr(monitors) == "<weft.Monitors: 0 numbers>"
            assert repr(timeline) == "<weft.Timeline: nothing recorded>"
            with timeline.computing("heat"): pass
            assert repr(timeline) == "<weft.Timeline: heat>"
            assert repr(weft.overlap_report(timeline, 1, ["heat"])).startswith("<weft.OverlapReport: overlap: time on 1 ranks")
            assert repr(weft.Progress("passive")) == "<weft.Progress: passive>"
            assert repr(weft.Pipeline([1, 2])) == "<weft.Pipeline: tile 1, window 1, 2 buffers>"
            assert repr(weft.Tuning("x")).startswith("<weft.Tuning: not tuned")
            manager.close(), monitors.close()
            assert repr(manager) == "<weft.StepManager: closed>" and repr(monitors) == "<weft.Monitors: closed>"
            for name in weft.__all__:
                value = getattr(weft, name, None)
                if isinstance(value, type) and not issubclass(value, (weft.Error, weft.Client)): assert value._repr_html_, name
            """, 1)

    def test_the_package_has_the_stub_and_the_mark(self):
        for name in ("_core.pyi", "py.typed"):
            self.assertTrue((ROOT / "python/weft" / name).is_file())


if __name__ == "__main__":
    unittest.main()
