# SPDX-License-Identifier: BSD-3-Clause
"""Outlets that depend on the flow: a windkessel's pressure compared with its equation, a fork's flow split with its resistances."""
from pathlib import Path

import numpy as np

from weft.monitor_figure import COLOURS
from weft.style import INK
from weft.validation import figures
from weft.validation.measures import Check, Outcome, percent, table
from weft.validation.poiseuille import FLUID, RADIUS, Setting
from weft.validation.program import Program
from weft.validation.solutions import SLOWEST_DECAY, channel_resistance, windkessel
from weft.validation.surfaces import Fork, Tube

TUBE = Tube(RADIUS, 6 * RADIUS)
PERIOD, PERIODS, MEAN = 0.5, 4, 0.01  # s, -, m/s
VOXELS = 12
RESISTANCE = 2e9                        # Pa s/m^3: 63 Pa at the mean flow
MODELS = {"RC": {"resistance": RESISTANCE, "capacitance": 0.4 * PERIOD / RESISTANCE},
          "RCR": {"resistance": 0.8 * RESISTANCE, "capacitance": 0.5 * PERIOD / RESISTANCE, "proximal": 0.2 * RESISTANCE}}


def windkessels(program: Program, images: Path) -> Outcome:
    """Solves the windkessel's equation with the outflow in monitors.csv, and compares its pressure with that in monitors.csv."""
    outcome, rows = Outcome(), []
    figure, axes = figures.new_figure(len(MODELS) + 1)
    axes[0].set_title("Flow out of the vessel")
    axes[0].set_ylabel("flow (mm\u00b3/s)")
    for number, (name, model) in enumerate(MODELS.items()):
        setting = Setting(VOXELS, "bouzidi", tau=0.52)
        # The initial pressure is that of the mean flow, so that a few periods are enough.
        initial = model["resistance"] * MEAN * np.pi * RADIUS**2
        steps = int(PERIODS * PERIOD / setting.time_step)
        rise = [[0.0, 0.0], [0.1 * PERIOD, MEAN]]
        wave = [[t, MEAN * (1 + 0.8 * np.sin(2 * np.pi * (t / PERIOD - 0.1)))]
                for t in PERIOD * np.linspace(0.1, PERIODS, 40 * PERIODS)[1:]]
        run = program.run(f"windkessel-{name}", TUBE, {
            "surface": {"voxel": setting.voxel}, "fluid": {"density": FLUID.density, "viscosity": FLUID.viscosity},
            "lattice": setting.lattice(), "inlet": [{**TUBE.opening("in"), "velocity": rise + wave}],
            "outlet": [{**TUBE.opening("out"), "windkessel": {**model, "initial": initial}}],
            "run": {"steps": steps, "ramp": 0}, "monitor": {"every": 4}})
        monitors = run.monitors()
        time, flow = monitors["time_s"], -monitors["out_flow_m3_per_s"]
        pressure = monitors["out_pressure_pa"]
        exact = windkessel(time, flow, model["resistance"], model["capacitance"], model.get("proximal", 0.0),
                           initial=initial)
        swing = exact.max() - exact.min()
        worst = np.abs(pressure - exact).max() / swing
        rows.append([name, f"{exact.min():.1f} to {exact.max():.1f}", percent(worst)])
        outcome.checks.append(Check(f"windkessel {name}: largest difference / pressure range", float(worst), most=0.03))
        axes[0].plot(time, 1e9 * flow, color=COLOURS[number], linewidth=1.2, label=name)
        place = axes[number + 1]
        place.set_title(f"Pressure at the outlet, {name}")
        place.plot(time, pressure, color=COLOURS[number], linewidth=3, alpha=0.5, label=name)
        place.plot(time, exact, color=INK, linewidth=1, linestyle=(0, (4, 2)), label="equation")
        place.set_ylabel("pressure (Pa)")
    for place in axes:
        place.set_xlabel("time (s)")
        low, high = place.get_ylim()
        place.set_ylim(low, high + 0.22 * (high - low))
        place.legend(fontsize=9, loc="upper right", ncols=2)
    figures.finish(figure, images / "validation-windkessel.png")
    head = ["model", "pressure range (Pa)", "largest difference / range"]
    outcome.parts["windkessel"] = table(head, rows)
    return outcome


DEPTH = 1e-3
FORK = Fork(DEPTH, stem=(1e-3, 3e-3), left=(0.75e-3, 3e-3), right=(1e-3, 3e-3))


def branches() -> dict[str, float]:
    """Resistance of each arm, from the middle of the fork."""
    return {name: channel_resistance(arm[0], DEPTH, arm[1], FLUID.viscosity)
            for name, arm in (("left", FORK.left), ("right", FORK.right))}


def splits(program: Program, images: Path) -> Outcome:
    """The fraction of the flow through the left arm, for windkessel resistances, prescribed fractions, and equal pressures."""
    outcome, rows = Outcome(), []
    own = branches()
    unit = 10 * own["right"]
    wanted, found = [], []
    tests = [("windkessels", ratio) for ratio in (0.25, 0.5, 1.0, 2.0, 4.0)] + [("share", part) for part in (0.2, 0.5, 0.7)]
    tests.append(("equal pressures", 0.0))
    for kind, value in tests:
        drop = 4.0 if kind == "windkessels" else 0.4
        if kind == "share":
            left, right = {"share": value}, {"pressure": 0.0}
            expected = value
        elif kind == "equal pressures":
            left = right = {"pressure": 0.0}
            expected = own["right"] / (own["left"] + own["right"])
        else:
            resistances = {"left": unit * 2 * value / (1 + value), "right": unit * 2 / (1 + value)}
            left, right = ({"windkessel": {"resistance": resistances[name], "initial": 0.0}} for name in ("left", "right"))
            through = {name: 1 / (own[name] + resistances[name]) for name in own}
            expected = through["left"] / sum(through.values())
        setting = Setting(20, "bouzidi", tau=0.6)
        steps = int(60 * (DEPTH / 2) ** 2 * FLUID.density / FLUID.viscosity / SLOWEST_DECAY / setting.time_step)
        run = program.run(f"fork-{kind}-{value:g}", FORK, {
            "surface": {"voxel": setting.voxel}, "fluid": {"density": FLUID.density, "viscosity": FLUID.viscosity},
            "lattice": setting.lattice(), "inlet": [{**FORK.opening("stem"), "pressure": drop}],
            "outlet": [{**FORK.opening("left"), **left}, {**FORK.opening("right"), **right}],
            "run": {"steps": steps, "ramp": 0}, "monitor": {"every": steps // 10}})
        monitors = run.monitors()
        part = -monitors["left_flow_m3_per_s"][-1] / monitors["stem_flow_m3_per_s"][-1]
        given = {"windkessels": f"{value:g}:1", "share": f"{value:g}"}.get(kind, "nothing")
        rows.append([kind, given, f"{expected:.4f}", percent(abs(part / expected - 1))])
        outcome.checks.append(Check(f"fork, {kind} {value:g}: error of the fraction through the left arm", float(abs(part / expected - 1)),
                                    most={"windkessels": 0.01, "share": 2e-3}.get(kind, 0.1)))
        wanted.append(expected)
        found.append(part)
    outcome.parts["split"] = table(["outlets", "prescribed (left:right, or left)", "expected", "error"], rows)
    figure, axes = figures.new_figure(1)
    axes[0].set_title("Fraction of the flow through the left arm")
    axes[0].plot([0, 1], [0, 1], color=INK, linewidth=1)
    for name, colour in zip(("windkessels", "share", "equal pressures"), COLOURS):
        mine = [k for k, (kind, _) in enumerate(tests) if kind == name]
        axes[0].plot([wanted[k] for k in mine], [found[k] for k in mine], "o", color=colour, label=name)
    axes[0].set_xlabel("expected")
    axes[0].set_ylabel("computed")
    axes[0].legend()
    figures.finish(figure, images / "validation-split.png")
    return outcome
