# SPDX-License-Identifier: BSD-3-Clause
"""Delayed starts over the number of ranks, from reports of several numbers of ranks. The axes of Niethammer et al., figures 4 to 8."""
from typing import Iterator, Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from weft.delay_figure import ROWS
from weft.monitor_figure import COLOURS
from weft.overlap_figure import LINES
from weft.panels import KINDS, bytes_text, interval_curve, legend_below, log_axis, panels, spread_curve
from weft.reports import Report, Result
from weft.style import QUIET

Point = tuple[int, Result]  # number of ranks, and their result


def ranks_figures(reports: Sequence[Report]) -> Iterator[tuple[str, Figure]]:
    """Name and figure per MPI library; no figure if all its reports have the same number of ranks."""
    for library in dict.fromkeys(str(r.mpi["library"]) for r in reports):
        points = [(int(report.mpi["ranks"]), r) for report in reports if report.mpi["library"] == library
                  for r in report.of(experiment="delay") if r.median == r.median]
        if len({ranks for ranks, _ in points}) > 1:
            rows = list(dict.fromkeys((r.key["operation"], r.key["bytes"]) for _, r in points))
            for begin in range(0, len(rows), ROWS):
                yield library, _figure(points, rows[begin:begin + ROWS])


def _figure(points: Sequence[Point], rows: Sequence[tuple]) -> Figure:
    figure, axes = panels(2 * len(rows), 2, width=6.2, height=3.0)
    colours = dict(zip(sorted({r.key["delta_us"] for _, r in points}), COLOURS * 9))
    for number, (operation, size) in enumerate(rows):
        name = f"{operation}, {bytes_text(size)}" if size else operation
        for place, what, title, draw in ((axes[2 * number], "time", "t_delta (us)", spread_curve),
                                         (axes[2 * number + 1], "benefit", "benefit b", interval_curve)):
            place.set_title(f"{name}: {title}")
            mine = [(ranks, r) for ranks, r in points
                    if (r.key["operation"], r.key["bytes"], r.key["what"]) == (operation, size, what)]
            _curves(place, mine, colours, draw)
            if what == "time":
                place.set_yscale("log")
                log_axis(place.yaxis)
            else:
                place.axhline(0, color=QUIET, linewidth=1)
            place.set_xscale("log", base=2)
            place.set_xticks(sorted({ranks for ranks, _ in points}))
            place.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            place.xaxis.set_minor_formatter(NullFormatter())
            place.set_xlabel("ranks")
    legend_below(figure, axes)
    return figure


def _curves(place, points: Sequence[Point], colours: dict[float, str], draw) -> None:
    for kind, line in zip(KINDS, LINES):
        for delta, colour in colours.items():
            these = sorted(((ranks, r) for ranks, r in points if (r.key["kind"], r.key["delta_us"]) == (kind, delta)),
                           key=lambda point: point[0])
            if these:
                draw(place, [r for _, r in these], [ranks for ranks, _ in these], color=colour, linestyle=line, marker="o",
                     label=f"{kind}, delta {delta:g} us" if delta else f"{kind}, t_0")
