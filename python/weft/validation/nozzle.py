# SPDX-License-Identifier: BSD-3-Clause
"""The FDA's nozzle with its sudden expansion: velocities on the axis and across, against what was measured."""
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

import numpy as np

from weft.monitor_figure import COLOURS
from weft.style import INK
from weft.validation import figures
from weft.validation.measures import Check, Outcome, percent, table
from weft.validation.nozzle_measured import CENTRELINE, PROFILES
from weft.validation.program import Program
from weft.validation.surfaces import Turned, frame

DENSITY, VISCOSITY = 1056.0, 3.5e-3  # kg/m^3, Pa s
WIDE, THROAT = 6e-3, 2e-3            # radii
CONE, LENGTH = 22.685e-3, 40e-3      # of the cone (20 degrees in all) and of the throat
BEFORE, BEYOND = 12e-3, 100e-3       # of the wide tubes that are computed: the inflow is a parabola from the beginning
NOZZLE = Turned(((-LENGTH - CONE - BEFORE, WIDE), (-LENGTH - CONE, WIDE), (-LENGTH, THROAT), (0.0, THROAT), (0.0, WIDE), (BEYOND, WIDE)),
                axis=(0.0, 0.0, 1.0))
REYNOLDS = (500, 2000)
SPONGE = 15e-3                       # before the openings, for the vortices that the jet sends to the outlet when it begins
SPEED = 0.06                         # voxels a step, of the fastest fluid in the throat's end, which is what limits the time step
SECONDS = {500: 0.6, 2000: 0.15}    # the jet settles in half of it
SETTLED = 0.6                        # part of it after which means over time are taken


def mean_velocity(reynolds: float) -> float:
    """In the throat."""
    return reynolds * VISCOSITY / DENSITY / (2 * THROAT)


def inflow(reynolds: float) -> float:
    return mean_velocity(reynolds) * np.pi * THROAT**2


@dataclass(frozen=True)
class Line:
    """Means over time of the sites along a line."""
    along: np.ndarray
    r: np.ndarray
    velocity: np.ndarray  # along the axis
    pressure: np.ndarray

    def axis_at(self, along: float) -> float:
        """On the axis, from the sites nearby: a parabola over the distance to it takes out that they lie beside it."""
        near = np.argsort(np.abs(self.along - along))[:12]
        shift = self.along[near] - along
        terms = np.stack([np.ones(len(near)), self.r[near] ** 2, shift], axis=1)
        return float(np.linalg.lstsq(terms, self.velocity[near], rcond=None)[0][0])


def case_of(reynolds: int, voxels: int) -> dict:
    voxel = 2 * THROAT / voxels
    stations = sorted(set(PROFILES[reynolds]))
    line = {"shape": "line", "format": "csv", "every": 2e-3 * 500 / reynolds}
    lines = [{**line, "name": "axis", "from": _mm(NOZZLE.place(-LENGTH - CONE - BEFORE)), "to": _mm(NOZZLE.place(BEYOND))}]
    for z in stations:
        reach = THROAT if z <= 0 else WIDE
        lines.append({**line, "name": _name(z), "from": _mm(NOZZLE.place(1e-3 * z, -reach)), "to": _mm(NOZZLE.place(1e-3 * z, reach))})
    return {"title": f"FDA nozzle, Re {reynolds}", "surface": {"voxel": voxel}, "fluid": {"density": DENSITY, "viscosity": VISCOSITY},
            "lattice": {"wall": "bouzidi", "time_step": SPEED * voxel / (1.9 * mean_velocity(reynolds)), "sponge": SPONGE},
            "inlet": [{**NOZZLE.opening("in"), "flow": inflow(reynolds)}], "outlet": [{**NOZZLE.opening("out"), "pressure": 0.0}],
            "run": {"duration": SECONDS[reynolds]}, "monitor": {"every": 20}, "extract": lines}


def _mm(place: np.ndarray) -> list[float]:
    return list(map(float, 1e3 * place))


def _name(z: float) -> str:
    return f"across-{'minus' if z < 0 else ''}{abs(z):g}"


def read_line(path: Path, after: float, until: float = np.inf) -> Line:
    rows = np.genfromtxt(path, delimiter=",", names=True)
    rows = rows[(rows["time_s"] >= after) & (rows["time_s"] < until)]
    places = np.stack([rows[f"{axis}_m"] for axis in "xyz"], axis=1)
    velocity = np.stack([rows[f"velocity_{axis}_m_per_s"] for axis in "xyz"], axis=1) @ frame(NOZZLE.axis)[2]
    sites, number = np.unique(places, axis=0, return_inverse=True)
    number = number.reshape(-1)
    count = np.bincount(number)
    mean = [np.bincount(number, weights=values) / count for values in (velocity, rows["pressure_pa"])]
    along, r = NOZZLE.coordinates(sites)
    order = np.argsort(along)
    return Line(along[order], r[order], mean[0][order], mean[1][order])


def profile_error(line: Line, measured: tuple[Sequence[float], Sequence[float]]) -> float:
    """Root of the mean square difference over the mean velocity measured on the axis, at the measured radii."""
    r, u = np.array(measured[0]) * 1e-3, np.array(measured[1])
    inward = np.argsort(line.r)
    found = np.interp(r, line.r[inward], line.velocity[inward])
    return float(np.sqrt(np.mean((found - u) ** 2)) / u.max())


def study(program: Program, images: Path, voxels: int = 10, reynolds: Sequence[int] = REYNOLDS) -> Outcome:
    outcome = Outcome()
    figure, axes = figures.new_figure(3 * len(reynolds), columns=3)
    on_axis, across = [], []
    for number, re in enumerate(reynolds):
        run = program.run(f"nozzle-{re}-{voxels}", NOZZLE, case_of(re, voxels))
        after = SETTLED * SECONDS[re]
        axis = read_line(run.directory / "axis.csv", after)
        before = read_line(run.directory / "axis.csv", 0.5 * after, after)
        bulk = mean_velocity(re)
        for z, measured in CENTRELINE[re].items():
            if 1e-3 * z < axis.along.min():
                continue
            found, mean = axis.axis_at(1e-3 * z), float(np.mean(measured))
            spread = f"{min(measured):.3f} to {max(measured):.3f}" if len(measured) > 1 else f"{mean:.3f}"
            on_axis.append([f"{re:,}", f"{z:g}", spread, f"{found:.3f}", percent(found / mean - 1)])
            laminar = -20 <= z <= (60 if re == 500 else 24)
            if laminar:
                outcome.checks.append(Check(f"nozzle, Re {re}, axis at {z:g} mm: off what was measured", abs(found / mean - 1), most=0.1))
        drift = max(abs(axis.axis_at(1e-3 * z) - before.axis_at(1e-3 * z)) / bulk for z in (-8, 8, 24))
        outcome.checks.append(Check(f"nozzle, Re {re}: still changing on the axis up to 24 mm", drift, most=0.05))
        flow = run.monitors()["out_flow_m3_per_s"]
        settled = run.monitors()["time_s"] >= after
        outcome.checks.append(Check(f"nozzle, Re {re}: outflow off the inflow", abs(-flow[settled].mean() / inflow(re) - 1), most=0.01))
        top, middle, last = axes[3 * number:3 * number + 3]
        top.set_title(f"On the axis, Re {re:,}")
        top.plot(1e3 * axis.along, axis.velocity, color=COLOURS[0], linewidth=1.2, label="weft flow")
        for z, measured in CENTRELINE[re].items():
            top.plot([z] * len(measured), measured, "o", color=INK, markersize=3, label="measured" if z == 0 else None)
        top.set_xlabel("along the axis (mm)")
        top.set_ylabel("velocity (m/s)")
        top.legend(fontsize=9)
        stations = sorted(PROFILES[re])
        for place, shown in ((middle, stations[:2]), (last, stations[2:])):
            place.set_title("Across, at " + " and ".join(f"{z:g}" for z in shown) + " mm")
            for k, z in enumerate(shown):
                line = read_line(run.directory / f"{_name(z)}.csv", after)
                error = profile_error(line, PROFILES[re][z])
                across.append([f"{re:,}", f"{z:g}", percent(error)])
                outcome.checks.append(Check(f"nozzle, Re {re}, across at {z:g} mm", error, most=0.1))
                inward = np.argsort(line.r)
                place.plot(1e3 * line.r[inward], line.velocity[inward], color=COLOURS[k], linewidth=1.2, label=f"{z:g} mm")
                place.plot(*PROFILES[re][z], "o", color=COLOURS[k], markersize=3.5, markeredgecolor=INK, markeredgewidth=0.4)
            place.set_xlabel("distance to the axis (mm)")
            place.legend(fontsize=9)
    figures.finish(figure, images / "validation-nozzle.png")
    outcome.parts["nozzle, axis"] = table(["Re", "place (mm)", "measured (m/s)", "computed (m/s)", "difference"], on_axis)
    outcome.parts["nozzle, across"] = table(["Re", "place (mm)", "root of the mean square difference, of the velocity on the axis"], across)
    return outcome
