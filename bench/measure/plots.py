# SPDX-License-Identifier: BSD-3-Clause
"""The plots of README.md and docs/results.md, from what was measured: docs/images/measured-NAME-light.svg and -dark.svg."""
from typing import Callable, Optional

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from run import ROOT  # noqa: E402

IMAGES = ROOT / "docs/images"
BLUE, ORANGE, GREEN, GREY, PINK = "#3b8fd1", "#dd6b20", "#2f9e6e", "#8a9099", "#c0699a"
INK = {"light": "#22262b", "dark": "#e4e7eb"}


def rows_of(document: dict, name: str) -> list[dict]:
    return document["benchmarks"].get(name, {}).get("rows", [])


def curve(axes, xs: list, values: list[dict], colour: str, label: str, style: str = "o-") -> None:
    middle = [v["median"] for v in values]
    axes.errorbar(xs, middle, [[m - v["low"] for m, v in zip(middle, values)], [v["high"] - m for m, v in zip(middle, values)]], fmt=style,
                  color=colour, label=label, capsize=3, markersize=5, linewidth=1.8)


def modules(document: dict) -> Optional[Callable]:
    """Communication over the number of modules."""
    rows = rows_of(document, "modules")
    if not rows:
        return None
    counts = [int(row["what"].split(" and ")[1].split()[0]) for row in rows]

    def draw(figure) -> None:
        axes = figure.subplots()
        names = {"each module waits for itself": ("each module waits for itself", ORANGE), "plain MPI, one wait, polling": ("plain MPI, one wait", GREY),
                 "weft": ("weft", BLUE)}
        for name, (label, colour) in names.items():
            curve(axes, counts, [row["values"][name] for row in rows], colour, label)
        axes.set(xlabel="small modules beside a flow's lattice", ylabel="communication (ms per step)", ylim=(0, None), xticks=counts)
        axes.legend(fontsize=9)
    return draw


def overlap(document: dict) -> Optional[Callable]:
    """Overlap fraction over computation / communication."""
    curves = document["benchmarks"].get("halo-overlap", {}).get("curves", {})
    if not curves:
        return None

    def draw(figure) -> None:
        axes = figure.subplots()
        ways = {"direct reduced, polling": ("weft, polling", BLUE), "direct reduced, thread": ("weft, progress thread", GREEN),
                "direct reduced, passive": ("weft, passive", PINK), "baseline at once, passive": ("plain MPI, posted first", GREY)}
        for way, (label, colour) in ways.items():
            points = sorted((float(key.rsplit(", ", 1)[1]), value) for key, value in curves.items() if key.rsplit(", ", 1)[0] == way)
            if points:
                curve(axes, [x for x, _ in points], [v for _, v in points], colour, label)
        axes.set(xlabel="computation / communication", ylabel="overlap fraction", ylim=(-0.05, 1.05))
        axes.legend(fontsize=9)
    return draw


def latency(document: dict) -> Optional[Callable]:
    """Gain over latency."""
    simulated = {int(row["what"].split()[0]): row["values"] for row in rows_of(document, "latency-simulated")}
    values = {name: v for row in rows_of(document, "latency") for name, v in ((f"{row['what']}, {n}", v) for n, v in row["values"].items())}
    latencies = {"50us": 50, "200us": 200, "500us": 500, "1ms": 1000}
    if not values:
        return None

    def draw(figure) -> None:
        axes = figure.subplots()
        for name, colour in (("separate", ORANGE), ("plain MPI", GREY)):
            xs = [us for text, us in latencies.items() if f"{text}, {name}" in values]
            gains = [values[f"{text}, {name}"]["median"] / values[f"{text}, weft"]["median"] for text in latencies if f"{text}, {name}" in values]
            axes.plot(xs, gains, "o-", color=colour, label={"separate": "over one wait per module", "plain MPI": "over plain MPI, one wait"}[name])
        if simulated:
            axes.plot(list(simulated), [v["separate"]["median"] / v["weft"]["median"] for v in simulated.values()], "s--", color=ORANGE, markerfacecolor="none",
                      label="over one wait per module, 64 simulated nodes")
        axes.axhline(1, color=GREY, linewidth=0.8, linestyle=":")
        axes.set(xscale="log", xlabel="latency (us)", ylabel="weft is ... times faster", ylim=(0, None))
        ticks = sorted({*latencies.values(), *simulated} - {500})
        axes.set_xticks(ticks, [f"{us}" for us in ticks])
        axes.minorticks_off()
        axes.legend(fontsize=8, loc="lower left", bbox_to_anchor=(0, 1))
    return draw


def lattice(all_of: list[dict]) -> Optional[Callable]:
    """Speed of the lattice beside the memory's limit and lbmpy, on each machine."""
    found = [d for d in all_of if rows_of(d, "kernel")]
    if not found:
        return None

    def draw(figure) -> None:
        axes = figure.subplots()
        labels, at = [], 0.0
        for document in found:
            peers = {row["what"]: row["values"] for row in rows_of(document, "lbmpy")}
            for row in rows_of(document, "kernel"):
                values = row["values"] | peers.get(row["what"], {})
                bars = [(name, colour) for name, colour in (("limit of the memory", GREY), ("weft", BLUE), ("lbmpy", ORANGE)) if name in values]
                for k, (name, colour) in enumerate(bars):
                    v = values[name]
                    axes.barh(at + 0.27 * k, v["median"], 0.25, color=colour, label=name if name not in axes.get_legend_handles_labels()[1] else None,
                              xerr=[[v["median"] - v["low"]], [v["high"] - v["median"]]], ecolor=GREY)
                if not bars:
                    continue
                labels.append((at + 0.135 * (len(bars) - 1), row["what"].replace("vessel of 2 million sites", "vessel")))
                at += 1.05
            at += 0.4
        axes.set_yticks([y for y, _ in labels], [text for _, text in labels])
        axes.invert_yaxis()
        axes.set_xlabel("million site updates per second, one core")
        axes.legend(fontsize=9, ncols=3, loc="lower center", bbox_to_anchor=(0.3, 1.0), handlelength=1.2, columnspacing=1)
    return draw


def timeline(document: dict) -> Optional[Callable]:
    """One step of two ranks: computing, in MPI calls, messages in flight."""
    events = document["benchmarks"].get("timeline", {}).get("curves", {})
    if not events:
        return None

    def draw(figure) -> None:
        both = figure.subplots(2, 1, sharex=True)
        longest = max(step["step"] for step in events.values())
        for axes, (name, step) in zip(both, events.items()):
            for rank in (0, 1):
                axes.barh(rank, longest, 0.34, color=BLUE, label="computes" if rank == 0 else None)
                for who, begin, end in step["calls"]:
                    if who == rank:
                        begin, end = max(0, begin), min(longest, end)
                        axes.barh(rank, end - begin, 0.34, left=begin, color=ORANGE)
            for source, target, left, came in step["flights"]:
                side = 0.17 if target > source else -0.17
                axes.plot([left, came], [source + side, target - side], color=GREY, linewidth=1.6, solid_capstyle="round")
                axes.plot([came], [target - side], marker="v" if target > source else "^", color=GREY, markersize=5)
            axes.set(yticks=[0, 1], yticklabels=["rank 0", "rank 1"], ylim=(1.35, -0.35), xlim=(0, longest))
            axes.set_title(f"{name}: {step['step']:.2f} ms per step", fontsize=10, loc="left")
            for k in range(1, int(longest / step["step"] + 1e-9) + 1):
                axes.axvline(k * step["step"], color=GREY, linewidth=1, linestyle=":")
        both[0].barh(5, 1, color=ORANGE, label="in an MPI call")
        both[0].plot([0], [5], color=GREY, label="a message in flight")
        both[0].legend(fontsize=8, ncols=3, loc="lower right", bbox_to_anchor=(1, 1.0), borderaxespad=0, handlelength=1.2, columnspacing=1)
        both[1].set_xlabel("ms")
    return draw


def save(name: str, draw: Callable, size: tuple[float, float]) -> None:
    for look, ink in INK.items():
        style = {"font.size": 10, "axes.edgecolor": GREY, "axes.labelcolor": ink, "text.color": ink, "xtick.color": ink, "ytick.color": ink,
                 "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False, "svg.hashsalt": "weft", "svg.fonttype": "path"}
        with plt.rc_context(style):
            figure = plt.figure(figsize=size, layout="constrained")
            draw(figure)
            figure.savefig(IMAGES / f"measured-{name}-{look}.svg", transparent=True, metadata={"Date": None})
            plt.close(figure)


def draw(all_of: list[dict]) -> None:
    """Of the newest measurement (the lattice: of all machines)."""
    if not all_of:
        return
    newest = all_of[0]
    for name, picture, size in (("timeline", timeline(newest), (7, 2.9)), ("modules", modules(newest), (4.4, 3)), ("overlap", overlap(newest), (4.4, 3)),
                                ("latency", latency(newest), (4.4, 3)), ("lattice", lattice(all_of), (4.4, 3.4))):
        if picture:
            save(name, picture, size)
