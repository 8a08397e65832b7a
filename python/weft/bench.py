# SPDX-License-Identifier: BSD-3-Clause
"""Measures what Python adds to a halo exchange, and what Python overlaps, compared with C++ in the same process.

mpirun -n 2 python -m weft.bench [halo] [heat]
"""
import argparse
import json
import os
import socket
import sys
import time
from datetime import date
from pathlib import Path
from typing import Callable, NoReturn, Optional, Sequence

from weft.errors import InputError, is_first_rank, message
from weft.files import check_place, write_whole

DIFFUSION = 0.2  # of the heat equation: diffusivity * time step / spacing^2
EXCHANGES = 5  # of a turn of halo: few, since other programs disturb both in the same way then
ROWS = 16  # that are computed between two calls of progress(), in Python and in C++


class Ranks:
    """What all ranks must agree on."""

    def __init__(self):
        import numpy as np
        import weft
        self.rank, self.size = weft.rank(), weft.size()
        self.mine, self.largest = np.zeros(1), np.zeros(1)
        self.exchange = weft.Exchange(progress="passive")
        requests = self.exchange.client("ranks")
        self.part = requests.all_reduce(self.mine, self.largest, "maximum")
        names, all_names = np.zeros(64, "u1"), np.zeros((self.size, 64), "u1")
        name = socket.gethostname().encode()[:64]
        names[:len(name)] = list(name)
        self.exchange.commit()
        with weft.Exchange(progress="passive") as once:
            part = once.client("names").all_gather(names, all_names)
            once.commit()
            with once.start() as messages:
                messages.ready(part)
        self.hosts = sorted({bytes(row).rstrip(b"\0").decode(errors="replace") for row in all_names})

    def slowest(self, value: float) -> float:
        """The largest value of all ranks."""
        self.mine[0] = value
        with self.exchange.start() as messages:
            messages.ready(self.part)
        return float(self.largest[0])

    def seconds(self, work: Callable[[], object]) -> float:
        """The duration of some work, of the slowest rank. It begins together on all ranks."""
        import weft
        weft.barrier()
        begin = time.perf_counter()
        work()
        return self.slowest(time.perf_counter() - begin)


class Report:
    """The form of bench/bench/shared/report.hpp."""

    def __init__(self, ranks: Ranks):
        import weft
        self.ranks, cores = ranks, os.cpu_count()
        self.document = {
            "benchmark": "python",
            "machine": {"processor": processor(), "cores": cores, "nodes": len(ranks.hosts)},
            "mpi": {"library": weft.library(), "ranks": ranks.size, "more_ranks_than_cores": ranks.size > cores},
            "settings": {"date": date.today().isoformat(), "python": sys.version.split()[0], "hosts": " ".join(ranks.hosts)},
            "results": [], "notes": [], "figures": {}}

    def result(self, what: str, samples: Sequence[float], unit: str) -> float:
        """Adds the median and the quartiles of samples, and returns the median."""
        import numpy as np
        low, median, high = (float(v) for v in np.percentile(samples, (25, 50, 75)))
        self.document["results"].append({"what": what, "median": median, "low": low, "high": high, "unit": unit,
                                         "minimum": min(samples), "samples": list(samples), "outliers": []})
        return median

    def text(self) -> str:
        d = self.document
        lines = [f"weft.bench: {d['mpi']['ranks']} ranks on {d['machine']['nodes']} node{'s'[:d['machine']['nodes'] > 1]}, "
                 f"{d['machine']['cores']} cores, {d['machine']['processor']}, {d['mpi']['library']}"]
        if d["mpi"]["more_ranks_than_cores"]:
            lines.append("  warning: There are more ranks than cores. The times are not those of a machine with a core per rank.")
        lines += [f"  {name} = {value}" for name, value in d["settings"].items()]
        width = max([len(r["what"]) for r in d["results"]] + [len(name) for name in d["figures"]])
        lines.append(f"{'':{width + 4}}{'median':>10} {'quartile':>10} {'quartile':>10}")
        lines += [f"  {r['what']:{width}}  {r['median']:10.4g} {r['low']:10.4g} {r['high']:10.4g} {r['unit']}" for r in d["results"]]
        lines += [f"  {note}" for note in d["notes"]]
        return "\n".join(lines + [f"  {name:{width}}  {value:10.4g}" for name, value in d["figures"].items()])


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def counterpart(points: int, **options):
    """The same heat equation in C++, python/bindings/core/counterpart.cpp."""
    from weft import _native
    return _native.load("_core")._Counterpart(points, **options)


def measure_halo(ranks: Ranks, report: Report, options: argparse.Namespace) -> None:
    """python_halo_extra_us: the time of a start and finish from Python, less that from C++, in turns."""
    import numpy as np
    import weft
    extent = (64 * ranks.size, 64, 64)
    grid = weft.CartesianGrid(extent, periodic=True)
    halo = weft.Halo(grid, grid.zeros(), progress=options.progress)
    halo.commit()

    python, cpp = [], []
    weft.barrier()
    for turn in range(-options.halo_repeats // 10, options.halo_repeats):  # the first turns warm up
        begin = time.perf_counter()
        for _ in range(EXCHANGES):
            halo.start()
            halo.finish()
        of_python = time.perf_counter() - begin
        of_cpp = halo._repeat(EXCHANGES)
        if turn >= 0:
            python.append(of_python / EXCHANGES * 1e6)
            cpp.append(of_cpp / EXCHANGES * 1e6)
    report.document["settings"] |= {"halo": "64^3 float64 per rank, width 1, periodic, scheme direct", "halo_repeats": options.halo_repeats,
                                    "exchanges_per_turn": EXCHANGES}
    report.result("halo from Python", python, "us")
    report.result("halo from C++", cpp, "us")
    # Waits for another process last up to milliseconds on a machine that is not idle, so medians are compared.
    tenth = max(len(python) // 10, 1)
    differences = [float(np.median(python[k:k + tenth]) - np.median(cpp[k:k + tenth])) for k in range(0, len(python), tenth)]
    extra = report.result("Python - C++, medians of each tenth", differences, "us")
    if len(ranks.hosts) == 1:
        report.document["figures"]["python_halo_extra_us"] = extra
    else:
        report.document["notes"].append("python_halo_extra_us was not measured: the network's times vary by more than Python's share. Run "
                                        "halo on one node.")
    halo.close()


class Heat:
    """The heat equation of examples/python/heat.py."""

    def __init__(self, points: int, progress: str):
        import weft
        self.grid = weft.CartesianGrid((points, points), periodic=True)
        self.arrays = self.grid.zeros(), self.grid.zeros()
        self.halo = weft.Halo(self.grid, self.arrays, progress=progress)
        self.interior, self.boundary = self.halo.interior(), self.halo.boundary()

    def compute(self, old, new, box, between: Callable[[], object]) -> None:
        x, y = box
        left, right = slice(y.start - 1, y.stop - 1), slice(y.start + 1, y.stop + 1)
        for a in range(x.start, x.stop, ROWS):
            b = min(a + ROWS, x.stop)
            around = old[a - 1:b - 1, y] + old[a + 1:b + 1, y] + old[a:b, left] + old[a:b, right]
            new[a:b, y] = old[a:b, y] + DIFFUSION * (around - 4 * old[a:b, y])
            between()

    def run(self, steps: int, communicates: bool, computes: bool) -> None:
        for step in range(steps):
            old, new = self.arrays[step % 2], self.arrays[(step + 1) % 2]
            if communicates:
                self.halo.start(step)
            if computes:
                self.compute(old, new, self.interior, self.halo.progress if communicates else lambda: None)
            if communicates:
                self.halo.finish()
            if computes:
                for box in self.boundary:
                    self.compute(old, new, box, lambda: None)


def overlap_fraction(comm: float, comp: float, both: float) -> float:
    """docs/concepts.md"""
    return min(max((comm + comp - both) / min(comm, comp), 0.0), 1.0)


def measure_heat(ranks: Ranks, report: Report, options: argparse.Namespace) -> None:
    """python_overlap_ratio: the overlap fraction of the heat equation from Python, over that from C++, in turns."""
    steps = options.steps
    python = Heat(options.points, options.progress)
    inside = counterpart(options.points, progress=options.progress)
    python.run(2, True, True)
    # The C++ program computes each point so often that its computation lasts as long as Python's.
    once = min(ranks.seconds(lambda: inside.steps(steps, 1, DIFFUSION, False, True)) for _ in range(3))
    wanted = min(ranks.seconds(lambda: python.run(steps, False, True)) for _ in range(3))
    sweeps = max(1, round(wanted / once))
    ways = {"Python": lambda comm, comp: python.run(steps, comm, comp),
            "C++": lambda comm, comp: inside.steps(steps, sweeps, DIFFUSION, comm, comp)}
    times = {way: {part: [] for part in ("T_comm", "T_comp", "T")} for way in ways}
    for repeat in range(-1, options.heat_repeats):
        for part, flags in (("T_comm", (True, False)), ("T_comp", (False, True)), ("T", (True, True))):
            for way, run in ways.items():
                seconds = ranks.seconds(lambda: run(*flags)) / steps * 1e3
                if repeat >= 0:
                    times[way][part].append(seconds)
    report.document["settings"] |= {"heat_points": options.points, "heat_steps": steps, "cpp_sweeps": sweeps}
    fractions = {}
    for way, of_way in times.items():
        for part, samples in of_way.items():
            report.result(f"heat, {way}: {part}", samples, "ms")
        fractions[way] = report.result(f"heat, {way}: overlap fraction", [
            overlap_fraction(*parts) for parts in zip(of_way["T_comm"], of_way["T_comp"], of_way["T"])], "")
    if len(ranks.hosts) < 2:
        report.document["notes"].append(
            "python_overlap_ratio was not measured: all ranks are on one node, where there is next to nothing to overlap. Run it on the "
            "emulated network (docs/testbed.md), or on several nodes.")
    elif fractions["C++"] < 0.1:
        report.document["notes"].append(
            f"python_overlap_ratio was not measured: C++ overlaps nothing either ({fractions['C++']:.2f}). Choose --points so that "
            "T_comp is longer than T_comm.")
    else:
        report.document["figures"]["python_overlap_ratio"] = fractions["Python"] / fractions["C++"]
        if not os.environ.get("TESTBED_RANK"):
            report.document["notes"].append("The network is not emulated by tools/testbed: these ranks are on real nodes.")
    python.halo.close()
    inside.close()


EXAMPLES = """examples:
  mpirun -n 2 python -m weft.bench halo
  tools/testbed once 2 --latency 1ms --rate 1gbit -- -n 2 python -m weft.bench heat --json python.json

documentation: docs/results/python.md
"""


class Parser(argparse.ArgumentParser):
    """Errors are one line, of one rank."""

    def error(self, message: str) -> NoReturn:
        refuse(message[:1].upper() + message[1:].rstrip(".") + ". See --help.")
        sys.exit(2)


def refuse(text: str) -> None:
    if is_first_rank():
        print(f"weft.bench: {text}", file=sys.stderr)


def parsed(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = Parser(prog="weft.bench", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter,
                    description="Measures the overhead and the overlap of a program in Python, compared with C++ in the same process.")
    parser.add_argument("what", nargs="*", metavar="halo|heat",
                        help="halo: the cost of a halo exchange; heat: the overlap fraction of a heat equation (default: both)")
    parser.add_argument("--halo-repeats", type=int, default=2000, metavar="N",
                        help="of halo, each with 5 exchanges from Python and 5 from C++ (default: 2000)")
    parser.add_argument("--heat-repeats", type=int, default=15, metavar="N", help="of heat, at least 3 (default: 15)")
    parser.add_argument("--points", type=int, default=768, metavar="N", help="of heat, along each axis (default: 768)")
    parser.add_argument("--steps", type=int, default=100, metavar="N", help="of a repeat of heat (default: 100)")
    parser.add_argument("--progress", default="polling", metavar="MODE",
                        help="passive, polling, thread or send_receive_threads (default: polling)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also writes the report to this file")
    options = parser.parse_args(arguments)
    for name in options.what:
        if name not in ("halo", "heat"):
            raise InputError(f"Unknown measurement '{name}'. Use halo or heat.")
    for name, least in (("heat-repeats", 3), ("halo-repeats", 10), ("points", 64), ("steps", 2)):
        if (given := getattr(options, name.replace("-", "_"))) < least:
            raise InputError(f"--{name} is {given} (too small). Give {least} or more.")
    if options.json:
        check_place(options.json)
    return options


def main(arguments: Optional[Sequence[str]] = None) -> int:
    try:
        options = parsed(arguments)
        import weft
        weft.Progress(options.progress)
    except (InputError, OSError, ImportError) as error:
        refuse(message(error))
        return 2
    except (ValueError, RuntimeError) as error:  # of the extension module
        refuse(str(error))
        return 2
    ranks = Ranks()
    report = Report(ranks)
    report.document["settings"] |= {"heat_repeats": options.heat_repeats, "progress": options.progress}
    for name, measure in (("halo", measure_halo), ("heat", measure_heat)):
        if name in (options.what or ("halo", "heat")):
            measure(ranks, report, options)
    if ranks.rank == 0:
        print(report.text(), flush=True)
        if options.json:
            write_whole(options.json, json.dumps(report.document) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
