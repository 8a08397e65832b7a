# SPDX-License-Identifier: BSD-3-Clause
"""Vessels that `weft bench robustness` makes: an aorta, a carotid and a vessel with six openings, four beats each; and random vessels."""
import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

import numpy as np

from weft.errors import InputError
from weft.monitor_figure import COLOURS
from weft.monitors import Monitors
from weft.validation import figures
from weft.validation.measures import Check, Outcome, percent, table
from weft.validation.program import Program

MMHG = 133.322387415
NAMED = {"aorta": 0.85, "carotid": 0.9, "six": 0.8}  # duration of a beat, s
BEATS = 4


@dataclass(frozen=True)
class Beat:
    """Sums over a beat in m^3, and curves over the beat, all at the same phases."""
    inflow: float
    outflow: float
    stored: float      # change of the volume in the vessel
    throughput: float  # sum of the inflow's magnitude
    curves: dict[str, np.ndarray]  # flow of each outlet, pressure of each opening

    @property
    def mass_error(self) -> float:
        return abs(self.inflow - self.outflow - self.stored) / self.throughput


def beats_of(monitors: Monitors, inlets: set[str], period: float, density: float, count: int) -> list[Beat]:
    """Each row of the monitors has the flow of the step before it, and the mass after that step. So the mass at the begin of a beat is in
    the row before the beat's first row."""
    time, mass = monitors["time_s"], monitors["mass_kg"]
    step = time[1] - time[0]
    first = [min(int(np.searchsorted(time, k * period - 1e-9)), len(time) - 1) for k in range(count + 1)]
    flows, pressures = monitors.openings("_flow_m3_per_s"), monitors.openings("_pressure_pa")
    into = sum(flows[name] for name in inlets)
    out = -sum(values for name, values in flows.items() if name not in inlets)
    beats = []
    for k in range(count):
        low, high = max(first[k], 1), first[k + 1] if k + 1 < count or first[k + 1] < len(time) - 1 else len(time)
        phase = np.linspace(0, 1, 200, endpoint=False)
        at = k * period + phase * period
        curves = {f"{name} flow": np.interp(at, time, values) for name, values in flows.items() if name not in inlets}
        curves |= {f"{name} pressure": np.interp(at, time, values) for name, values in pressures.items()}
        beats.append(Beat(float(into[low:high].sum() * step), float(out[low:high].sum() * step),
                          float((mass[high - 1] - mass[low - 1]) / density), float(np.abs(into[low:high]).sum() * step), curves))
    return beats


def difference(one: Beat, other: Beat) -> float:
    """Root mean square of the difference / root mean square of the curve; the maximum over the curves of all openings."""
    return max(float(np.sqrt(np.mean((one.curves[name] - curve) ** 2) / np.mean(curve**2))) for name, curve in other.curves.items())


def mean_difference(one: Beat, other: Beat) -> float:
    """Relative difference of the means over the beat; the maximum over the flows and pressures of all openings."""
    return max(abs(float(np.mean(one.curves[name]) / np.mean(curve)) - 1) for name, curve in other.curves.items())


def named(program: Program, images: Path, beats: int = BEATS) -> Outcome:
    outcome, rows = Outcome(), []
    figure, axes = figures.new_figure(len(NAMED))
    for place, (name, period) in zip(axes, NAMED.items()):
        run = program.made_vessel(name, beats)
        monitors = run.monitors()
        inlet = next(iter(monitors.openings("_flow_m3_per_s")))
        found = beats_of(monitors, {inlet}, period, 1060.0, beats)
        worst = max(beat.mass_error for beat in found)
        repeats, curves = mean_difference(found[-2], found[-1]), difference(found[-2], found[-1])
        pressure = monitors.openings("_pressure_pa")[inlet] / MMHG
        density = max(np.nanmax(monitors["density_max"]) - 1, 1 - np.nanmin(monitors["density_min"]))
        rows.append([name, f"{np.nanmax(monitors['mach_max']):.2f}", percent(density), percent(worst), percent(repeats), percent(curves)])
        outcome.checks.append(Check(f"{name}: mass loss per beat", worst, most=5e-3))
        if beats >= 4:
            outcome.checks.append(Check(f"{name}: difference of beats {beats - 1} and {beats}", repeats, most=0.01))
        place.set_title(f"{name}: pressure at the inlet")
        place.plot(monitors["time_s"], pressure, color=COLOURS[0], linewidth=1.2)
        place.set_xlabel("time (s)")
        place.set_ylabel("pressure (mmHg)")
    figures.finish(figure, images / "validation-vessels.png")
    head = ["vessel", "largest Mach number", "change of the density", "mass loss per beat", "last two beats: means",
            "last two beats: curves"]
    outcome.parts["vessels"] = table(head, rows)
    return outcome


def random_ones(program: Program, images: Path, count: int = 100, trials: Optional[Path] = None) -> Outcome:
    """Random vessels, each in every mode, with the case that `weft openings` proposes; run by `weft bench robustness`. `trials`: the table
    of an earlier run, which is read instead."""
    del images
    if trials is None:
        kept = program.directory / "robustness"
        trials = kept / "trials.csv"
        trials.unlink(missing_ok=True)  # rows are appended
        program.bench("robustness", "--vessels", str(count), "--every-mode", "--out", str(kept))
    with open(trials, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    tried = [row for row in rows if row["end"] != "left out"]
    if not tried:
        raise InputError(f"{trials}: No trial was run (all were left out). Allow more --updates in weft bench robustness.")
    outcome = Outcome()
    modes = list(dict.fromkeys(row["mode"] for row in rows))
    outcome.parts["robustness"] = table(
        ["openings", "tried", "stable", "flow error", "pressure error"],
        [_mode_row(mode, [row for row in rows if row["mode"] == mode]) for mode in modes] + [_mode_row("all", rows)])
    told = [f"- `{row['mode']}`, {row['vessel']}, Reynolds number {float(row['reynolds']):.0f}: {row['end']}: {row['why']}"
            for row in tried if row["end"] != "stable"]
    outcome.parts["robustness, the others"] = "\n".join(told) or "None was refused, none became unstable."
    share = len([row for row in tried if row["end"] == "stable"]) / len(tried)
    outcome.checks.append(Check("random vessels: fraction of stable runs", share, least=0.98))
    outcome.checks.append(Check("random vessels: number of unstable runs", len([row for row in tried if row["end"] == "unstable"]), most=0))
    return outcome


def _mode_row(mode: str, rows: Sequence[dict[str, str]]) -> list[object]:
    ends = Counter(row["end"] for row in rows)
    stable = [row for row in rows if row["end"] == "stable"]

    def worst(column: str) -> str:
        return percent(max((float(row[column]) for row in stable), default=0.0))
    return [mode, len(rows) - ends["left out"], ends["stable"], worst("delivered_flow_error"), worst("delivered_pressure_error")]
