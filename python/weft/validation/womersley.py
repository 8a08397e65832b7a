# SPDX-License-Identifier: BSD-3-Clause
"""Oscillating flow in a round tube, driven by a pressure difference or by an inlet with Womersley's profile."""
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

import numpy as np

from weft.monitor_figure import COLOURS
from weft.style import INK
from weft.validation import figures
from weft.validation.figures import Curve
from weft.validation.measures import Check, Outcome, few, middle_of, order, percent, relative_l2, table
from weft.validation.poiseuille import FLUID, RADIUS, WALLS, Setting
from weft.validation.program import Program
from weft.validation.solutions import womersley, womersley_flow
from weft.validation.surfaces import Tube

VOXELS = (12, 16, 24, 32)
ALPHA = 4.0
OMEGA = ALPHA**2 * FLUID.viscosity / FLUID.density / RADIUS**2
PERIOD = 2 * np.pi / OMEGA
PHASES, PERIODS = 8, 4    # the non-periodic part has decayed by e^-9 after three periods
TUBE = Tube(RADIUS, 4 * RADIUS)
DRIVES = ("pressure", "velocity")
AREA = np.pi * RADIUS**2
# The peak Reynolds number is 3.5, so that sound crosses the tube in a small fraction of a period. Fluid enters through the outlet during
# a part of the period. There lattice.backflow (default 1) would lower the pressure by density speed^2, and the flow would not be linear.
# So it is set to 0.
GRADIENT = 0.02 * 8 * FLUID.viscosity / RADIUS**2


@dataclass(frozen=True)
class Oscillation:
    r: np.ndarray           # (sites,)
    phases: np.ndarray      # of each field, radians: the drive is cos(phase)
    velocity: np.ndarray    # (phases, sites)
    exact: np.ndarray       # (phases, sites), for the pressures or the velocity that the openings prescribe
    error: float
    own_error: float        # against the profile for the pressure gradient computed in the middle


def solve(program: Program, voxels: int, wall: str, drive: str) -> Oscillation:
    setting = Setting(voxels, wall, tau=0.6)
    steps = int(round(PERIOD / setting.time_step / PHASES)) * PHASES
    dt = PERIOD / steps  # so that each phase coincides with a step
    flow = womersley_flow(GRADIENT, OMEGA, FLUID.density, FLUID.viscosity, RADIUS)
    wave = {"mean": 0.0, "period": PERIOD}
    if drive == "pressure":
        inlet: dict = {"pressure": {**wave, "amplitude": GRADIENT * TUBE.length}}
    else:
        inlet = {"velocity": {**wave, "amplitude": abs(flow) / AREA}, "profile": "womersley"}
    run = program.run(f"womersley-{voxels}-{wall}-{drive}", TUBE, {
        "surface": {"voxel": setting.voxel}, "fluid": {"density": FLUID.density, "viscosity": FLUID.viscosity},
        "lattice": {**setting.lattice(), "time_step": dt, "backflow": 0.0}, "inlet": [{**TUBE.opening("in"), **inlet}],
        "outlet": [{**TUBE.opening("out"), "pressure": 0.0}], "run": {"steps": PERIODS * steps, "ramp": 0},
        "monitor": {"every": steps}, "output": {"every": steps // PHASES}})
    fields = run.fields()[-PHASES:]
    phases = OMEGA * np.array([one.time for one in fields])
    sections = [middle_of(one, TUBE) for one in fields]
    velocity = np.array([section.velocity for section in sections])
    shape = womersley(1, OMEGA, FLUID.density, FLUID.viscosity, RADIUS, sections[0].r)
    own = 2 / PHASES * np.sum(np.array([s.gradient for s in sections]) * np.exp(-1j * phases))
    prescribed = GRADIENT if drive == "pressure" else GRADIENT * abs(flow) / flow
    exact, exact_of_own = ((amplitude * shape * np.exp(1j * phases)[:, None]).real for amplitude in (prescribed, own))
    return Oscillation(sections[0].r, phases, velocity, exact, relative_l2(velocity, exact),
                       relative_l2(velocity, exact_of_own))


def study(program: Program, images: Path, resolutions: Sequence[int] = VOXELS) -> Outcome:
    outcome, rows, curves, shown = Outcome(), [], [], {}
    for wall in WALLS:
        for drive in DRIVES:
            runs = [solve(program, n, wall, drive) for n in resolutions]
            shown[wall, drive] = runs[-1]
            half_way = wall == "half-way"
            for against, errors in (("prescribed", [run.error for run in runs]),
                                    ("middle gradient", [run.own_error for run in runs])):
                p = order(resolutions, errors)
                if not half_way:
                    rows.append([drive, against, *map(percent, few(errors)), f"**{p:.2f}**"])
                own = against == "middle gradient"
                curves.append(Curve(f"{wall}, {drive}" + ("" if own else ", as prescribed"), resolutions, errors,
                                    figures.WALLS[wall], "os"[DRIVES.index(drive)], "-" if own else "--"))
                name = f"Womersley, {wall}, {drive}, against {against}"
                most = (0.04 if half_way else 0.01) if own else (0.06 if half_way else 0.04)
                outcome.checks.append(Check(f"{name}: error, finest", errors[-1], most=most))
                if own:
                    outcome.checks.append(Check(f"{name}: order", p, least=0.8 if half_way else 1.6))
    outcome.parts["womersley"] = table(["driven by", "compared with", *(f"{n} voxels" for n in few(resolutions)), "order"], rows)
    figure, axes = figures.new_figure(3)
    for place, drive in zip(axes, DRIVES):
        _phases(place, f"Driven by a {drive}, bouzidi, {resolutions[-1]} voxels", shown["bouzidi", drive])
    figures.convergence(axes[2], "All phases", curves)
    figures.finish(figure, images / "validation-womersley.png", axes[2:])
    return outcome


def _phases(axes, title: str, run: Oscillation) -> None:
    axes.set_title(title)
    order_of_r = np.argsort(run.r)
    scale = np.abs(run.exact).max()
    some = figures.spread_out(run.r / RADIUS, 50)
    count = PHASES // 2 + 1
    names = spaced([run.exact[k][order_of_r[0]] / scale for k in range(count)], 0.13)
    for k in range(count):
        colour = COLOURS[k]
        degrees = np.degrees(run.phases[k]) % 360
        axes.plot(run.r[some] / RADIUS, run.velocity[k][some] / scale, linestyle="none", marker="o", markersize=3.6,
                  markeredgewidth=0, color=colour, alpha=0.7)
        axes.plot(run.r[order_of_r] / RADIUS, run.exact[k][order_of_r] / scale, color=INK, linewidth=1)
        axes.annotate(f"{degrees:.0f}\u00b0", (0, names[k]), xytext=(-4, 0), color=colour,
                      textcoords="offset points", ha="right", va="center", fontsize=9)
    axes.set_xlim(left=-0.14)
    axes.set_xlabel("distance to the axis / radius")
    axes.set_ylabel("velocity / its peak")


def spaced(places: Sequence[float], least: float) -> list[float]:
    """The positions of labels, moved apart so that each is at least `least` above the next lower one."""
    result = list(places)
    rising = sorted(range(len(places)), key=lambda k: places[k])
    for low, high in zip(rising, rising[1:]):
        apart = result[high] - result[low]
        if apart < least:
            result[low] -= (least - apart) / 2
            result[high] += (least - apart) / 2
    return result
