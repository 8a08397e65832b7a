# SPDX-License-Identifier: BSD-3-Clause
"""Figures of `weft bench halo`: time, bandwidth and updates over the block size, and the overlap with a computation."""
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator, Optional

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from weft.errors import InputError
from weft.monitor_figure import COLOURS
from weft.reports import Report, Spread
from weft.style import INK, QUIET, headline, plt, save

EXCHANGE = re.compile(r"(\d+(?:x\d+x\d+|\^3)) (aos|soa): ([^,]+)")
OVERLAP = re.compile(r"overlap (\S+ \w+): ([^,]+), r = ([\d.]+), (\w+), (total|overlap fraction)")
ALONE = re.compile(r"overlap (\S+ \w+): ([^,]+), exchange alone")
COMPONENTS = 19


@dataclass(frozen=True)
class Block:
    sides: tuple[int, ...]

    @classmethod
    def of(cls, name: str) -> "Block":
        return cls((int(name[:-2]),) * 3 if name.endswith("^3") else tuple(int(n) for n in name.split("x")))

    @property
    def sites(self) -> int:
        return self.sides[0] * self.sides[1] * self.sides[2]

    @property
    def halo_values(self) -> int:
        x, y, z = (n + 2 for n in self.sides)
        return (x * y * z - self.sites) * COMPONENTS

    @property
    def is_cube(self) -> bool:
        return len(set(self.sides)) == 1


Times = dict[Block, dict[str, Spread]]  # by method


def exchanges(report: Report, layout: str) -> Times:
    times: Times = {}
    for what, spread in report.results.items():
        match = EXCHANGE.fullmatch(what)
        if match and match[2] == layout:
            times.setdefault(Block.of(match[1]), {})[match[3]] = spread
    return times


def best(methods: dict[str, Spread], payload: str) -> Optional[Spread]:
    those = [s for name, s in methods.items() if f" {payload} " in f" {name} "]
    return min(those, key=lambda s: s.median, default=None)


CURVES: list[tuple[str, Callable[[dict[str, Spread]], Optional[Spread]]]] = [
    ("plain MPI, by dimension", lambda m: m.get("baseline by_dimension")),
    ("plain MPI, 26 messages", lambda m: m.get("baseline at once")),
    ("weft, whole", lambda m: best(m, "whole")),
    ("weft, reduced", lambda m: best(m, "reduced")),
    ("memcpy of the whole halo", lambda m: m.get("memcpy")),
]


def draw_halo(report: Report, directory: Path) -> list[Path]:
    paths = []
    for name, figure in halo_figures(report):
        paths.append(directory / f"halo_{name}.png")
        save(figure, paths[-1])
    if not paths:
        raise InputError("The report has neither an exchange nor an overlap (nothing can be drawn). Run weft bench halo again.")
    return paths


def halo_figures(report: Report) -> Iterator[tuple[str, Figure]]:
    """One at a time, so that only one figure is in memory."""
    layouts = {layout: times for layout in ("aos", "soa") if (times := exchanges(report, layout))}
    overlap = [match for what in report.results if (match := OVERLAP.fullmatch(what))]
    if layouts:
        yield "exchange", _draw_exchange(layouts, int(report.settings.get("element_bytes", 8)), report.title)
    if overlap:
        yield "overlap", _draw_overlap(report, overlap)


def _draw_exchange(layouts: dict[str, Times], element_bytes: int, title: str) -> Figure:
    def megabytes(block: Block) -> float:
        return block.halo_values * element_bytes * 1e-6

    panels = [("Time per exchange (us)", "whole halo (MB)", megabytes, lambda b, t: t),
              ("Effective bandwidth, eq. 4.3 (MB/s)", "whole halo (MB)", megabytes, lambda b, t: megabytes(b) / t * 1e6),
              ("Updates per rank, eq. 4.4 (million/s)", "block (thousand sites)", lambda b: b.sites / 1000, lambda b, t: b.sites / t)]
    figure, axes = plt.subplots(len(layouts), 3, figsize=(15.0, 0.8 + 4.2 * len(layouts)), layout="constrained",
                                squeeze=False)
    headline(figure, title)
    for row, (layout, times) in zip(axes, layouts.items()):
        for place, (name, x_name, x_of, y_of) in zip(row, panels):
            place.set_title(f"{layout.upper()}: {name}")
            for (label, choose), colour in zip(CURVES, [*COLOURS[:4], QUIET]):
                if "bandwidth" in name and "reduced" in label or "Time" not in name and "memcpy" in label:
                    continue  # a reduced halo is not the whole halo that the bandwidth refers to; memcpy is compared by time only
                for cubes in (True, False):
                    points = [(x_of(b), b, s) for b, methods in times.items()
                              if b.is_cube == cubes and (s := choose(methods))]
                    _curve(place, sorted(points, key=lambda p: p[0]), y_of, colour, label, cubes)
            place.set_xscale("log")
            place.set_yscale("log")
            place.set_xlabel(x_name)
            for axis in (place.xaxis, place.yaxis):
                axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
                axis.set_minor_formatter(NullFormatter())
            place.grid(color=QUIET, alpha=0.25, linewidth=0.8)
        row[0].legend(fontsize=10)
        for line, marker, fill, name in (("-", "o", INK, "cubes"), (":", "s", "white", "x : 1.5 x : 2 x")):
            row[2].plot([], [], color=INK, marker=marker, markerfacecolor=fill, linestyle=line, label=name)
        row[2].legend(*([part[-2:] for part in row[2].get_legend_handles_labels()]), fontsize=10)
    return figure


def _curve(place, points, y_of, colour, label, cubes) -> None:
    if not points:
        return
    x = [p[0] for p in points]
    y, one, other = ([y_of(b, getattr(s, which)) for _, b, s in points] for which in ("median", "low", "high"))
    place.plot(x, y, color=colour, marker="o" if cubes else "s", markersize=5, linestyle="-" if cubes else ":",
               markerfacecolor=colour if cubes else "white", label=label if cubes else None)
    place.fill_between(x, one, other, color=colour, alpha=0.15, linewidth=0)


def _draw_overlap(report: Report, overlap: list[re.Match]) -> Figure:
    alone = {m[2]: report.results[what].median for what in report.results if (m := ALONE.fullmatch(what))}
    methods = list(dict.fromkeys(m[2] for m in overlap))
    kinds = dict(zip(dict.fromkeys(m[4] for m in overlap), COLOURS))
    columns = min(3, len(methods))
    rows = 2 * ((len(methods) + columns - 1) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(5.0 * columns, 0.8 + 3.2 * rows), layout="constrained",
                                squeeze=False)
    headline(figure, f"{report.title}   {overlap[0][1]}")
    for number, method in enumerate(methods):
        total = axes[2 * (number // columns)][number % columns]
        fraction = axes[2 * (number // columns) + 1][number % columns]
        shares = sorted({float(m[3]) for m in overlap if m[2] == method})
        milliseconds = alone[method] * 1e-3
        total.plot(shares, [milliseconds * (1 + r) for r in shares], color=QUIET, linestyle=":", label="one after the other")
        total.plot(shares, [milliseconds * max(1, r) for r in shares], color=QUIET, linestyle="--", label="full overlap")
        for place, what, factor in ((total, ("total",), 1e-3), (fraction, ("overlap fraction",), 1)):
            for kind, colour in kinds.items():
                points = sorted((float(m[3]), report.results[m[0]]) for m in overlap
                                if (m[2], m[4]) == (method, kind) and m[5] in what)
                if not points:
                    continue
                x = [p[0] for p in points]
                place.plot(x, [p[1].median * factor for p in points], color=colour, marker="o", markersize=5, label=kind)
                place.fill_between(x, [p[1].low * factor for p in points], [p[1].high * factor for p in points],
                                   color=colour, alpha=0.15, linewidth=0)
            place.set_xlabel("time of the computation / of the exchange")
            place.set_xlim(left=0)
            place.grid(axis="y", color=QUIET, alpha=0.25, linewidth=0.8)
        total.set_title(f"{method}: time (ms)")
        total.legend(fontsize=9, loc="upper left")
        total.set_ylim(0, 1.35 * milliseconds * (1 + max(shares)))
        fraction.set_title("overlap fraction")
        fraction.set_ylim(-0.05, 1.1)
        fraction.axhline(1, color=QUIET, linestyle="--", linewidth=1)
    for place in axes.flat:
        if not place.lines:
            place.set_axis_off()
    return figure
