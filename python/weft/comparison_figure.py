# SPDX-License-Identifier: BSD-3-Clause
"""Implementations side by side, with the speed-up for each size: the form of Niethammer et al., figures 9 and 10."""
from typing import Iterator, Sequence

from matplotlib.figure import Figure

from weft.comparison import Compared, Comparison
from weft.monitor_figure import COLOURS
from weft.overlap_figure import LINES
from weft.panels import KINDS, bytes_axis, legend_below, log_axis, panels, side_by_side, spread_curve
from weft.reports import Report
from weft.style import QUIET

ROWS = 6  # per figure


def comparison_figures(compared: Sequence[Compared]) -> Iterator[Figure]:
    of_time = [[row for row in one.rows if row.base.key.get("experiment") == "time"] for one in compared]
    names = list(dict.fromkeys(str(row.base.key["operation"]) for rows in of_time for row in rows))
    reports = [compared[0].base, *(one.other for one in compared)]
    for begin in range(0, len(names), ROWS):
        chosen = names[begin:begin + ROWS]
        figure, axes = panels(2 * len(chosen), 2, width=6.2, height=3.0)
        for number, name in enumerate(chosen):
            times, ratios = axes[2 * number:2 * number + 2]
            times.set_title(f"{name}: time (us)")
            _times(times, reports, name)
            ratios.set_title(f"{name}: speed-up over {compared[0].base.name}")
            for one, rows, colour in zip(compared, of_time, COLOURS[1:] * 9):
                _speed_up(ratios, [row for row in rows if row.base.key["operation"] == name], colour)
            ratios.axhline(1, color=QUIET, linewidth=1)
            ratios.set_yscale("log")
            low, high = ratios.get_ylim()
            ratios.set_ylim(min(low, 0.8), max(high, 1.25))
            log_axis(ratios.yaxis)
        legend_below(figure, axes)
        yield figure


def _looks(kind: object, colour: str) -> dict:
    return {"color": colour, "linestyle": dict(zip(KINDS, LINES)).get(str(kind), "-"), "marker": "o"}


def _times(place, reports: Sequence[Report], name: str) -> None:
    mine = []
    series = [(report, kind, colour) for report, colour in zip(reports, COLOURS * 9) for kind in KINDS]
    for number, (report, kind, colour) in enumerate(series):
        these = sorted((r for r in report.of(experiment="time", operation=name, kind=kind) if r.median > 0),
                       key=lambda r: r.key["bytes"])
        if these:
            x = side_by_side(these, number, len(series))
            spread_curve(place, these, x, label=f"{report.name}, {kind}", **_looks(kind, colour))
            mine += these
    place.set_yscale("log")
    bytes_axis(place, [r.key["bytes"] for r in mine])
    log_axis(place.yaxis)


def _speed_up(place, rows: Sequence[Comparison], colour: str) -> None:
    """Points are filled where the verdict is faster or slower, else hollow."""
    for number, kind in enumerate(KINDS):
        these = sorted((row for row in rows if row.base.key["kind"] == kind), key=lambda row: row.base.key["bytes"])
        if not these:
            continue
        x, y = side_by_side([row.base for row in these], number, len(KINDS)), [1 / row.change for row in these]
        look = _looks(kind, colour)
        place.plot(x, y, color=colour, linestyle=look["linestyle"])
        for a, b, row in zip(x, y, these):
            if row.interval:
                place.plot([a, a], [1 / row.interval[1], 1 / row.interval[0]], color=colour, linewidth=1)
            differs = row.verdict in ("faster", "slower")
            place.plot([a], [b], "o", color=colour, markerfacecolor=colour if differs else "white", markersize=5)
    if rows:
        bytes_axis(place, [row.base.key["bytes"] for row in rows])
