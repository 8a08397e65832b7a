# SPDX-License-Identifier: BSD-3-Clause
"""The flow that enters through an inlet compared with the prescribed flow, for several lumens and sizes of the opening's disc."""
from pathlib import Path

import numpy as np

from weft.validation.measures import Check, Outcome, table
from weft.validation.poiseuille import FLUID
from weft.validation.program import Program
from weft.validation.surfaces import FACETS, Prism

VOXELS = (8, 12, 24)       # per diameter of a circle with the lumen's area
WIDER = (1.05, 1.2, 1.4)   # radius of the disc / largest radius of the lumen
MEAN = 1e-3                # prescribed mean velocity, m/s
STEPS = 20                 # the flow of each step is compared
DIAMETER = 2e-3


def _sized(x: np.ndarray, y: np.ndarray) -> tuple[tuple[float, float], ...]:
    area = np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2
    scale = np.sqrt(np.pi * DIAMETER**2 / 4 / area)
    return tuple((float(a), float(b)) for a, b in zip(scale * x, scale * y))


def vessels() -> dict[str, Prism]:
    turn = 2 * np.pi * np.arange(FACETS) / FACETS
    half = np.pi * np.arange(FACETS + 1) / FACETS
    circle, length = _sized(np.cos(turn), np.sin(turn)), 2 * DIAMETER
    return {"round": Prism(circle, length), "oval, 2 : 1": Prism(_sized(2 * np.cos(turn), np.sin(turn)), length),
            "half a disc": Prism(_sized(np.cos(half), np.sin(half) - 0.4), length),
            "round, cut at 30 degrees": Prism(circle, length, cut=np.pi / 6)}


def study(program: Program, images: Path) -> Outcome:
    """Draws no images."""
    outcome, rows = Outcome(), []
    for name, vessel in vessels().items():
        largest = 0.0
        for voxels in VOXELS:
            voxel = DIAMETER / voxels
            errors = []
            for wider in WIDER:
                run = program.run(f"delivered-{name}-{voxels}-{wider}".replace(" ", "").replace(",", "-").replace(":", ""), vessel, {
                    "surface": {"voxel": voxel}, "fluid": {"density": FLUID.density, "viscosity": FLUID.viscosity},
                    "lattice": {"time_step": 0.1 * voxel**2 * FLUID.density / FLUID.viscosity},
                    "inlet": [{**vessel.opening("in", wider), "velocity": MEAN}],
                    "outlet": [{**vessel.opening("out", wider), "pressure": 0.0}],
                    "run": {"steps": STEPS, "ramp": 0}})
                flow = run.monitors()["in_flow_m3_per_s"]
                errors.append(float(np.abs(flow / (MEAN * vessel.lumen) - 1).max()))
            largest = max(largest, *errors)
            outcome.checks.append(Check(f"delivered, {name}, {voxels} voxels: flow", max(errors), most=1e-5))
        rows.append([name, f"{largest:.0e}"])
    outcome.parts["delivered"] = table(["lumen", "largest difference"], rows)
    return outcome
