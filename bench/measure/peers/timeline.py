# SPDX-License-Identifier: BSD-3-Clause
"""A step of the tutorial's first program (plain MPI) and of its fourth stage (weft) on the emulated network, from the traces of
`weft run`. The last line is a JSON object: the duration of a step, and what each rank did during the longer
one, in ms."""
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

PROGRAMS = {"plain MPI": ["waits"], "weft": ["one_wait", "passive"]}
CELLS, STEPS = "2048", "60"


def trace(words: list, folder: Path) -> list:
    name, *rest = words
    command = ["tools/testbed", "once", "2", "--latency", "1ms", "--rate", "1gbit", "--", "-n", "2", "env",
               f"LD_PRELOAD={Path('build/release/libweft_advise.so').resolve()}", f"WEFT_ADVISE_OUT={folder / name}",
               f"build/release/examples/tutorial/{name}", CELLS, STEPS, *rest]
    subprocess.run(command, env=os.environ | {"TESTBED_PRIO": os.environ.get("TESTBED_PRIO", "-20")}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return json.loads((folder / f"{name}.trace.json").read_text())["traceEvents"]


def median_step(events: list) -> tuple[float, float]:
    """Begin and duration of the step of median duration on rank 0, among those after the start, in us."""
    marks = sorted(e["ts"] for e in events if e["ph"] == "i" and e["name"] == "step" and e["pid"] == 0)[5:-3]
    durations = [b - a for a, b in zip(marks, marks[1:])]
    middle = statistics.median_low(durations)
    return marks[durations.index(middle)], middle


def inside(events: list, begin: float, length: float) -> dict:
    """What the ranks did from `begin` on, for `length` us: [rank, from, to] of calls, [sender, receiver, from, to] of messages, in ms."""
    calls = [[e["pid"], e["ts"], e["ts"] + e["dur"]] for e in events if e["ph"] == "X" and e["dur"] > 5]
    ends = {(e["pid"], e["id"]): e["ts"] for e in events if e["ph"] == "e"}
    # A received message's span begins when it was sent (or its receive was posted, if that was later).
    flights = [[1 - e["pid"], e["pid"], e["ts"], ends[e["pid"], e["id"]]] for e in events if e["ph"] == "b" and e["name"].startswith("from ")]
    found = [[*c[:-2], round((c[-2] - begin) / 1e3, 4), round((c[-1] - begin) / 1e3, 4)] for c in [*calls, *flights]
             if c[-1] > begin and c[-2] < begin + length]
    return {"calls": [c for c in found if len(c) == 3], "flights": [c for c in found if len(c) == 4]}


with tempfile.TemporaryDirectory() as folder:
    traces = {name: trace(words, Path(folder)) for name, words in PROGRAMS.items()}
steps = {name: median_step(events) for name, events in traces.items()}
longest = max(duration for _, duration in steps.values())
shown = {name: {"step": steps[name][1] / 1e3} | inside(events, steps[name][0], longest) for name, events in traces.items()}
print(json.dumps({name: step["step"] for name, step in shown.items()} | {"events": shown}))
