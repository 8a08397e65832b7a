# SPDX-License-Identifier: BSD-3-Clause
"""The FDA's nozzle with sudden expansion: velocities on the axis and across it, compared with measurements."""
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

import numpy as np

from weft.fields import Fields
from weft.monitor_figure import COLOURS
from weft.style import INK, QUIET
from weft.validation import figures
from weft.validation.measures import Check, Outcome, percent, table
from weft.validation.nozzle_measured import CENTRELINE, PROFILES
from weft.validation.program import Program
from weft.validation.surfaces import Turned, frame

DENSITY, VISCOSITY = 1056.0, 3.5e-3  # kg/m^3, Pa s
WIDE, THROAT = 6e-3, 2e-3            # radii
CONE, LENGTH = 22.685e-3, 40e-3      # lengths of the cone (full angle 20 degrees) and of the throat
BEFORE, BEYOND = 12e-3, 100e-3       # lengths of the wide tubes that are computed; the inflow is a parabola
NOZZLE = Turned(((-LENGTH - CONE - BEFORE, WIDE), (-LENGTH - CONE, WIDE), (-LENGTH, THROAT), (0.0, THROAT), (0.0, WIDE), (BEYOND, WIDE)),
                axis=(0.0, 0.0, 1.0))
REYNOLDS = (500, 2000, 3500)
SPONGE = 15e-3                       # length of the sponge at the openings: it damps the vortices that the starting jet sends to the outlet
SPEED = 0.06                         # largest speed at the throat's end, voxels per step; it limits the time step
FASTEST = {500: 1.9, 2000: 1.6, 3500: 1.45}  # largest speed there / mean velocity in the throat; lower at higher Re, where the profile is flatter
# Times in units of passing(): the throat's diameter / the mean velocity in the throat.
RAMP = 15.0
COMPUTED = {500: 75.0, 2000: 90.0, 3500: 120.0}
MEANS = {500: 25.0, 2000: 40.0, 3500: 60.0}  # averaging interval at the end of the run
SAMPLES = 0.4                        # between two samples
# These run a second time with the nozzle tilted against the lattice by 0.3 % of its length, away from all symmetry planes of the lattice.
TILTED = (3500,)
TILTED_NOZZLE = Turned(NOZZLE.wall, axis=(0.0027, 0.0013, 1.0))
# Velocities are checked from -20 mm to this position (mm): in no data set does the jet break down before it.
CHECKED = {500: 60, 2000: 48, 3500: 24}
SHOWN = (-48, -42, -20, 0, 8, 24, 40, 60, 80)  # positions on the axis (mm) in the page's table
BROKEN = 0.5                         # definition of breakdown: axis velocity / axis velocity at the expansion


def mean_velocity(reynolds: float) -> float:
    """Mean velocity in the throat."""
    return reynolds * VISCOSITY / DENSITY / (2 * THROAT)


def inflow(reynolds: float) -> float:
    return mean_velocity(reynolds) * np.pi * THROAT**2


def passing(reynolds: float) -> float:
    """The throat's diameter / the mean velocity there."""
    return 2 * THROAT / mean_velocity(reynolds)


@dataclass(frozen=True)
class Line:
    """Time averages of the sites along a line."""
    along: np.ndarray
    r: np.ndarray
    velocity: np.ndarray  # along the axis
    pressure: np.ndarray

    def axis_at(self, along: float) -> float:
        """Velocity on the axis, fitted to the nearest sites, which lie beside it: a parabola over their distance to the axis."""
        near = np.argsort(np.abs(self.along - along))[:12]
        shift = self.along[near] - along
        terms = np.stack([np.ones(len(near)), self.r[near] ** 2, shift], axis=1)
        return float(np.linalg.lstsq(terms, self.velocity[near], rcond=None)[0][0])

    def across(self) -> tuple[np.ndarray, np.ndarray]:
        """For a line across the axis: distances to the axis (m) and velocities, averaged over both sides."""
        r, number = np.unique(np.round(self.r, 7), return_inverse=True)
        number = number.reshape(-1)
        return r, np.bincount(number, weights=self.velocity) / np.bincount(number)


def case_of(reynolds: int, voxels: int, nozzle: Turned = NOZZLE) -> dict:
    voxel = 2 * THROAT / voxels
    stations = sorted(set(PROFILES[reynolds]))
    line = {"shape": "line", "format": "csv", "every": SAMPLES * passing(reynolds)}
    lines = [{**line, "name": "axis", "from": _mm(nozzle.place(-LENGTH - CONE - BEFORE)), "to": _mm(nozzle.place(BEYOND))}]
    for z in stations:
        reach = THROAT if z <= 0 else WIDE
        lines.append({**line, "name": _name(z), "from": _mm(nozzle.place(1e-3 * z, -reach)), "to": _mm(nozzle.place(1e-3 * z, reach))})
    return {"title": f"FDA nozzle, Re {reynolds}", "surface": {"voxel": voxel}, "fluid": {"density": DENSITY, "viscosity": VISCOSITY},
            "lattice": {"wall": "bouzidi", "time_step": SPEED * voxel / (FASTEST[reynolds] * mean_velocity(reynolds)), "sponge": SPONGE},
            "inlet": [{**nozzle.opening("in"), "flow": inflow(reynolds)}],
            "outlet": [{**nozzle.opening("out"), "pressure": 0.0}],
            "run": {"duration": COMPUTED[reynolds] * passing(reynolds), "ramp": RAMP * passing(reynolds)}, "monitor": {"every": 20}, "extract": lines}


def _mm(place: np.ndarray) -> list[float]:
    return list(map(float, 1e3 * place))


def _name(z: float) -> str:
    return f"across-{'minus' if z < 0 else ''}{abs(z):g}"


def read_line(path: Path, after: float, until: float = np.inf, nozzle: Turned = NOZZLE) -> Line:
    rows = np.genfromtxt(path, delimiter=",", names=True)
    rows = rows[(rows["time_s"] >= after) & (rows["time_s"] < until)]
    places = np.stack([rows[f"{axis}_m"] for axis in "xyz"], axis=1)
    velocity = np.stack([rows[f"velocity_{axis}_m_per_s"] for axis in "xyz"], axis=1) @ frame(nozzle.axis)[2]
    sites, number = np.unique(places, axis=0, return_inverse=True)
    number = number.reshape(-1)
    count = np.bincount(number)
    mean = [np.bincount(number, weights=values) / count for values in (velocity, rows["pressure_pa"])]
    along, r = nozzle.coordinates(sites)
    order = np.argsort(along)
    return Line(along[order], r[order], mean[0][order], mean[1][order])


def measured_at(reynolds: int) -> dict[float, list[float]]:
    """By position on the axis: the velocities of all data sets."""
    places = sorted({z for told in CENTRELINE[reynolds].values() for z in told})
    return {z: [told[z] for told in CENTRELINE[reynolds].values() if z in told] for z in places}


def breakdown(z: Sequence[float], u: Sequence[float]) -> tuple[float, float, float]:
    """The position where the velocity on the axis first falls to BROKEN times that at z = 0 (linear interpolation), and the two
    neighbouring positions. NaN, the last position and infinity if it does not fall that far."""
    least = BROKEN * u[list(z).index(0)]
    for k in range(list(z).index(0), len(z) - 1):
        if u[k + 1] <= least:
            return z[k] + (z[k + 1] - z[k]) * (u[k] - least) / (u[k] - u[k + 1]), z[k], z[k + 1]
    return np.nan, z[-1], np.inf


def _told(found: tuple[float, float, float]) -> str:
    place, before, _ = found
    return f"{place:.0f}" if np.isfinite(place) else f">{before:g}"


@dataclass(frozen=True)
class Plane:
    """The last state of the layer of sites nearest to a position on the axis, which is the lattice's z axis."""
    x: np.ndarray
    y: np.ndarray
    velocity: np.ndarray  # along the axis

    def around(self) -> tuple[np.ndarray, np.ndarray]:
        """Distances to the axis and velocities, averaged over rings one voxel wide."""
        r = np.hypot(self.x, self.y)
        ring = np.floor(r / self._voxel()).astype(int)
        count = np.bincount(ring)
        r, velocity = (np.bincount(ring, weights=values)[count > 0] / count[count > 0] for values in (r, self.velocity))
        return r, velocity

    def axis_and_diagonal(self) -> float:
        """The largest difference between the velocities on the lattice's axes and on its diagonals at the same radius. 0 in a round jet."""
        r, along = np.hypot(self.x, self.y), (np.abs(self.x), np.abs(self.y))
        near = 0.75 * self._voxel()
        lines = []
        for chosen in (np.minimum(*along) < near, np.abs(along[0] - along[1]) < 0.1 * near):
            distance, number = np.unique(np.round(r[chosen], 7), return_inverse=True)
            number = number.reshape(-1)
            lines.append((distance, np.bincount(number, weights=self.velocity[chosen]) / np.bincount(number)))
        (r, u), diagonal = lines
        largest = 0.0
        for place, velocity in zip(*diagonal):
            if r[0] <= place <= r[-1]:
                near = np.argsort(np.abs(r - place))[:4]
                largest = max(largest, abs(float(np.polyval(np.polyfit(r[near] - place, u[near], 3), 0.0)) - velocity))
        return largest

    def _voxel(self) -> float:
        return float(np.diff(np.unique(np.round(self.x, 7))).min())


def plane_of(fields: Fields, along: float) -> Plane:
    centres = fields.origin + fields.voxel * (fields.index + 0.5)
    layer = fields.index[:, 2] == fields.index[np.argmin(np.abs(centres[:, 2] - along)), 2]
    return Plane(centres[layer, 0], centres[layer, 1], fields.velocity[layer, 2])


def profile_error(profile: tuple[np.ndarray, np.ndarray], measured: tuple[Sequence[float], Sequence[float]]) -> float:
    """Root mean square difference at the measured radii / largest measured velocity."""
    r, u = np.array(measured[0]) * 1e-3, np.array(measured[1])
    found = np.interp(r, *profile)
    return float(np.sqrt(np.mean((found - u) ** 2)) / u.max())


def _off(difference: float) -> str:
    return percent(difference) if abs(difference) < 1 else f"{100 * difference:.0f} %"


def study(program: Program, images: Path, voxels: int = 10, reynolds: Sequence[int] = REYNOLDS) -> Outcome:
    outcome = Outcome()
    figure, axes = figures.new_figure(3 * len(reynolds), columns=3)
    on_axis: dict[float, list[str]] = {z: [""] * len(reynolds) for re in reynolds for z in measured_at(re)}
    across, broken = [], []
    for number, re in enumerate(reynolds):
        run = program.run(f"nozzle-{re}-{voxels}", NOZZLE, case_of(re, voxels))
        end = COMPUTED[re] * passing(re)
        after, half = end - MEANS[re] * passing(re), end - 0.5 * MEANS[re] * passing(re)
        axis, first, second = (read_line(run.directory / "axis.csv", *times) for times in ((after,), (after, half), (half,)))
        bulk = mean_velocity(re)
        for z, measured in measured_at(re).items():
            found, mean = axis.axis_at(1e-3 * z), float(np.mean(measured))
            on_axis[z][number] = _off(found / mean - 1)
            if -20 <= z <= CHECKED[re]:
                outcome.checks.append(Check(f"nozzle, Re {re}, axis at {z:g} mm: difference from the measurement", abs(found / mean - 1), most=0.1))
        drift = max(abs(first.axis_at(1e-3 * z) - second.axis_at(1e-3 * z)) / bulk for z in (-8, 8, 24))
        outcome.checks.append(Check(f"nozzle, Re {re}: drift on the axis up to 24 mm", drift, most=0.05))
        flow = run.monitors()["out_flow_m3_per_s"]
        settled = run.monitors()["time_s"] >= after
        outcome.checks.append(Check(f"nozzle, Re {re}: difference of outflow and inflow", abs(-flow[settled].mean() / inflow(re) - 1), most=0.01))
        computed = {"computed": axis}
        if re in TILTED:
            other = program.run(f"nozzle-{re}-{voxels}-tilted", TILTED_NOZZLE, case_of(re, voxels, TILTED_NOZZLE))
            computed["computed, tilted"] = read_line(other.directory / "axis.csv", after, nozzle=TILTED_NOZZLE)
        places = np.arange(0.0, 1e3 * (BEYOND - SPONGE) + 0.5)
        lost = {name: _told(breakdown(places, np.interp(places, 1e3 * line.along, line.velocity))) for name, line in computed.items()}
        broken.append([f"{re:,}", lost["computed"], lost.get("computed, tilted", ""),
                       ", ".join(_told(breakdown(list(told), list(told.values()))) for told in CENTRELINE[re].values())])
        top, middle, last = axes[3 * number:3 * number + 3]
        top.set_title(f"On the axis, Re {re:,}")
        for (name, line), style in zip(computed.items(), ("-", "--")):
            top.plot(1e3 * line.along, line.velocity, style, color=COLOURS[0], linewidth=1.2, label=name)
        for name, told in CENTRELINE[re].items():
            top.plot(list(told), list(told.values()), "o", color=INK, markersize=3, label="measured" if name == "243" else None)
        top.axvspan(-20, CHECKED[re], color=QUIET, alpha=0.12, linewidth=0, label="checked")
        top.set_xlabel("along the axis (mm)")
        top.set_ylabel("velocity (m/s)")
        top.legend(fontsize=9)
        stations, state = sorted(PROFILES[re]), run.fields()[-1]
        for place, shown in ((middle, stations[:2]), (last, stations[2:])):
            place.set_title("Across, at " + " and ".join(f"{z:g}" for z in shown) + " mm")
            for k, z in enumerate(shown):
                line = read_line(run.directory / f"{_name(z)}.csv", after)
                error, plane = profile_error(line.across(), PROFILES[re][z]), plane_of(state, 1e-3 * z)
                steady = z <= CHECKED[re]
                across.append([f"{re:,}", f"{z:g}", _off(error),
                               *(percent(value) if steady else "" for value in (profile_error(plane.around(), PROFILES[re][z]),
                                                                                plane.axis_and_diagonal() / max(plane.velocity)))])
                if z <= CHECKED[re]:
                    outcome.checks.append(Check(f"nozzle, Re {re}, across at {z:g} mm", error, most=0.1))
                distance, velocity = line.across()
                place.plot(1e3 * distance, velocity, color=COLOURS[k], linewidth=1.2, label=f"{z:g} mm")
                if steady:
                    distance, velocity = plane.around()
                    place.plot(1e3 * distance, velocity, "--", color=COLOURS[k], linewidth=1, label=f"{z:g} mm, mean over the circumference")
                place.plot(*PROFILES[re][z], "o", color=COLOURS[k], markersize=3.5, markeredgecolor=INK, markeredgewidth=0.4)
            place.set_xlabel("distance to the axis (mm)")
            place.legend(fontsize=9)
    figures.finish(figure, images / "validation-nozzle.png")
    outcome.parts["nozzle, axis"] = table(["position (mm)", *(f"Re {re:,}" for re in reynolds)],
                                          [[f"{z:g}", *row] for z, row in sorted(on_axis.items()) if z in SHOWN])
    outcome.parts["nozzle, breakdown"] = table(["Re", "computed (mm)", "computed, tilted (mm)", "data sets (mm)"], broken)
    outcome.parts["nozzle, across"] = table(["Re", "position (mm)", "along a lattice axis", "mean over the circumference", "axis against diagonal"],
                                            across)
    return outcome
