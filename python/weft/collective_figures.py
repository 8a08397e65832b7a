# SPDX-License-Identifier: BSD-3-Clause
"""Times of collectives: over size as in the paper's figures 9 and 10, and all samples that they are medians of."""
from typing import Iterator, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from weft.delay_figure import delay_figures
from weft.overlap_figure import overlap_figures
from weft.panels import KINDS, bytes_axis, bytes_text, legend_below, log_axis, panels, spread_curve
from weft.reports import Report, Result
from weft.style import INK, QUIET

SAMPLED = 8  # panels of a figure


def operations(results: Sequence[Result]) -> list[str]:
    return list(dict.fromkeys(str(r.key["operation"]) for r in results))


def kinds(results: Sequence[Result]) -> list[str]:
    return [k for k in KINDS if any(r.key["kind"] == k for r in results)]


TIME = ("From the first rank's entry to the last one's exit: median, and the quartiles as a band or bar. As figures 9 and "
        "10 of the paper.")
DELAY = ("Left: t_delta, the time with some ranks delta late; dotted: delta itself; dashed: t_0, nobody late. Right: the "
         "benefit b = (t_0 + delta - t_delta) / t_delta with its 95 % interval; above 0 a part of the collective is done "
         "while the late ranks are waited for. As figures 4 to 8 of the paper, over delta for each size.")
OVERLAP = ("Left: the collective and the computation alone, and both at once by kind of progress. Middle: "
           "beta = (T_coll + T_comp - T_overlap) / T_overlap, as figure 11 of the paper. Right: the overlap fraction, "
           "(T_coll + T_comp - T_overlap) / min(T_coll, T_comp), from 0 to 1. Bars are 95 % intervals.")
SAMPLES = ("All that were kept. Boxes: quartiles and median; whiskers: up to 1.5 times the quartiles' distance; crosses: "
           "outliers, which belong to the medians as all others do.")


def collective_figures(report: Report) -> Iterator[tuple[str, str, Figure]]:
    """Name, what a person reads below, figure; one at a time, so that no more than one is held."""
    times = [r for r in report.of(experiment="time") if r.median > 0]
    if times:
        yield "Collective time", TIME, time_figure(times)
    for number, figure in enumerate(delay_figures(report.of(experiment="delay"))):
        yield _part("Delayed start", number), DELAY, figure
    for number, figure in enumerate(overlap_figures(report.of(experiment="overlap"))):
        yield _part("Overlap", number), OVERLAP, figure
    names = operations([r for r in times if len(r.samples)])
    of_launches = " A sample is the median of a launch." if report.launches else ""
    for number, begin in enumerate(range(0, len(names), SAMPLED)):
        chosen = names[begin:begin + SAMPLED]
        yield _part("Samples of the times", number), SAMPLES + of_launches, samples_figure(times, chosen)


def _part(name: str, number: int) -> str:
    return f"{name}, continued" if number else name


def time_figure(times: Sequence[Result]) -> Figure:
    names = operations(times)
    figure, axes = panels(len(names), 3)
    for place, name in zip(axes, names):
        place.set_title(name)
        mine = [r for r in times if r.key["operation"] == name]
        place.set_yscale("log")
        if all(r.key["bytes"] == 0 for r in mine):
            _without_size(place, mine)
        else:
            for kind in kinds(mine):
                these = sorted((r for r in mine if r.key["kind"] == kind), key=lambda r: r.key["bytes"])
                spread_curve(place, these, color=KINDS[kind], marker="o", label=kind)
            bytes_axis(place, [r.key["bytes"] for r in mine])
        log_axis(place.yaxis)
        place.set_ylabel("time (us)")
    legend_below(figure, axes)
    return figure


def _without_size(place, results: Sequence[Result]) -> None:
    for x, r in enumerate(results):
        place.errorbar([x], [r.median], yerr=[[max(0, r.median - r.low)], [max(0, r.high - r.median)]], marker="o",
                       markersize=5, color=KINDS.get(r.key["kind"], QUIET), capsize=3)
    place.set_xticks(range(len(results)), [r.key["kind"] for r in results], fontsize=9)
    place.set_xlim(-0.6, len(results) - 0.4)


def samples_figure(times: Sequence[Result], names: Sequence[str]) -> Figure:
    figure, axes = panels(len(names), 2, width=6.4, height=3.4)
    scatter = np.random.default_rng(1)  # the same page for the same report
    for place, name in zip(axes, names):
        place.set_title(name)
        place.set_yscale("log")
        mine = [r for r in times if r.key["operation"] == name and len(r.samples)]
        mine.sort(key=lambda r: (r.key["bytes"], list(KINDS).index(r.key["kind"]) if r.key["kind"] in KINDS else 9))
        for x, r in enumerate(mine):
            _strip(place, x, r, KINDS.get(r.key["kind"], QUIET), scatter)
        sizes = list(dict.fromkeys(r.key["bytes"] for r in mine))
        middles = [np.mean([x for x, r in enumerate(mine) if r.key["bytes"] == size]) for size in sizes]
        place.set_xticks(middles, [bytes_text(s) if s else "no data" for s in sizes], fontsize=9)
        place.set_xlim(-0.7, len(mine) - 0.3)
        place.grid(visible=False, axis="x")
        log_axis(place.yaxis)
        place.set_ylabel("time (us)")
    looks = [Line2D([], [], color=KINDS[k], marker="o", linestyle="", label=k) for k in kinds(times)]
    looks.append(Line2D([], [], color=INK, marker="x", linestyle="", label="outliers"))
    figure.legend(handles=looks, loc="outside lower center", ncols=4, fontsize=10)
    return figure


def _strip(place, x: int, r: Result, colour: str, scatter: np.random.Generator) -> None:
    is_outlier = np.isin(np.arange(len(r.samples)), r.outliers)
    inner, outer = r.samples[~is_outlier], r.samples[is_outlier]
    # points as pixels: there may be thousands, and each would be a piece of the page's text
    few = len(r.samples) < 40
    place.plot(x + scatter.uniform(-0.28, 0.28, len(inner)), inner, "o", color=colour, markersize=4 if few else 2, alpha=0.5,
               markeredgewidth=0, rasterized=True)
    place.plot(x + scatter.uniform(-0.2, 0.2, len(outer)), outer, "x", color=colour, markersize=4, markeredgewidth=0.9,
               rasterized=True)
    box = {"med": r.median, "q1": r.low, "q3": r.high, "fliers": [],
           "whislo": inner.min(initial=r.low), "whishi": inner.max(initial=r.high)}
    line = {"color": INK, "linewidth": 0.9}
    place.bxp([box], positions=[x], widths=0.6, showfliers=False, manage_ticks=False, boxprops=line,
              medianprops={"color": INK, "linewidth": 1.8}, whiskerprops=line, capprops=line)
