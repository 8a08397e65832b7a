# SPDX-License-Identifier: BSD-3-Clause
"""Results of any report: one row per result with its median and quartiles, one figure per unit."""
from typing import Iterator, Sequence

from matplotlib.figure import Figure

from weft.monitor_figure import COLOURS
from weft.panels import log_axis
from weft.reports import Report, Result
from weft.style import QUIET, plt

ROWS = 45  # per figure


def range_figures(report: Report) -> Iterator[tuple[str, str, Figure]]:
    results = [r for r in report.results.values() if r.median == r.median]
    for unit in dict.fromkeys(r.unit for r in results):
        mine = [r for r in results if r.unit == unit]
        for begin in range(0, len(mine), ROWS):
            name = f"Results in {unit}" if unit else "Results without unit"
            yield (name + (", continued" if begin else ""), "Points: medians. Bars: quartiles.",
                   _rows(mine[begin:begin + ROWS], unit))


def _rows(results: Sequence[Result], unit: str) -> Figure:
    figure, place = plt.subplots(figsize=(11.0, 0.9 + 0.26 * len(results)), layout="constrained")
    for y, r in enumerate(results):
        place.plot([r.low, r.high], [y, y], color=COLOURS[0], linewidth=5, alpha=0.3, solid_capstyle="butt")
        place.plot([r.median], [y], "o", color=COLOURS[0], markersize=4.5)
    place.set_yticks(range(len(results)), [r.what for r in results], fontsize=9)
    place.set_ylim(len(results) - 0.5, -0.5)
    least = min(min(r.low, r.median) for r in results)
    if least > 0 and max(r.high for r in results) > 30 * least:
        place.set_xscale("log")
        log_axis(place.xaxis)
    place.set_xlabel(unit)
    place.grid(axis="x", color=QUIET, alpha=0.25, linewidth=0.8)
    return figure
