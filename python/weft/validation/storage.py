# SPDX-License-Identifier: BSD-3-Clause
"""What fewer bits a number change: velocity and wall shear stress beside those of double precision."""
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import numpy as np

from weft.validation.measures import Check, Outcome, relative_l2, table
from weft.validation.poiseuille import FLUID, RADIUS, Setting, mean_velocity, steady_case
from weft.validation.program import Program, Run

NUMBERS = {"fp64": {"precision": "fp64"}, "fp32": {"precision": "fp32"}, "fp16": {"storage": "fp16"}, "fp16c": {"storage": "fp16c"}}
WALL = {"name": "wall", "shape": "surface", "format": "csv", "quantities": ["wall_shear_stress"]}
LARGEST = {"fp32": 1e-3, "fp16": 0.02, "fp16c": 0.01}  # difference; of the carotid, with tau near 1/2, ten times as large


@dataclass(frozen=True)
class Tube:
    """Steady flow between a velocity and a pressure."""
    voxels: int
    tau: float
    faster: float  # than in the other studies

    def case(self, numbers: dict) -> dict:
        setting = Setting(self.voxels, "bouzidi", "velocity, pressure", tau=self.tau)
        case = steady_case(setting)
        case["inlet"][0]["velocity"] = self.faster * mean_velocity()
        lattice = {key: value for key, value in setting.lattice().items() if key != "precision"}
        return {**case, "lattice": {**lattice, **numbers}, "extract": [WALL]}

    @property
    def speed(self) -> float:
        """The mean one, voxels per step."""
        setting = Setting(self.voxels, tau=self.tau)
        return self.faster * mean_velocity() * setting.time_step / setting.voxel

    def run(self, program: Program, name: str, numbers: dict) -> Run:
        return program.run(f"storage-{self.voxels}-{self.tau}-{self.faster:g}-{name}", Setting(self.voxels).tube, self.case(numbers))


def stress(run: Run) -> np.ndarray:
    rows = np.genfromtxt(run.directory / "wall.csv", delimiter=",", names=True)
    return np.stack([rows[f"wall_shear_stress_{axis}_pa"] for axis in "xyz"])


def carotid(program: Program, name: str, numbers: dict) -> Run:
    settings = {f"lattice.{key}": value for key, value in {**numbers, "advection": "plain"}.items()}
    return program.made_vessel("carotid", 1, f"storage-carotid-{name}", coarsen=2, settings=settings, extract=WALL)


def study(program: Program, _: Path) -> Outcome:
    tubes = (Tube(16, 0.8, 1), Tube(16, 0.8, 40), Tube(16, 0.55, 200), Tube(32, 0.55, 400))
    flows: dict[str, Callable] = {
        f"tube, {tube.voxels} voxels, tau {tube.tau:g}, mean speed {tube.speed:.2g}": tube.run for tube in tubes}
    flows["carotid, end of a beat"] = carotid
    outcome, rows = Outcome(), []
    for flow, run in flows.items():
        runs = {name: run(program, name, numbers) for name, numbers in NUMBERS.items()}
        velocity = {name: r.fields()[-1].velocity for name, r in runs.items()}
        stresses = {name: stress(r) for name, r in runs.items()}
        row = [flow]
        for name in list(NUMBERS)[1:]:
            errors = [relative_l2(found[name], found["fp64"]) for found in (velocity, stresses)]
            row += [f"{100 * e:.2g} %" for e in errors]
            outcome.checks += [Check(f"storage, {flow}, {name}: {what}", e, most=LARGEST[name] * (10 if run is carotid else 1))
                               for what, e in zip(("velocity", "wall shear stress"), errors)]
        rows.append(row)
    outcome.parts["storage"] = table(["flow", *(f"{name}: {what}" for name in list(NUMBERS)[1:] for what in ("velocity", "stress"))], rows)
    return outcome
