# SPDX-License-Identifier: BSD-3-Clause
"""How often weft run finds a lost overlap, and how often it reports one that is none: thirty pairs of programs, one
with working overlap and the same with one thing broken, on the emulated network (root). The seed draws sizes,
computation, steps and order. Prints a table in Markdown.

Exit status: 1 if more than one loss in thirty is missed, or more than one alarm in a hundred is false; 77 if there is
no emulated network."""

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

Run = dict[str, Any]
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PYTHON = ROOT / ".venv/bin/python" if (ROOT / ".venv/bin/python").exists() else Path(sys.executable)
KIBI = 1024
# program: bytes of a message (from, to), milliseconds of computation in a step (from, to), what is broken
PROGRAMS = {
    "halo1d.c": ((24 * KIBI, 48 * KIBI), (5, 9), ("early_wait", "blocking", "large")),
    "halo2d.c": ((72 * KIBI, 120 * KIBI), (8, 14), ("late_post", "barrier", "no_tests")),
    "ring.c": ((4 * KIBI, 56 * KIBI), (2.5, 6), ("early_wait", "late_post", "blocking")),
    "particles.c": ((24 * KIBI, 48 * KIBI), (5, 9), ("early_wait", "late_post", "large")),
    "transpose.f90": ((72 * KIBI, 120 * KIBI), (10, 16), ("early_wait", "blocking", "no_tests")),
    "cg.f90": ((64, 4 * KIBI), (4, 8), ("late_post", "barrier", "blocking")),
    "neighbours.f90": ((4 * KIBI, 56 * KIBI), (2.5, 6), ("early_wait", "late_post", "blocking")),
    "slab.py": ((4 * KIBI, 56 * KIBI), (2.5, 6), ("keyword", "pickle", "barrier")),
    "gradients.py": ((1 * KIBI, 8 * KIBI), (6, 12), ("keyword", "late_post", "blocking")),
    "tasks.py": ((24 * KIBI, 48 * KIBI), (5, 9), ("keyword", "early_wait", "large")),
}
WORKS = "works"


class Pair:
    """A program and what is broken in it, with the sizes that the seed draws."""

    def __init__(self, program: str, broken: str, seed: int):
        draw = random.Random(f"{seed} {program} {broken}")
        sizes, milliseconds, _ = PROGRAMS[program]
        self.program, self.broken = program, broken
        self.bytes = draw.randrange(*sizes) // 8 * 8
        self.seconds = draw.uniform(*milliseconds) / 1e3
        self.steps = round(draw.uniform(0.6, 1.0) / self.seconds)
        self.name = f"{program}:{broken}"

    def lines(self) -> set[int]:
        """The lines that wait because of what is broken."""
        text = (HERE / self.program).read_text().splitlines()
        return {n for n, line in enumerate(text, 1) if re.search(rf"BROKEN {self.broken}\b", line)}


class Neighbour:
    """A process per core, with the ranks' priority, that computes for a share of the time."""

    CODE = """import sys, time
share = float(sys.argv[1])
while True:
    end = time.perf_counter() + 0.05 * share
    while time.perf_counter() < end: pass
    time.sleep(0.05 * (1 - share))"""

    def __init__(self, share: float):
        self.share = share

    def __enter__(self) -> "Neighbour":
        priority = os.environ.get("TESTBED_PRIO", "0")
        self.processes = [subprocess.Popen(["nice", "-n", priority, sys.executable, "-c", self.CODE, str(self.share)])
                          for _ in range(os.cpu_count() or 1)]
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


class Study:
    def __init__(self, options: argparse.Namespace, folder: Path):
        self.options, self.folder = options, folder
        self.environment = {**os.environ, "MPIEXEC": "mpirun.openmpi", "MPI4PY_MPIABI": "openmpi"}
        self.environment["TESTBED_NAME"] = f"study-{os.getpid()}"
        self.testbed = ROOT / "tools/testbed"
        self.rates: dict[str, float] = {}
        self.results: dict[str, list[Run]] = {}

    def build(self, programs: set[str]) -> None:
        for program in sorted(programs):
            if program.endswith(".py"):
                continue
            source, flags = HERE / program, ["-g", "-O2", "-o", str(self.folder / Path(program).stem)]
            fortran = ["mpifort.openmpi", *flags, "-J", str(self.folder), str(HERE / "work.f90"), str(source)]
            words = ["mpicc.openmpi", *flags, str(source)] if program.endswith(".c") else fortran
            subprocess.run(words, check=True)

    def up(self) -> str:
        """Starts the network. Returns why there is none."""
        words = [str(self.testbed), "up", "2", "--latency", "1ms", "--rate", "1gbit", "--with", str(os.getpid())]
        result = subprocess.run(words, env=self.environment, capture_output=True, text=True)
        return "" if result.returncode == 0 else (result.stderr.strip().splitlines() or ["tools/testbed failed"])[-1]

    def down(self) -> None:
        subprocess.run([self.testbed, "down"], env=self.environment, capture_output=True)

    def program(self, program: str) -> list[str]:
        is_python = program.endswith(".py")
        return [str(PYTHON), str(HERE / program)] if is_python else [str(self.folder / program.split(".")[0])]

    def command(self, program: str, *arguments: object) -> list[str]:
        return [str(word) for word in (self.testbed, "run", "-n", 2, *self.program(program), *arguments)]

    def seconds(self, program: str, *arguments: object) -> float:
        result = subprocess.run(self.command(program, *arguments), env=self.environment, capture_output=True, text=True,
                                timeout=120)
        if result.returncode != 0:
            raise SystemExit(f"{program} failed:\n{result.stderr}")
        return float(result.stdout)

    def rate(self, program: str) -> float:
        """Rounds of computation per second."""
        language = Path(program).suffix
        if language not in self.rates:
            self.rates[language] = self.seconds(program, "calibrate")
        return self.rates[language]

    def arguments(self, pair: Pair, variant: str) -> tuple[object, ...]:
        return variant, pair.bytes, round(pair.seconds * self.rate(pair.program)), pair.steps

    def overlap_by_durations(self, pair: Pair, variant: str) -> float:
        """The overlap fraction by durations of the communication, the computation, and both; not with weft run."""
        _, size, rounds, steps = self.arguments(pair, variant)
        times = []
        for _ in range(3):
            alone = self.seconds(pair.program, variant, size, 0, steps)
            both = self.seconds(pair.program, variant, size, rounds, steps)
            times.append(min(1, max(0, (alone + pair.seconds - both) / min(alone, pair.seconds))))
        return statistics.median(times)

    def watched(self, pair: Pair, variant: str, out: str, against: str = "") -> Run:
        """What weft run says of some runs of a program."""
        prefix, before = self.folder / out, ["--against", self.folder / f"{against}.json"] if against else []
        words = [self.options.weft_run, "--no-trace", "--repeat", self.options.repeat, "--out", prefix, "--markdown",
                 f"{prefix}.md", *before, "--", *self.command(pair.program, *self.arguments(pair, variant))]
        result = subprocess.run([str(word) for word in words], env=self.environment, capture_output=True, text=True,
                                timeout=600)
        if result.returncode not in (0, 3, 4):
            raise SystemExit(f"{pair.name}: weft run ended with status {result.returncode}:\n{result.stderr}")
        report = json.loads(Path(f"{prefix}.json").read_text())
        waits = Path(f"{prefix}.md").read_text().partition("Where the program waits")[2].replace("\\", "")
        line = re.compile(rf"{re.escape(pair.program)}:(\d+)(?: and (\d+))?")
        places = [[int(n) for at in line.findall(place) for n in at if n] for place in waits.split("\n- **")[1:]]
        return {"status": result.returncode, "overlap": report["mean"]["overlap_fraction"],
                "interval": report["mean"].get("interval"), "steps": report["mean"]["steps"],
                "waited": report["environment"]["waited_for_core_share"],
                "stolen": report["environment"]["stolen_share"],
                "places": places,
                "said": [line for line in result.stderr.splitlines() if "(status" in line]}

    def save(self, name: str, runs: list[Run]) -> None:
        self.results[name] = runs
        if self.options.json:
            drawn = {"seed": self.options.seed, "repeat": self.options.repeat}
            self.options.json.write_text(json.dumps({**drawn, **self.results}, indent=1) + "\n")

    def losses(self, pairs: list[Pair]) -> None:
        found: list[Run] = []
        for pair in pairs:
            works = self.watched(pair, WORKS, f"{pair.name}-works")
            broken = self.watched(pair, pair.broken, f"{pair.name}-broken", f"{pair.name}-works")
            if self.options.durations:
                for variant, run in ((WORKS, works), (pair.broken, broken)):
                    run["by_durations"] = self.overlap_by_durations(pair, variant)
            blamed = next((i for i, place in enumerate(broken["places"], 1) if pair.lines() & {*place}), 0)
            found.append({"pair": pair.name, "bytes": pair.bytes, "seconds": pair.seconds, "works": works,
                          "broken": broken, "blamed": blamed})
            print(row_of(found[-1]), flush=True)
            self.save("losses", found)

    def unchanged(self, pairs: list[Pair], name: str, busy: bool) -> None:
        """Runs of programs that are as they were when their baseline was made."""
        draw = random.Random(f"{self.options.seed} {name}")
        runs: list[Run] = []
        for _ in range(self.options.unchanged):
            pair, works, share = draw.choice(pairs), draw.random() < 0.5, draw.uniform(0.1, 1)
            out = f"{pair.name}-{'works' if works else 'broken'}"
            with Neighbour(share) if busy else contextlib.nullcontext():
                run = self.watched(pair, WORKS if works else pair.broken, "again", out)
            runs.append({"pair": pair.name, "works": works, "neighbour": share if busy else 0, **run})
            if run["status"] == 3:
                print(f"false alarm: {out}: {' '.join(run['said'])}", flush=True)
            self.save(name, runs)

    def losses_beside(self, pairs: list[Pair], name: str) -> None:
        draw = random.Random(f"{self.options.seed} {name}")
        runs: list[Run] = []
        for pair in pairs:
            with Neighbour(draw.uniform(0.1, 1)) as neighbour:
                run = self.watched(pair, pair.broken, "beside", f"{pair.name}-works")
            runs.append({"pair": pair.name, "neighbour": neighbour.share, **run})
            self.save(name, runs)


def percent(run: Run) -> str:
    low, high = run["interval"] or (run["overlap"], run["overlap"])
    by_durations = f"; {100 * run['by_durations']:.0f}" if "by_durations" in run else ""
    return f"{100 * run['overlap']:.0f} ({100 * low:.0f} to {100 * high:.0f}){by_durations}"


HEAD = """| program: what is broken | overlap, working (interval), % | broken | status | the broken line's place |
|---|--:|--:|--:|--:|"""


def row_of(one: Run) -> str:
    line = one["blamed"] or "not named"
    return f"| {one['pair']} | {percent(one['works'])} | {percent(one['broken'])} | {one['broken']['status']} | {line} |"


def count(runs: list[Run], status: int) -> int:
    return sum(run["status"] == status for run in runs)


def options_of(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft_run", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3, help="runs per report, as of weft run")
    parser.add_argument("--unchanged", type=int, default=100, help="unchanged runs, quiet and beside a neighbour")
    parser.add_argument("--only", default="", help="PROGRAM or PROGRAM:BROKEN, separated by commas")
    parser.add_argument("--quick", action="store_true", help="three pairs and three unchanged runs")
    parser.add_argument("--durations", action="store_true", help="also measures the overlap without weft run")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--self-test", action="store_true", help="only builds the programs and runs some steps")
    parser.add_argument("--work", type=Path, help="folder of the reports, which are kept")
    options = parser.parse_args(arguments)
    options.pairs = [Pair(program, broken, options.seed) for program, (_, _, all_broken) in PROGRAMS.items()
                     for broken in all_broken]
    names = options.only.split(",") if options.only else []
    for name in names:
        if not any(name in (pair.name, pair.program) for pair in options.pairs):
            parser.error(f"--only names '{name}'. Give some of {', '.join(PROGRAMS)}, or PROGRAM:BROKEN.")
    for name, least in (("repeat", 1), ("unchanged", 0)):
        if getattr(options, name) < least:
            parser.error(f"--{name} is {getattr(options, name)}. Give {least} or more.")
    if not os.access(options.weft_run, os.X_OK):
        parser.error(f"{options.weft_run} can't be run. Give the path of weft-run.")
    options.weft_run = options.weft_run.resolve()
    if names:
        options.pairs = [pair for pair in options.pairs if pair.name in names or pair.program in names]
    random.Random(options.seed).shuffle(options.pairs)
    if options.quick:
        options.pairs, options.unchanged = options.pairs[:3], min(3, options.unchanged)
    return options


def self_test(folder: Path) -> int:
    """Whether all programs are built and run, in shared memory, and each broken line is marked."""
    study = Study(argparse.Namespace(seed=1), folder)
    study.build(set(PROGRAMS))
    has_mpi4py = subprocess.run([PYTHON, "-c", "import mpi4py, numpy"], capture_output=True).returncode == 0
    launcher = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n", "2"]
    for program, (_, _, all_broken) in PROGRAMS.items():
        for broken in all_broken:
            assert Pair(program, broken, 1).lines(), f"{program} has no line with the comment BROKEN {broken}."
        if program.endswith(".py") and not has_mpi4py:
            continue
        words = [*launcher, *study.program(program), all_broken[-1], "4096", "1000", "3"]
        subprocess.run(words, env=study.environment, check=True, stdout=subprocess.DEVNULL, timeout=60)
    return 0


KINDS = {"quiet": "unchanged", "busy": "unchanged, beside a busy neighbour",
         "losses_busy": "broken, beside a busy neighbour"}


def main(arguments: list[str]) -> int:
    options = options_of(arguments)
    folder = options.work or Path(tempfile.mkdtemp(prefix="weft-study-"))
    folder.mkdir(parents=True, exist_ok=True)
    study = Study(options, folder.resolve())
    try:
        if options.self_test:
            return self_test(folder.resolve())
        if why := study.up():
            print(f"The study of weft run was not made ({why}).")
            return 77
        study.build({pair.program for pair in options.pairs})
        print(HEAD, flush=True)
        study.losses(options.pairs)
        study.unchanged(options.pairs, "quiet", busy=False)
        study.unchanged(options.pairs, "busy", busy=True)
        if options.unchanged > 0:
            study.losses_beside(options.pairs, "losses_busy")
    finally:
        study.down()
        if not options.work:
            shutil.rmtree(folder)
    losses = study.results["losses"]
    broken = [one["broken"] for one in losses]
    named = [one["blamed"] for one in losses if one["blamed"]]
    print(f"\nbroken: {len(broken)}; found (status 3): {count(broken, 3)}, status 4: {count(broken, 4)}; "
          f"the broken line is named: {len(named)}, first: {named.count(1)}")
    for name, what in KINDS.items():
        if runs := study.results.get(name):
            print(f"{what}: {len(runs)}; status 3: {count(runs, 3)}, status 4: {count(runs, 4)}")
    missed = len(broken) - count(broken, 3)
    alarms = max(count(study.results.get(name, []), 3) for name in ("quiet", "busy"))
    return 1 if missed > max(1, len(broken) / 30) or alarms > max(1, options.unchanged / 100) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
