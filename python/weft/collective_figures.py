# SPDX-License-Identifier: BSD-3-Clause
"""Figures of `weft bench collectives`: times over the message size, delayed starts, overlap, and all samples of the times."""
from typing import Iterator, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from weft.delay_figure import delay_figures
from weft.overlap_figure import overlap_figures
from weft.panels import KINDS, bytes_axis, bytes_text, legend_below, log_axis, panels, spread_curve
from weft.reports import Report, Result
from weft.style import INK, QUIET

SAMPLED = 8  # panels per figure


def operations(results: Sequence[Result]) -> list[str]:
    return list(dict.fromkeys(str(r.key["operation"]) for r in results))


def kinds(results: Sequence[Result]) -> list[str]:
    return [k for k in KINDS if any(r.key["kind"] == k for r in results)]


TIME = ("Time from the first rank's entry to the last rank's exit. Points: medians. Bands or bars: quartiles. Same form as "
        "Niethammer et al., figures 9 and 10.")
DELAY = ("Left: t_delta, the time when some ranks start late by delta; dotted: delta itself; dashed: t_0, the time when no rank "
         "is late. Right: the benefit b = (t_0 + delta - t_delta) / t_delta with its 95 % interval. Above 0, the ranks that are "
         "in time do a part of the collective while they wait for the late ones. As Niethammer et al., figures 4 to 8, over "
         "delta for each size.")
OVERLAP = ("Left: time of the collective alone (T_coll), of the computation alone (T_comp), and of both at once (T_overlap), for "
           "each progress mode. Middle: beta = (T_coll + T_comp - T_overlap) / T_overlap, as Niethammer et al., figure 11; below "
           "0, both at once take longer than one after the other. Right: the overlap fraction, (T_coll + T_comp - T_overlap) / min(T_coll, T_comp), limited to 0..1. Bars: 95 % "
           "intervals.")
SAMPLES = ("All samples that were kept. Boxes: quartiles and median. Whiskers: up to 1.5 times the distance between the "
           "quartiles. Crosses: outliers, which the medians include.")


def collective_figures(report: Report) -> Iterator[tuple[str, str, Figure]]:
    """Name, caption and figure; one at a time, so that only one figure is in memory."""
    times = [r for r in report.of(experiment="time") if r.median > 0]
    if times:
        yield "Collective time", TIME, time_figure(times)
    for number, figure in enumerate(delay_figures(report.of(experiment="delay"))):
        yield _part("Delayed start", number), DELAY, figure
    for number, figure in enumerate(overlap_figures(report.of(experiment="overlap"))):
        yield _part("Overlap", number), OVERLAP, figure
    names = operations([r for r in times if len(r.samples)])
    of_launches = " Each sample is the median of one launch." if report.launches else ""
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
    scatter = np.random.default_rng(1)  # a fixed seed: the same report gives the same page
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
    # Points are drawn as pixels: there may be thousands, and as vectors each one would lengthen the page's text.
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
