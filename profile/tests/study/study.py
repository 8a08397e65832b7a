# SPDX-License-Identifier: BSD-3-Clause
"""How often weft run finds a lost overlap, and how often it reports one that is none: thirty pairs of programs, one with
working overlap and the same with one thing broken, on the emulated network (root). The seed draws sizes, computation,
steps and order. Prints a table in Markdown.

  study.py WEFT_RUN [--seed N] [--repeat N] [--unchanged N] [--only PROGRAM[:BROKEN],...] [--quick] [--durations]
           [--json FILE] [--work DIR]

Exit status: 1 if more than one loss in thirty is missed, or more than one alarm in a hundred is false; 77 if there is no
emulated network."""

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

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
KIBI = 1024
# program: bytes of a message (from, to), milliseconds of computation in a step (from, to), what is broken
PROGRAMS = {
    "halo1d.c": ((12 * KIBI, 40 * KIBI), (3, 8), ("early_wait", "blocking", "large")),
    "halo2d.c": ((80 * KIBI, 200 * KIBI), (8, 16), ("late_post", "barrier", "no_tests")),
    "ring.c": ((4 * KIBI, 56 * KIBI), (3, 8), ("early_wait", "late_post", "blocking")),
    "particles.c": ((12 * KIBI, 40 * KIBI), (4, 10), ("early_wait", "late_post", "large")),
    "transpose.f90": ((12 * KIBI, 40 * KIBI), (5, 12), ("early_wait", "blocking", "large")),
    "cg.f90": ((64, 4 * KIBI), (4, 10), ("late_post", "barrier", "no_tests")),
    "neighbours.f90": ((4 * KIBI, 56 * KIBI), (3, 8), ("early_wait", "late_post", "blocking")),
    "slab.py": ((4 * KIBI, 56 * KIBI), (3, 8), ("keyword", "pickle", "barrier")),
    "gradients.py": ((1 * KIBI, 8 * KIBI), (12, 20), ("keyword", "late_post", "no_tests")),
    "tasks.py": ((12 * KIBI, 40 * KIBI), (4, 10), ("keyword", "early_wait", "large")),
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
        self.environment.setdefault("TESTBED_NAME", "study")
        self.testbed = ROOT / "tools/testbed"
        self.rates: dict[str, float] = {}

    def build(self, programs: set[str]) -> None:
        for program in sorted(programs):
            if program.endswith(".py"):
                continue
            source, flags = HERE / program, ["-g", "-O2", "-o", self.folder / Path(program).stem]
            words = ["mpicc.openmpi", *flags, source] if program.endswith(".c") else \
                ["mpifort.openmpi", *flags, "-J", self.folder, HERE / "work.f90", source]
            subprocess.run([str(word) for word in words], check=True)

    def up(self) -> str:
        """Starts the network. Returns why there is none."""
        result = subprocess.run([self.testbed, "up", "2", "--latency", "1ms", "--rate", "1gbit"], env=self.environment,
                                capture_output=True, text=True)
        return "" if result.returncode == 0 else (result.stderr.strip().splitlines() or ["tools/testbed failed"])[-1]

    def down(self) -> None:
        subprocess.run([self.testbed, "down"], env=self.environment, capture_output=True)

    def command(self, program: str, *arguments: object) -> list[str]:
        what = [sys.executable, HERE / program] if program.endswith(".py") else [self.folder / Path(program).stem]
        return [str(word) for word in (self.testbed, "run", "-n", 2, *what, *arguments)]

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

    def watched(self, pair: Pair, variant: str, out: str, against: str = "") -> dict[str, object]:
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
        return {"status": result.returncode, "overlap": report["mean"]["overlap_fraction"],
                "interval": report["mean"].get("interval"), "steps": report["mean"]["steps"],
                "waited": report["environment"]["waited_for_core_share"],
                "stolen": report["environment"]["stolen_share"],
                "lines": [int(n) for n in re.findall(rf"{re.escape(pair.program)}:(\d+)", waits)],
                "said": [line for line in result.stderr.splitlines() if "(status" in line]}

    def losses(self, pairs: list[Pair]) -> list[dict[str, object]]:
        found = []
        for pair in pairs:
            works = self.watched(pair, WORKS, f"{pair.name}-works")
            broken = self.watched(pair, pair.broken, f"{pair.name}-broken", f"{pair.name}-works")
            one = {"pair": pair.name, "bytes": pair.bytes, "seconds": pair.seconds, "works": works, "broken": broken}
            if self.options.durations:
                for variant, run in ((WORKS, works), (pair.broken, broken)):
                    run["by_durations"] = self.overlap_by_durations(pair, variant)
            one["blamed"] = next((i for i, n in enumerate(broken["lines"], 1) if n in pair.lines()), 0)
            found.append(one)
            print(row_of(one), flush=True)
        return found

    def unchanged(self, pairs: list[Pair], count: int, busy: bool) -> list[dict[str, object]]:
        """Runs of programs that are as they were when their baseline was made."""
        draw = random.Random(f"{self.options.seed} {busy}")
        runs = []
        for _ in range(count):
            pair, works = draw.choice(pairs), draw.random() < 0.5
            share = draw.uniform(0.1, 1)
            out = f"{pair.name}-{'works' if works else 'broken'}"
            with Neighbour(share) if busy else contextlib.nullcontext():
                run = self.watched(pair, WORKS if works else pair.broken, "again", out)
            runs.append({"pair": pair.name, "works": works, "neighbour": share if busy else 0, **run})
            if run["status"] == 3:
                print(f"false alarm: {out}: {' '.join(run['said'])}", flush=True)
        return runs

    def losses_beside(self, pairs: list[Pair]) -> list[dict[str, object]]:
        draw = random.Random(f"{self.options.seed} beside")
        runs = []
        for pair in pairs:
            with Neighbour(draw.uniform(0.1, 1)) as neighbour:
                run = self.watched(pair, pair.broken, "beside", f"{pair.name}-works")
            runs.append({"pair": pair.name, "neighbour": neighbour.share, **run})
        return runs


def percent(run: dict[str, object]) -> str:
    low, high = run["interval"] or (run["overlap"], run["overlap"])
    by_durations = f"{100 * run['by_durations']:.0f}" if "by_durations" in run else ""
    return f"{by_durations} | {100 * run['overlap']:.0f} ({100 * low:.0f} to {100 * high:.0f})"


HEAD = """| program: what is broken | working, by durations, % | working, reported | broken, by durations, % | broken, reported | status | the broken line is |
|---|--:|--:|--:|--:|--:|--:|"""


def row_of(one: dict[str, object]) -> str:
    line = f"number {one['blamed']}" if one["blamed"] else "not named"
    return (f"| {one['pair']} | {percent(one['works'])} | {percent(one['broken'])} | {one['broken']['status']} | {line} |")


def count(runs: list[dict[str, object]], status: int) -> int:
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


def main(arguments: list[str]) -> int:
    options = options_of(arguments)
    folder = options.work or Path(tempfile.mkdtemp(prefix="weft-study-"))
    folder.mkdir(parents=True, exist_ok=True)
    study = Study(options, folder.resolve())
    if why := study.up():
        print(f"The study of weft run was not made ({why}).")
        return 77
    try:
        study.build({pair.program for pair in options.pairs})
        print(HEAD, flush=True)
        results = {"seed": options.seed, "repeat": options.repeat, "losses": study.losses(options.pairs),
                   "quiet": study.unchanged(options.pairs, options.unchanged, busy=False)}
        if options.unchanged > 0:
            results["busy"] = study.unchanged(options.pairs, options.unchanged, busy=True)
            results["losses_busy"] = study.losses_beside(options.pairs)
    finally:
        study.down()
        if not options.work:
            shutil.rmtree(folder)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    broken = [one["broken"] for one in results["losses"]]
    missed = len(broken) - count(broken, 3)
    print(f"\nfound: {count(broken, 3)} of {len(broken)}; unknown (status 4): {count(broken, 4)}; the broken line is named: "
          f"{sum(one['blamed'] > 0 for one in results['losses'])}, first: {sum(one['blamed'] == 1 for one in results['losses'])}")
    alarms = {name: count(results.get(name, []), 3) for name in ("quiet", "busy")}
    for name, what in (("quiet", "unchanged"), ("busy", "unchanged, beside a busy neighbour"),
                       ("losses_busy", "broken, beside a busy neighbour")):
        runs = results.get(name, [])
        print(f"{what}: {len(runs)}; status 3: {count(runs, 3)}, status 4: {count(runs, 4)}")
    return 1 if missed > len(broken) / 30 or max(alarms.values()) > max(1, options.unchanged / 100) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
