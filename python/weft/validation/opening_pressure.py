# SPDX-License-Identifier: BSD-3-Clause
"""The pressure in an outlet's plane: that to which a line through the middle of the vessel extrapolates, against the prescribed one."""
from pathlib import Path

import numpy as np

from weft.validation.measures import Check, Outcome, percent, table
from weft.validation.program import Program, Run
from weft.validation.surfaces import SLANTED, Tee, Tube

RADIUS, VISCOSITY, DENSITY = 3e-3, 3.5e-3, 1060.0
AXES = {"(0, 0, 1)": (0, 0, 1), "(1, 1, 0)": (1, 1, 0), "(1, 1, 1)": (1, 1, 1), "(1, 2, 4)": SLANTED}
SHIFTS = ((0.0, 0.0, 0.0), (0.37, 0.11, 0.73), (0.61, 0.83, 0.29))  # of the lattice, in voxels
RESISTANCE = 3.0  # of a windkessel: pressure / (density x speed^2)


def speed(reynolds: float) -> float:
    return reynolds * VISCOSITY / DENSITY / (2 * RADIUS)


def case(surface: object, voxels: float, shift: tuple, inlet: dict, outlets: dict[str, dict], seconds: float) -> dict:
    voxel = 2e3 * RADIUS / voxels
    return {"surface": {"voxel": f"{voxel} mm", "origin": [voxel * s for s in shift]},
            "fluid": {"density": DENSITY, "viscosity": VISCOSITY}, "lattice": {"wall": "bouzidi"},
            "inlet": [{**surface.opening("in"), **inlet}],
            "outlet": [{**surface.opening(name), **values} for name, values in outlets.items()],
            "run": {"duration": seconds}, "monitor": {"every": 20, "tolerance": 1e-7}, "output": {"summary": False}}


def outlet_of(kind: str, mean: float) -> tuple[dict, float]:
    """The keys of an outlet, and the pressure that they prescribe at the tube's flow."""
    wanted = RESISTANCE * DENSITY * mean**2
    resistance = wanted / (mean * np.pi * RADIUS**2)
    model = {"resistance": {"resistance": resistance}, "RC": {"resistance": resistance, "capacitance": 0.02 / resistance},
             "RCR": {"resistance": 0.8 * resistance, "proximal": 0.2 * resistance, "capacitance": 0.02 / resistance}}
    if kind == "pressure":
        return {"pressure": 0.0}, 0.0
    return {"windkessel": {**model[kind], "initial": wanted}}, wanted


def excess(run: Run, tube: Tube) -> float:
    """Pressure at the outlet's plane, from a line through the middle of the tube, which the gauge does not use."""
    fields = run.fields()[-1]
    along, r = tube.coordinates(fields.origin + fields.voxel * (fields.index + 0.5))
    middle = (along > 0.3 * tube.length) & (along < 0.7 * tube.length) & (r < 0.7 * RADIUS)
    return float(np.polyval(np.polyfit(along[middle], fields.pressure[middle], 1), tube.length))


def tubes(program: Program, outcome: Outcome) -> None:
    rows = []
    all_reynolds = (50, 200, 700)
    for voxels in (9, 12, 16):
        row: list[object] = [voxels]
        for reynolds in all_reynolds:
            mean, errors = speed(reynolds), []
            for axis in AXES.values():
                for number, shift in enumerate(SHIFTS):
                    kind = ("pressure", "resistance", "RCR", "RC")[(number + int(axis[0])) % 4]
                    tube = Tube(RADIUS, 8 * RADIUS, axis)
                    values, wanted = outlet_of(kind, mean)
                    run = program.run(f"opening-{voxels}-{reynolds}-{'-'.join(map('{:g}'.format, axis))}-{number}", tube,
                                      case(tube, voxels, shift, {"velocity": mean}, {"out": values}, 3 * tube.length / mean))
                    errors.append((excess(run, tube) - wanted) / (DENSITY * mean**2))
            largest = np.abs(errors).max()
            row.append(f"{largest:.3f}")
            outcome.checks.append(Check(f"pressure at an outlet, {voxels} voxels, Reynolds number {reynolds}", float(largest), most=0.04))
        rows.append(row)
    outcome.parts["openings, tubes"] = table(["voxels", *(f"Re {reynolds}" for reynolds in all_reynolds)], rows)


def tees(program: Program, outcome: Outcome) -> None:
    rows = []
    tee, mean = Tee(RADIUS, 8 * RADIUS), speed(200)
    for voxels, most, spread in ((10, 0.015, 0.008), (15, 0.003, 0.003)):
        found = []
        for number, shift in enumerate(SHIFTS):
            run = program.run(f"tee-{voxels}-{number}", tee, case(tee, voxels, shift, {"velocity": mean},
                                                                  {"left": {"pressure": 0.0}, "right": {"pressure": 0.0}}, 1.0))
            left, right = (-run.monitors()[f"{name}_flow_m3_per_s"][-1] for name in ("left", "right"))
            found.append(left / (left + right))
        rows.append([voxels, ", ".join(f"{100 * one:.2f}" for one in found) + " %"])
        outcome.checks.append(Check(f"T, {voxels} voxels: error of the left outlet's fraction", float(np.abs(np.array(found) - 0.5).max()),
                                    most=most))
        outcome.checks.append(Check(f"T, {voxels} voxels: range of that fraction over the lattice's positions", float(np.ptp(found)), most=spread))
    outcome.parts["openings, T"] = table(["voxels", "fraction through the left outlet"], rows)


def pulsed(program: Program, outcome: Outcome) -> None:
    """A pulse through a T, whose eddies reach the outlets: the split, and the pressure at the outlets in the last beat."""
    rows, tee, radius, period = [], Tee(1.5e-3, 8 * 1.5e-3), 1.5e-3, 0.2
    mean = 1.5e-6 / (np.pi * radius**2)
    for number, shift in enumerate(SHIFTS):
        made = case(tee, 9, shift, {"flow": {"mean": 1.5e-6, "amplitude": 1.2e-6, "period": period}, "profile": "womersley"},
                    {"left": {"pressure": 0.0}, "right": {"pressure": 0.0}}, 2 * period)
        made["surface"]["voxel"] = f"{2e3 * radius / 9} mm"
        made["monitor"] = {"every": 20}
        monitors = program.run(f"pulsed-tee-{number}", tee, made).monitors()
        last = monitors["time_s"] > period
        left, right = (-monitors[f"{name}_flow_m3_per_s"][last].mean() for name in ("left", "right"))
        dynamic = DENSITY * (1.8 * mean / 2) ** 2
        error = max(float(np.abs(monitors[f"{name}_pressure_pa"][last]).max()) for name in ("left", "right")) / dynamic
        rows.append([f"{100 * left / (left + right):.2f} %", f"{error:.3f}"])
        outcome.checks.append(Check(f"pulsed T, {shift}: error of the left outlet's fraction", float(abs(left / (left + right) - 0.5)), most=0.03))
        outcome.checks.append(Check(f"pulsed T, {shift}: pressure at the outlets", error, most=0.1))
    outcome.parts["openings, pulsed T"] = table(["fraction through the left outlet", "largest error of the pressure"], rows)


def driven(program: Program, outcome: Outcome) -> None:
    """Flow that a pressure drives through a tube, against Poiseuille's."""
    rows, pressure = [], 200.0
    tube = Tube(RADIUS, 20 * RADIUS)
    for viscosity in (5e-3, 10e-3):
        exact = np.pi * RADIUS**4 * pressure / (8 * viscosity * tube.length)
        made = case(tube, 10, SHIFTS[0], {"pressure": pressure}, {"out": {"pressure": 0.0}}, 1.6 * 5e-3 / viscosity)
        made["fluid"] = {"density": 1000.0, "viscosity": viscosity}
        run = program.run(f"driven-{1e3 * viscosity:g}", tube, made)
        found = run.monitors()["in_flow_m3_per_s"][-1]
        reynolds = 2 * found / (np.pi * RADIUS) * 1000 / viscosity
        rows.append([f"{reynolds:.0f}", percent(found / exact - 1)])
        outcome.checks.append(Check(f"tube under 200 Pa, Reynolds number {reynolds:.0f}", float(abs(found / exact - 1)), most=0.02))
    outcome.parts["openings, driven"] = table(["Reynolds number", "difference of the flow"], rows)


def study(program: Program, images: Path) -> Outcome:
    outcome = Outcome()
    tubes(program, outcome)
    tees(program, outcome)
    pulsed(program, outcome)
    driven(program, outcome)
    return outcome
