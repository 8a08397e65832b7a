# SPDX-License-Identifier: BSD-3-Clause
"""Wall shear stress and pressure drop in round tubes with the program's defaults, over the Reynolds number: what is published of vessels.
A steady flow is compared with Poiseuille's solution, the stress under a pulse with Womersley's."""
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

import numpy as np

from weft.validation.measures import Check, Outcome, order, table
from weft.validation.program import Program, Run
from weft.validation.solutions import Fluid, womersley, womersley_flow
from weft.validation.surfaces import SLANTED, Tube, frame

AXES = {"slanted": SLANTED, "diagonal": (1.0, 1.0, 0.0), "aligned": (0.0, 0.0, 1.0)}
REYNOLDS = (40, 386, 1000)  # with the mean velocity and the diameter
VOXELS = (10, 14, 20)       # across the tube
USUAL = 14
ALPHA, BEATS, AMPLITUDE = 5.0, 3, 0.8  # of the pulse: its Womersley number, its beats, its amplitude / its mean
FLUID = Fluid(density=1060.0, viscosity=3.5e-3)  # the program's default
KINEMATIC = FLUID.viscosity / FLUID.density
RADIUS = 1e-3
LENGTH = 16 * RADIUS
SECTIONS = (8 * RADIUS, 13 * RADIUS)


@dataclass(frozen=True)
class Steady:
    """Relative errors."""
    mean: float  # of the mean wall shear stress over the sites of the tube's middle, signed
    each: float  # of each site, root mean square
    drop: float  # of the pressure drop between the sections, signed


@dataclass(frozen=True)
class Pulse:
    """Errors of the first harmonic of the mean wall shear stress, for the flow through the middle."""
    amplitude: float  # relative, signed
    degrees: float    # delay


def mean_velocity(reynolds: float) -> float:
    return reynolds * KINEMATIC / (2 * RADIUS)


def case(tube: Tube, voxels: int, inlet: dict, duration: float, wall: Optional[dict] = None) -> dict:
    along = frame(tube.axis)[2]

    def place(at: float) -> list[float]:
        return list(map(float, 1e3 * at * along))
    sections = [{"name": f"at{at / RADIUS:.0f}", "centre": place(at), "normal": list(map(float, along)), "radius": 1.3e3 * RADIUS}
                for at in SECTIONS]
    extract = {"name": "wall", "shape": "surface", "format": "csv", "centre": place(tube.length / 2), "radius": 3e3 * RADIUS,
               "quantities": ["wall_shear_stress"]}
    return {"surface": {"voxel": 2 * RADIUS / voxels}, "fluid": {"density": FLUID.density, "viscosity": FLUID.viscosity},
            "inlet": [{**tube.opening("in"), **inlet}], "outlet": [{**tube.opening("out"), "pressure": 0.0}],
            "run": {"duration": duration}, "output": {"summary": False}, "section": sections, "extract": [{**extract, **(wall or {})}]}


def wall_stress(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Of each row of the table its time and its vector."""
    rows = np.genfromtxt(run.directory / "wall.csv", delimiter=",", names=True)
    return rows["time_s"], np.stack([rows[f"wall_shear_stress_{axis}_pa"] for axis in "xyz"], axis=1)


def solve_steady(program: Program, axis: str, reynolds: float, voxels: int) -> Steady:
    mean, tube = mean_velocity(reynolds), Tube(RADIUS, LENGTH, AXES[axis])
    # Long enough for the slowest disturbance of developed flow to decay by e^8, and for advected disturbances to leave the tube.
    duration = max(0.35 * RADIUS**2 / KINEMATIC, 1.5 * LENGTH / mean)
    run = program.run(f"tubes-{axis}-{reynolds:g}-{voxels}", tube, case(tube, voxels, {"velocity": mean}, duration))
    ratio = np.linalg.norm(wall_stress(run)[1], axis=1) / (4 * FLUID.viscosity * mean / RADIUS) - 1
    monitors = run.monitors()
    drop = monitors["at8_pressure_pa"][-1] - monitors["at13_pressure_pa"][-1]
    exact = 8 * FLUID.viscosity * mean / RADIUS**2 * (SECTIONS[1] - SECTIONS[0])
    return Steady(float(ratio.mean()), float(np.sqrt(np.mean(ratio**2))), float(drop / exact - 1))


def first_harmonic(time: np.ndarray, values: np.ndarray, omega: float) -> complex:
    """The complex amplitude, by least squares."""
    basis = np.stack([np.ones_like(time), np.cos(omega * time), -np.sin(omega * time)], axis=1)
    fit = np.linalg.lstsq(basis, values, rcond=None)[0]
    return complex(fit[1], fit[2])


def wall_slope(omega: float) -> complex:
    """-du/dr at the wall for a mean velocity of amplitude 1, by a one-sided difference, to six digits."""
    h = 1e-4 * RADIUS
    near, far = womersley(1, omega, FLUID.density, FLUID.viscosity, RADIUS, np.array([RADIUS - h, RADIUS - 2 * h]))
    mean = womersley_flow(1, omega, FLUID.density, FLUID.viscosity, RADIUS) / (np.pi * RADIUS**2)
    return complex((4 * near - far) / (2 * h) / mean)


def solve_pulse(program: Program, axis: str, reynolds: float, voxels: int, alpha: float = ALPHA) -> Pulse:
    mean, tube = mean_velocity(reynolds), Tube(RADIUS, LENGTH, AXES[axis])
    omega = alpha**2 * KINEMATIC / RADIUS**2
    period = 2 * np.pi / omega
    inlet = {"velocity": {"mean": mean, "amplitude": AMPLITUDE * mean, "period": period}, "profile": "womersley"}
    run = program.run(f"tubes-pulse-{axis}-{reynolds:g}-{voxels}-{alpha:g}", tube,
                      case(tube, voxels, inlet, BEATS * period, {"every": f"{period / 50:.9g} s"}))
    time, vectors = wall_stress(run)
    along = vectors @ frame(tube.axis)[2]
    times = np.unique(time[time > (BEATS - 1) * period])
    stress = first_harmonic(times, np.array([along[time == one].mean() for one in times]), omega)
    monitors = run.monitors()
    last = monitors["time_s"] > (BEATS - 1) * period
    flow = first_harmonic(monitors["time_s"][last], monitors["at8_flow_m3_per_s"][last], omega)
    ratio = stress / (FLUID.viscosity * wall_slope(omega) * flow / (np.pi * RADIUS**2))
    return Pulse(abs(ratio) - 1, float(-np.degrees(np.angle(ratio))))


def signed(value: float) -> str:
    return f"{100 * value:+.2g} %"


def study(program: Program, images: Path, axes: Sequence[str] = tuple(AXES), reynolds: Sequence[float] = REYNOLDS,
          voxels: Sequence[int] = VOXELS) -> Outcome:
    """Draws no images."""
    del images
    outcome, rows, pulses = Outcome(), [], []
    found = {}
    for axis in axes:
        for number in reynolds:
            for n in voxels if axis != "diagonal" and number < 1000 else (USUAL,):
                found[axis, number, n] = e = solve_steady(program, axis, number, n)
                if n == USUAL or axis == "slanted":
                    rows.append([axis, f"{number:,}", n, signed(e.mean), f"{100 * e.each:.2g} %", signed(e.drop)])
        for number in reynolds[:2] if axis != "diagonal" else reynolds[:1]:
            pulse = solve_pulse(program, axis, number, USUAL)
            pulses.append([axis, f"{number:,}", signed(pulse.amplitude), f"{pulse.degrees:.1f}"])
            if axis == "slanted" and number == reynolds[0]:
                outcome.checks += [Check("tubes, slanted, pulse: amplitude", abs(pulse.amplitude), most=0.04),
                                   Check("tubes, slanted, pulse: delay in degrees", abs(pulse.degrees), most=4)]
    slow = [found["slanted", reynolds[0], n] for n in voxels]
    usual = found["slanted", reynolds[0], USUAL]
    outcome.checks += [
        Check(f"tubes, slanted, {USUAL} voxels: mean wall shear stress", abs(usual.mean), most=0.02),
        Check(f"tubes, slanted, {USUAL} voxels: wall shear stress, each site", usual.each, most=0.03),
        Check("tubes, slanted: order of the wall shear stress, each site", order(voxels, [e.each for e in slow]), least=1.6),
        Check(f"tubes, {USUAL} voxels: pressure drop, worst", max(abs(e.drop) for (_, _, n), e in found.items() if n == USUAL), most=0.03)]
    outcome.parts["tubes"] = table(["tube", "Reynolds number", "voxels", "mean wall shear stress", "each site", "pressure drop"], rows)
    outcome.parts["tubes, pulse"] = table(["tube", "mean Reynolds number", "amplitude", "delay (degrees)"], pulses)
    return outcome
