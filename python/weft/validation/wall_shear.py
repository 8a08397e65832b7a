# SPDX-License-Identifier: BSD-3-Clause
"""Wall shear stress at each wall site of a round tube, compared with 4 mu U / R, where U is the inlet's mean velocity."""
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

import numpy as np

from weft.style import INK
from weft.validation import figures
from weft.validation.figures import Curve
from weft.validation.measures import Check, Outcome, few, order, percent, table
from weft.validation.poiseuille import FLUID, RADIUS, WALLS, Setting, mean_velocity, steady_case
from weft.validation.program import Program
from weft.validation.surfaces import frame

VOXELS = (8, 12, 16, 24, 32)


@dataclass(frozen=True)
class WallShear:
    angle: np.ndarray   # around the axis, degrees; of each wall site in the middle third
    stress: np.ndarray  # magnitude / exact value

    @property
    def mean_error(self) -> float:
        return abs(float(self.stress.mean()) - 1)

    @property
    def error(self) -> float:
        return float(np.sqrt(np.mean((self.stress - 1) ** 2)))


def solve(program: Program, voxels: int, wall: str) -> WallShear:
    setting = Setting(voxels, wall, "velocity, pressure")
    case = steady_case(setting)
    case["extract"] = [{"name": "wall", "shape": "surface", "format": "csv", "quantities": ["wall_shear_stress"]}]
    run = program.run(f"wall-shear-{voxels}-{wall}", setting.tube, case)
    rows = np.genfromtxt(run.directory / "wall.csv", delimiter=",", names=True)
    places = np.stack([rows[f"{axis}_m"] for axis in "xyz"], axis=1)
    along, _ = setting.tube.coordinates(places)
    inside = np.abs(along - setting.tube.length / 2) < setting.tube.length / 6
    stress = np.stack([rows[f"wall_shear_stress_{axis}_pa"] for axis in "xyz"], axis=1)[inside]
    side, other, _ = frame(setting.tube.axis)
    angle = np.degrees(np.arctan2(places[inside] @ other, places[inside] @ side))
    return WallShear(angle, np.linalg.norm(stress, axis=1) / (4 * FLUID.viscosity * mean_velocity() / RADIUS))


def study(program: Program, images: Path, resolutions: Sequence[int] = VOXELS) -> Outcome:
    outcome, rows, curves, shown = Outcome(), [], [], {}
    for wall in WALLS:
        runs = [solve(program, n, wall) for n in resolutions]
        shown[wall] = runs[-1]
        for what, errors, marker, line in (("mean", [run.mean_error for run in runs], "s", "--"),
                                           ("each site", [run.error for run in runs], "o", "-")):
            p = order(resolutions, errors)
            rows.append([wall, what, *map(percent, few(errors)), f"**{p:.2f}**"])
            curves.append(Curve(f"{wall}, {what}", resolutions, errors, figures.WALLS[wall], marker, line))
            if wall == "bouzidi":
                most = 0.008 if what == "each site" else 0.004
                outcome.checks.append(Check(f"wall shear stress, {wall}, {what}: error, finest", errors[-1], most=most))
                if what == "each site":
                    outcome.checks.append(Check(f"wall shear stress, {wall}, {what}: order", p, least=1.0))
            else:
                outcome.checks.append(Check(f"wall shear stress, {wall}, {what}: error, finest", errors[-1], most=0.25))
    outcome.parts["wall shear stress"] = table(["wall", "error of", *(f"{n} voxels" for n in few(resolutions)), "order"], rows)
    figure, axes = figures.new_figure(2)
    axes[0].set_title(f"Around the tube, {resolutions[-1]} voxels")
    for wall, run in shown.items():
        axes[0].plot(run.angle, run.stress, linestyle="none", marker="o", markersize=2.4, markeredgewidth=0, alpha=0.5,
                     color=figures.WALLS[wall], label=wall)
    axes[0].axhline(1, color=INK, linewidth=1.2, label="exact")
    axes[0].set_xlabel("angle around the axis (\u00b0)")
    axes[0].set_ylabel("wall shear stress / exact")
    axes[0].set_ylim(bottom=0)
    axes[0].set_xlim(-180, 180)
    axes[0].xaxis.set_ticks(range(-180, 181, 90))
    axes[0].legend(loc="lower left", fontsize=9, ncols=3)
    figures.convergence(axes[1], "Wall shear stress", curves)
    figures.finish(figure, images / "validation-wall-shear.png", axes[1:])
    return outcome
