# SPDX-License-Identifier: BSD-3-Clause
"""Collectives with late ranks: their time, and the benefit of work done during the delay. As Niethammer et al., figures 4 to 8."""
from typing import Iterator, Sequence

from matplotlib.figure import Figure

from weft.panels import KINDS, bytes_text, delta_axis, interval_curve, legend_below, log_axis, panels, spread_curve
from weft.reports import Result
from weft.style import QUIET


ROWS = 6  # per figure


def delay_figures(delays: Sequence[Result]) -> Iterator[Figure]:
    rows = list(dict.fromkeys((r.key["operation"], r.key["bytes"]) for r in delays))
    for begin in range(0, len(rows), ROWS):
        yield _figure(delays, rows[begin:begin + ROWS])


def _figure(delays: Sequence[Result], rows: Sequence[tuple]) -> Figure:
    figure, axes = panels(2 * len(rows), 2, width=6.2, height=3.0)
    for number, row in enumerate(rows):
        mine = [r for r in delays if (r.key["operation"], r.key["bytes"]) == row]
        name = f"{row[0]}, {bytes_text(row[1])}" if row[1] else row[0]
        _times(axes[2 * number], [r for r in mine if r.key["what"] == "time" and r.median > 0], name)
        _benefits(axes[2 * number + 1], [r for r in mine if r.key["what"] == "benefit"], name)
    legend_below(figure, axes)
    return figure


def _curves(results: Sequence[Result]):
    for kind, colour in KINDS.items():
        these = sorted((r for r in results if r.key["kind"] == kind), key=lambda r: r.key["delta_us"])
        if these:
            yield these, [r.key["delta_us"] for r in these], {"color": colour, "marker": "o", "label": kind}


def _times(place, results: Sequence[Result], name: str) -> None:
    place.set_title(f"{name}: t_delta (us)")
    late = [r for r in results if r.key["delta_us"] > 0]
    for these, x, look in _curves(late):
        spread_curve(place, these, x, **look)
    for these, _, look in _curves([r for r in results if r.key["delta_us"] == 0]):
        # A line for the time without late ranks: a logarithmic axis can't show delta = 0.
        place.axhline(these[0].median, color=look["color"], linewidth=1, linestyle="--")
    if not late:
        return
    place.plot([], [], color=QUIET, linewidth=1, linestyle="--", label="t_0")
    deltas = sorted({r.key["delta_us"] for r in late})
    place.plot(deltas, deltas, color=QUIET, linestyle=":", label="delta", zorder=0)
    delta_axis(place, deltas)
    place.set_yscale("log")
    log_axis(place.yaxis)


def _benefits(place, results: Sequence[Result], name: str) -> None:
    place.set_title(f"{name}: benefit b")
    for these, x, look in _curves(results):
        interval_curve(place, these, x, **look)
    place.axhline(0, color=QUIET, linewidth=1)
    if results:
        delta_axis(place, [r.key["delta_us"] for r in results])
