# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the figures of collectives: panels, axes of bytes, points with their spread."""
from typing import Callable, Iterable, Optional, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from weft.monitor_figure import COLOURS
from weft.reports import Result
from weft.style import QUIET, plt

KINDS = dict(zip(("blocking", "nonblocking", "persistent"), COLOURS))
MARKERS = "osD^v*P"


def bytes_text(value: float) -> str:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if value >= size:
            return f"{value / size:.4g} {unit}"
    return f"{value:.4g} B"


def panels(count: int, columns: int, width: float = 4.2, height: float = 3.2) -> tuple[Figure, list]:
    columns = max(1, min(columns, count))
    rows = -(-count // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(width * columns, height * rows + 0.4), layout="constrained",
                                squeeze=False)
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1)
    for place in axes.flat[count:]:
        place.set_axis_off()
    for place in axes.flat[:count]:
        place.grid(color=QUIET, alpha=0.25, linewidth=0.8)
    return figure, list(axes.flat[:count])


def bytes_of(results: Iterable[Result]) -> list[float]:
    """Positions on a logarithmic axis of bytes, where 0 becomes 1."""
    return [max(1.0, float(r.key["bytes"])) for r in results]


def side_by_side(results: Sequence[Result], place: int, count: int) -> list[float]:
    """As bytes_of. Results without data would all lie at 1, so they are shifted to position `place` of `count`."""
    shift = 1.0 if any(r.key["bytes"] for r in results) else 1.12 ** (place - (count - 1) / 2)
    return [x * shift for x in bytes_of(results)]


def bytes_axis(axes, values: Iterable[float]) -> None:
    values = sorted(set(values))
    axes.set_xscale("log", base=2)
    _few_ticks(axes, [max(1, v) for v in values], bytes_text if any(values) else lambda _: "no data")
    if any(values):
        axes.set_xlabel("bytes per partner")


def _few_ticks(axes, values: Sequence[float], text: Callable[[float], str]) -> None:
    """Ticks at the measured values, but only as many as fit."""
    axes.set_xticks(values[::max(1, -(-len(values) // 6))])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: text(value)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(axis="x", labelsize=9)
    if len(values) == 1:
        axes.set_xlim(values[0] / 2, values[0] * 2)


def log_axis(axis) -> None:
    """A logarithmic axis with readable numbers, also where it spans less than a decade."""
    low, high = axis.get_view_interval()
    decades = np.log10(high / low) if low > 0 else 9
    if decades < 0.7:
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
        axis.set_minor_locator(NullLocator())
        return
    axis.set_major_locator(LogLocator(subs=(1,) if decades > 3 else (1, 3) if decades > 1.5 else (1, 2, 5), numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axis.set_minor_formatter(NullFormatter())


def delta_axis(axes, values: Iterable[float]) -> None:
    axes.set_xscale("log")
    _few_ticks(axes, sorted(set(values)), lambda value: f"{value:g}")
    axes.set_xlabel("delay delta (us)")


def spread_curve(axes, results: Sequence[Result], x: Optional[Sequence[float]] = None, **look) -> None:
    """A line through the medians, and the quartiles as a band; over bytes if x is not given."""
    x = bytes_of(results) if x is None else x
    if len(results) == 1:  # a band of no width is invisible
        axes.errorbar(x, [results[0].median], yerr=[[max(0, results[0].median - results[0].low)],
                                                    [max(0, results[0].high - results[0].median)]],
                      markersize=4.5, capsize=2.5, elinewidth=1, **look)
        return
    axes.plot(x, [r.median for r in results], markersize=4.5, **look)
    axes.fill_between(x, [r.low for r in results], [r.high for r in results], color=look["color"], alpha=0.15, linewidth=0)


def interval_curve(axes, results: Sequence[Result], x: Optional[Sequence[float]] = None, **look) -> None:
    """Values with their 95 % intervals as bars; over bytes if x is not given."""
    x = bytes_of(results) if x is None else x
    low, high = np.transpose([r.interval or (r.median, r.median) for r in results])
    middle = np.array([r.median for r in results])
    reach = np.nan_to_num(np.maximum(0, [middle - low, high - middle]))  # a bootstrap interval may lie beside the median
    axes.errorbar(x, middle, yerr=reach, markersize=4.5, capsize=2.5, elinewidth=1, **look)


def legend_below(figure: Figure, axes: Iterable) -> None:
    """One legend for all panels."""
    found: dict[str, object] = {}
    for place in axes:
        for handle, label in zip(*place.get_legend_handles_labels()):
            found.setdefault(label, handle)
    if found:
        figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=min(4, len(found)), fontsize=10)
