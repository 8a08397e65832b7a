# SPDX-License-Identifier: BSD-3-Clause
"""Compares the overlap fraction that weft run reports with the one of three durations: of a step's messages alone, of
its computation alone, and of both (pairs.c). Needs root, for the emulated network.

  pairs.py BUILD [LIBRARY] [--only N,N...]

Two streams that share a network take times that differ by tens of per cent from run to run, so the durations are
measured three times. Exit status 1: a report is more than 15 points outside of their range."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LIMIT = 15  # points
REPEATS = 3

SLOW = ("--latency", "1ms", "--rate", "200mbit")
FAST = ("--latency", "1ms", "--rate", "1gbit")
NEAR = ("--latency", "200us", "--rate", "1gbit")
FAR = ("--latency", "5ms", "--rate", "100mbit")
# network, messages, bytes, direction, shape, computation over communication
CASES = [
    (SLOW, 8, 250000, "both", "early", 0.2), (SLOW, 8, 250000, "both", "tests", 0.2), (SLOW, 8, 250000, "one", "tests", 0.2),
    (SLOW, 1, 1000000, "both", "early", 1), (SLOW, 1, 1000000, "one", "tests", 1), (SLOW, 4, 60000, "both", "early", 5),
    (SLOW, 16, 4000, "both", "early", 0.5), (SLOW, 2, 250000, "both", "late", 1), (SLOW, 8, 100000, "both", "half", 0.5),
    (FAST, 8, 250000, "both", "early", 0.2), (FAST, 8, 250000, "both", "tests", 0.3), (FAST, 1, 2000000, "one", "early", 1),
    (FAST, 1, 1000, "both", "early", 1), (FAST, 16, 30000, "both", "tests", 1), (FAST, 4, 100000, "one", "early", 0.3),
    (FAST, 8, 250000, "both", "waits", 2), (FAST, 2, 500000, "both", "half", 1), (FAST, 4, 8000, "both", "late", 0.5),
    (NEAR, 8, 100000, "both", "early", 0.3), (NEAR, 8, 100000, "both", "tests", 1), (NEAR, 1, 100, "both", "early", 2),
    (NEAR, 64, 2000, "both", "early", 0.5), (NEAR, 4, 400000, "one", "tests", 0.3), (NEAR, 2, 1000000, "both", "waits", 0.5),
    (FAR, 4, 100000, "both", "early", 0.2), (FAR, 4, 100000, "both", "tests", 0.5), (FAR, 1, 50000, "one", "early", 1),
    (FAR, 16, 20000, "both", "half", 2), (FAR, 8, 50000, "both", "late", 0.3), (FAR, 2, 200000, "one", "tests", 2),
]


def main(arguments: list[str]) -> int:
    only = range(len(CASES))
    if "--only" in arguments:
        only = [int(n) for n in arguments[arguments.index("--only") + 1].split(",")]
        arguments = arguments[:arguments.index("--only")]
    build = Path(arguments[0]).resolve()
    library = arguments[1] if len(arguments) > 1 else "openmpi"
    folder = Path(tempfile.mkdtemp())
    program = folder / "pairs"
    subprocess.run([f"mpicc.{library}", "-g", "-O2", Path(__file__).with_suffix(".c"), "-o", program], check=True)
    environment = {**os.environ, "MPIEXEC": f"mpirun.{library}", "TESTBED_NAME": "pairs"}
    environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    testbed = ROOT / "tools/testbed"

    def run(*words: object, **more: str) -> str:
        words = [testbed, "run", "-n", 2, program, *words]
        return subprocess.run([str(w) for w in words], env={**environment, **more}, capture_output=True, text=True,
                              check=True, timeout=300).stdout

    worst, up = 0.0, ()
    try:
        for number in only:
            network, count, size, direction, shape, ratio = CASES[number]
            if network != up:
                subprocess.run([testbed, "down"], env=environment, capture_output=True)
                subprocess.run([testbed, "up", "2", *network], env=environment, capture_output=True, check=True)
                a_second, up = float(run("calibrate")), network
            steps = 20
            alone = float(run("comm", count, size, direction, shape, 0, steps))
            rounds = round(ratio * alone * a_second)
            steps = max(20, min(400, round(1 / (alone + ratio * alone))))
            words = count, size, direction, shape, rounds, steps
            times = [[float(run(mode, *words)) for mode in ("comm", "comp", "both")] for _ in range(REPEATS)]
            alone, computing, both = (statistics.median(column) for column in zip(*times))
            all_true = [min(1, max(0, (m + p - b) / min(m, p))) for m, p, b in [*times, (alone, computing, both)]]
            run("both", *words, LD_PRELOAD=str(build / "libweft_advise.so"), WEFT_ADVISE_OUT=str(folder / "report"))
            report = json.loads((folder / "report.json").read_text())["mean"]
            said = report["overlap_fraction"]
            if shape == "late":  # nothing is in flight while it computes, whatever a pause does to the network
                all_true = [0.0]
            off = max(min(all_true) - said, said - max(all_true), 0)
            worst = max(worst, off)
            print(f"{number:2} {network[1]:5} {network[3]:7} {count:2} x {size:7} {direction:4} {shape:5} "
                  f"comm {1e3 * alone:7.2f} comp {1e3 * computing:7.2f} both {1e3 * both:7.2f} ms: "
                  f"{100 * all_true[-1]:3.0f} % ({100 * min(all_true):.0f} to {100 * max(all_true):.0f}), reported "
                  f"{100 * said:3.0f} % (messages {1e3 * report['needed_seconds']:.2f} ms)"
                  f"{'   DIFFERS' if off > LIMIT / 100 else ''}", flush=True)
    finally:
        subprocess.run([testbed, "down"], env=environment, capture_output=True)
    print(f"largest difference: {100 * worst:.0f} points")
    return 1 if worst > LIMIT / 100 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
