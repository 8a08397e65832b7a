# SPDX-License-Identifier: BSD-3-Clause
"""Steady flow in a round tube of fluids whose viscosity depends on the shear rate."""
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

import numpy as np

from weft.monitor_figure import COLOURS
from weft.validation import figures
from weft.validation.figures import Curve
from weft.validation.measures import Check, Outcome, few, middle_of, order, percent, relative_l2, table
from weft.validation.poiseuille import RADIUS, TUBE, WALLS, Setting
from weft.validation.program import Program
from weft.validation.solutions import SLOWEST_DECAY, Fluid, flow_of_profile, sheared_profile

VOXELS = (8, 12, 16, 24)
# Each fluid with a wall stress (Pa) at which its profile is far from a parabola.
FLUIDS = {"carreau-yasuda": (Fluid("carreau-yasuda"), 0.05), "casson": (Fluid("casson"), 0.02),
          "power-law": (Fluid("power-law", exponent=0.6), 0.05)}
KEYS = {"carreau-yasuda": ("time", "exponent", "yasuda"), "casson": ("yield_stress",),
        "power-law": ("consistency", "exponent")}


@dataclass(frozen=True)
class Sheared:
    r: np.ndarray
    velocity: np.ndarray
    exact: tuple[np.ndarray, np.ndarray]  # radii and velocities
    error: float
    difference: float  # between the exact profile and the parabola with the same flow rate: the size of the effect


def solve(program: Program, model: str, voxels: int, wall: str) -> Sheared:
    fluid, stress = FLUIDS[model]
    gradient = 2 * stress / RADIUS
    setting = Setting(voxels, wall)
    # The viscosity is lowest where the shear rate is largest. With this viscosity the flow takes longest to become steady.
    thinnest = float(fluid.viscosity_at(fluid.shear_rate(np.array(stress))))
    dt = setting.time_step / 0.3 * 3 * 0.05  # tau 0.65 in the Newtonian limit, so that tau stays moderate at the largest viscosity
    steps = int(16 * RADIUS**2 * fluid.density / thinnest / SLOWEST_DECAY / dt)
    drop = gradient * TUBE.length
    run = program.run(f"rheology-{model}-{voxels}-{wall}", TUBE, {
        "surface": {"voxel": setting.voxel},
        "fluid": {"density": fluid.density, "viscosity": fluid.viscosity, "model": model, "viscosity_at_rest": fluid.at_rest,
                  **{key: getattr(fluid, key) for key in KEYS[model]}},
        "lattice": {**setting.lattice(), "time_step": dt}, "inlet": [{**TUBE.opening("in"), "pressure": drop / 2}],
        "outlet": [{**TUBE.opening("out"), "pressure": -drop / 2}], "run": {"steps": steps, "ramp": 0}, "monitor": {"every": steps}})
    section = middle_of(run.fields()[-1], TUBE)
    r, u = sheared_profile(fluid, section.gradient, RADIUS)
    parabola = 2 * flow_of_profile(r, u) / (np.pi * RADIUS**2) * (1 - (r / RADIUS) ** 2)
    error = relative_l2(section.velocity, np.interp(section.r, r, u))
    return Sheared(section.r, section.velocity, (r, u), error, relative_l2(parabola, u))


def study(program: Program, images: Path, resolutions: Sequence[int] = VOXELS) -> Outcome:
    outcome, rows, curves, shown = Outcome(), [], [], {}
    for number, model in enumerate(FLUIDS):
        for wall in WALLS:
            runs = [solve(program, model, n, wall) for n in resolutions]
            errors = [run.error for run in runs]
            p = order(resolutions, errors)
            curves.append(Curve(f"{model}, {wall}", resolutions, errors, COLOURS[number], "os"[WALLS.index(wall)],
                                "--" if wall == "half-way" else "-"))
            shown[model, wall] = runs[-1]
            half_way = wall == "half-way"
            if not half_way:
                rows.append([model, *map(percent, few(errors)), f"**{p:.2f}**", percent(runs[-1].difference)])
            outcome.checks += [
                Check(f"{model}, {wall}: order", p, least=0.6 if half_way else 1.4),
                Check(f"{model}, {wall}: error, finest", errors[-1], most=0.1 if half_way else 0.02)]
    head = ["model", *(f"{n} voxels" for n in few(resolutions)), "order", "difference of a parabola"]
    outcome.parts["rheology"] = table(head, rows)
    figure, axes = figures.new_figure(4, 2)
    for place, model in zip(axes, FLUIDS):
        run = shown[model, "bouzidi"]
        r, u = run.exact
        colour = COLOURS[list(FLUIDS).index(model)]
        figures.profile(place, f"{model}, bouzidi, {resolutions[-1]} voxels", (r / RADIUS, u / u[0]),
                        {"computed": (colour, run.r / RADIUS, run.velocity / u[0])}, "velocity / its peak")
        parabola = 2 * flow_of_profile(r, u) / (np.pi * RADIUS**2) * (1 - (r / RADIUS) ** 2)
        place.plot(r / RADIUS, parabola / u[0], color=figures.QUIET, linestyle=(0, (4, 2)), linewidth=1,
                   label="parabola of the same flow rate")
        place.legend(fontsize=9, loc="lower left")
    figures.convergence(axes[3], "Profile", curves)
    figures.finish(figure, images / "validation-rheology.png", axes[3:])
    return outcome
