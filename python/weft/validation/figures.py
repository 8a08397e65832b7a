# SPDX-License-Identifier: BSD-3-Clause
"""Plots of the page docs/validation.md."""
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

from weft.monitor_figure import COLOURS
from weft.panels import MARKERS, legend_below, log_axis, panels
from weft.style import INK, QUIET, save

WALLS = {"half-way": COLOURS[1], "bouzidi": COLOURS[0]}


@dataclass(frozen=True)
class Curve:
    label: str
    voxels: Sequence[float]
    errors: Sequence[float]
    colour: str
    marker: str = "o"
    line: str = "-"


def new_figure(count: int, columns: int = 0, height: float = 3.4):
    return panels(count, columns or count, 4.4, height)


def finish(figure, path: Path, below: Sequence = ()) -> None:
    """One common legend for the axes in `below`; the others have their own."""
    legend_below(figure, below)
    save(figure, path, dpi=95)  # small files, since the repository contains them


def spread_out(r: np.ndarray, count: int = 90) -> np.ndarray:
    """`count` sites whose distances to the axis (over the radius) are about evenly spaced."""
    sorted_r = np.argsort(r)
    places = np.searchsorted(r[sorted_r], np.linspace(0, min(1.0, r.max()), count))
    return np.unique(sorted_r[np.minimum(places, len(r) - 1)])


def convergence(axes, title: str, curves: Sequence[Curve], with_orders: bool = True) -> None:
    """Errors in percent over the resolution, with guide lines of first and second order."""
    axes.set_title(title)
    axes.set_xscale("log")
    axes.set_yscale("log")
    for curve in curves:
        axes.plot(curve.voxels, 100 * np.array(curve.errors), color=curve.colour, marker=curve.marker, markersize=5,
                  linestyle=curve.line, label=curve.label)
    voxels = np.array(sorted({v for curve in curves for v in curve.voxels}), float)
    low, high = axes.get_ylim()
    first = [curve.errors[0] for curve in curves]
    for order, start in ((1, max(first)), (2, min(first))) if with_orders else ():
        guide = 100 * start * (voxels[0] / voxels) ** order * (1.35 if order == 1 else 0.7)
        axes.plot(voxels, guide, color=QUIET, linewidth=1, linestyle=(0, (1, 2)))
        axes.annotate(f"order {order}", (voxels[-1], guide[-1]), color=QUIET, fontsize=9, ha="right",
                      va="bottom" if order == 1 else "top", xytext=(0, 3 if order == 1 else -3), textcoords="offset points")
        low, high = min(low, 0.6 * guide.min()), max(high, 1.3 * guide.max())
    axes.set_ylim(low, high)
    axes.set_xlabel("voxels per diameter")
    axes.set_ylabel("error (%)")
    axes.xaxis.set_major_locator(FixedLocator(list(voxels)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    log_axis(axes.yaxis)


def profile(axes, title: str, exact: tuple[np.ndarray, np.ndarray], found: dict, label: str = "velocity (mm/s)") -> None:
    """`exact`: (distances to the axis / radius, values). `found`: by name (colour, distances / radius, values)."""
    axes.set_title(title)
    axes.plot(*exact, color=INK, linewidth=1.2, label="exact")
    for index, (name, (colour, r, values)) in enumerate(found.items()):
        some = spread_out(r)
        axes.plot(r[some], values[some], linestyle="none", marker=MARKERS[index], markersize=4, color=colour, alpha=0.8,
                  markeredgewidth=0, label=name)
    axes.set_xlabel("distance to the axis / radius")
    axes.set_ylabel(label)
