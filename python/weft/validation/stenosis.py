# SPDX-License-Identifier: BSD-3-Clause
"""The pressure that a stenosis costs, compared with a solution of the axisymmetric Navier-Stokes equations."""
from pathlib import Path

import numpy as np

from weft.validation.axisymmetric import references
from weft.validation.bulge import Bulge
from weft.validation.measures import Check, Outcome, percent, table
from weft.validation.program import Program
from weft.validation.surfaces import SLANTED, Turned

SHAPE = Bulge(0.5, 2.0)       # half the diameter, along two diameters
BEFORE, BEHIND = 1.0, 10.0    # lengths of the straight tube before and behind, diameters
DIAMETER, DENSITY, VISCOSITY = 6e-3, 1060.0, 3.5e-3
SPEED = 0.02                  # mean velocity in the tube, voxels per step
TURNS = 30                    # simulated time, in diameter / mean velocity
POINTS = 48                   # intervals of the reference between axis and wall
RUNS = ((50, 16), (200, 12), (200, 16), (200, 24), (400, 16))  # Reynolds number, voxels per diameter


def vessel(axis: tuple[float, float, float] = SLANTED) -> Turned:
    half = SHAPE.length / 2
    places = np.concatenate([[-half - BEFORE], np.linspace(-half, half, 161), [half + BEHIND]])
    return Turned(tuple((DIAMETER * float(z), DIAMETER * float(r)) for z, r in zip(places, SHAPE.radius(places))), axis)


def study(program: Program, images: Path) -> Outcome:
    outcome, tube, half = Outcome(), vessel(), SHAPE.length / 2
    exact = references(POINTS, sorted({re for re, _ in RUNS}), SHAPE, BEHIND + 2)
    rows = []
    for reynolds, voxels in RUNS:
        speed, voxel = reynolds * VISCOSITY / DENSITY / DIAMETER, DIAMETER / voxels
        unit = DENSITY * speed**2
        run = program.run(f"stenosis-{reynolds}-{voxels}", tube, {
            "surface": {"voxel": voxel}, "fluid": {"density": DENSITY, "viscosity": VISCOSITY}, "lattice": {"time_step": SPEED * voxel / speed},
            "inlet": [{**tube.opening("in"), "velocity": speed}], "outlet": [{**tube.opening("out"), "pressure": 0.0}],
            "run": {"duration": TURNS * DIAMETER / speed}, "monitor": {"every": 100, "tolerance": 1e-7}, "output": {"summary": False}})
        monitors = run.monitors()
        found = float(monitors["in_pressure_pa"][-1] - monitors["out_pressure_pa"][-1])
        wanted = unit * exact[reynolds].drop(-half - BEFORE, half + BEHIND)
        rows.append([reynolds, voxels, f"{wanted:.2f}", f"{found:.2f}", percent(found / wanted - 1)])
        outcome.checks.append(Check(f"stenosis, Reynolds number {reynolds}, {voxels} voxels: error of the drop", abs(found / wanted - 1),
                                    most={12: 0.5, 16: 0.3, 24: 0.1}[voxels]))
    coarse = references(2 * POINTS // 3, (200,), SHAPE, BEHIND + 2)[200].drop(-half - BEFORE, half + BEHIND)
    fine = exact[200].drop(-half - BEFORE, half + BEHIND)
    outcome.checks.append(Check("stenosis, error of the reference with two thirds of its points", abs(coarse / fine - 1), most=0.02))
    outcome.parts["stenosis"] = table(["Reynolds number", "voxels", "reference (Pa)", "computed (Pa)", "difference"], rows)
    return outcome
