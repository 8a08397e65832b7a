# SPDX-License-Identifier: BSD-3-Clause
"""The overlap of collectives with computation over the message size: times, beta (Niethammer et al., figure 11), overlap fraction."""
from itertools import product
from typing import Iterator, Sequence

from matplotlib.figure import Figure

from weft.monitor_figure import COLOURS
from weft.panels import bytes_axis, interval_curve, legend_below, log_axis, panels, side_by_side, spread_curve
from weft.reports import Result
from weft.style import INK, QUIET

LINES = ("-", ":", "--", "-.")
ROWS = 6  # per figure


class Looks:
    """One colour per progress mode and one line style per computation, the same in all panels."""

    def __init__(self, results: Sequence[Result]) -> None:
        overlapped = [r for r in results if r.key.get("progress")]
        self.progress = dict(zip(dict.fromkeys(str(r.key["progress"]) for r in overlapped), COLOURS * 3))
        self.work = dict(zip(dict.fromkeys(str(r.key.get("computation")) for r in overlapped), LINES * 3))

    @property
    def count(self) -> int:
        """The largest number of curves in a panel."""
        return 1 + len(self.work) * (1 + len(self.progress))

    def of(self, progress: str, work: str) -> dict:
        return self._line(self.progress[progress], work) | {"label": f"{progress}, {work.replace('_', ' ')}"}

    def alone(self, work: str) -> dict:
        return self._line(QUIET, work) | {"label": f"T_comp, {work.replace('_', ' ')}"}

    def _line(self, colour: str, work: str) -> dict:
        line = self.work[work]
        first = line == LINES[0]
        return {"color": colour, "linestyle": line, "marker": "o" if first else "s",
                "markerfacecolor": colour if first else "white"}


def overlap_figures(results: Sequence[Result]) -> Iterator[Figure]:
    looks = Looks(results)
    rows = list(dict.fromkeys((r.key["operation"], r.key["kind"]) for r in results))
    for begin in range(0, len(rows), ROWS):
        chosen = rows[begin:begin + ROWS]
        figure, axes = panels(3 * len(chosen), 3, width=4.4, height=3.1)
        for number, (operation, kind) in enumerate(chosen):
            mine = sorted((r for r in results if (r.key["operation"], r.key["kind"]) == (operation, kind)),
                          key=lambda r: r.key["bytes"])
            times, beta, fraction = axes[3 * number:3 * number + 3]
            times.set_title(f"{operation}, {kind}: times (us)")
            _times(times, [r for r in mine if r.median > 0], looks)
            for place, what, name in ((beta, "beta", "benefit beta"), (fraction, "overlap_fraction", "overlap fraction")):
                place.set_title(name)
                _curves(place, [r for r in mine if r.key.get("what") == what], looks, interval_curve)
                place.axhline(0, color=QUIET, linewidth=1)
            fraction.axhline(1, color=QUIET, linewidth=1, linestyle="--")
            fraction.set_ylim(bottom=max(-1.5, fraction.get_ylim()[0]))  # older reports are not limited to 0..1
            for place in (times, beta, fraction):
                bytes_axis(place, [r.key["bytes"] for r in mine])
        legend_below(figure, axes)
        yield figure


def _times(place, mine: Sequence[Result], looks: Looks) -> None:
    alone = [r for r in mine if r.key.get("what") == "collective"]
    if alone:
        spread_curve(place, alone, side_by_side(alone, 0, looks.count), color=INK, marker="D", label="T_coll")
    for number, work in enumerate(looks.work):
        these = [r for r in mine if r.key.get("what") == "computation" and r.key.get("computation") == work]
        if these:
            spread_curve(place, these, side_by_side(these, 1 + number, looks.count), **looks.alone(work))
    _curves(place, [r for r in mine if r.key.get("what") == "overlap"], looks, spread_curve)
    if mine:
        place.set_yscale("log")
        log_axis(place.yaxis)


def _curves(place, mine: Sequence[Result], looks: Looks, draw) -> None:
    for number, (progress, work) in enumerate(product(looks.progress, looks.work), 1 + len(looks.work)):
        these = [r for r in mine if (r.key.get("progress"), r.key.get("computation")) == (progress, work)]
        if these:
            draw(place, these, side_by_side(these, number, looks.count), **looks.of(progress, work))
