# SPDX-License-Identifier: BSD-3-Clause
"""The history of a run: flow and pressure at the openings (or momentum of a box), speed, density, and change per step."""
from pathlib import Path

import numpy as np

from weft.monitors import FLOW, PRESSURE, Monitors
from weft.style import INK, MMHG, QUIET, headline, plt, save

# The palette of Okabe and Ito: distinguishable with colour blindness, and in print.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442"]


def draw_monitors(monitors: Monitors, title: str, path: Path) -> None:
    flows, pressures = monitors.openings(FLOW), monitors.openings(PRESSURE)
    panels = [(_flow, flows)] * bool(flows) + [(_pressure, pressures)] * bool(pressures)
    panels += [(_speed, None), (_density, None), (_change, None)]
    time = monitors["time_s"]
    unit, factor = ("ms", 1e3) if np.nanmax(time) < 1 else ("s", 1.0)
    _draw(panels, monitors, time * factor, f"time ({unit})", title, path)


def draw_box_monitors(monitors: Monitors, title: str, path: Path) -> None:
    momentum = {name: values for name, values in monitors.columns.items() if name.startswith("momentum_")}
    panels = [(_box_speed, None), (_energy, None), (_density, None), (_mass, None)]
    panels += [(_momentum, momentum)] * bool(momentum)
    panels += [(_change, None)] * bool(np.isfinite(monitors["relative_change"]).any())  # only if the case asks for it
    _draw(panels, monitors, monitors["step"], "step", title, path)


def _draw(panels, monitors: Monitors, time: np.ndarray, label: str, title: str, path: Path) -> None:
    rows = (len(panels) + 1) // 2
    figure, axes = plt.subplots(rows, 2, figsize=(12.0, 0.8 + 2.9 * rows), layout="constrained", sharex=True,
                                squeeze=False)
    headline(figure, title)
    for place, (draw, data) in zip(axes.flat, panels):
        draw(place, time, monitors if data is None else data)
        place.grid(axis="y", color=QUIET, alpha=0.25, linewidth=0.8)
        place.margins(x=0)
    for place in axes.flat[len(panels):]:
        place.set_axis_off()
    for column in range(2):
        lowest = [place for place in axes[:, column] if place.axison][-1]
        lowest.set_xlabel(label)
        lowest.tick_params(labelbottom=True)
    save(figure, path)


def _flow(axes, time, flows) -> None:
    axes.set_title("Flow into the vessel (ml/s)")
    for (name, flow), colour in zip(flows.items(), COLOURS * len(flows)):
        axes.plot(time, flow * 1e6, color=colour, label=name)
    axes.plot(time, sum(flows.values()) * 1e6, color=INK, linewidth=1.2, linestyle=(0, (4, 2)), label="sum")
    _legend(axes, len(flows) + 1)


def _pressure(axes, time, pressures) -> None:
    axes.set_title("Pressure at the openings (mmHg)")
    for (name, pressure), colour in zip(pressures.items(), COLOURS * len(pressures)):
        axes.plot(time, pressure / MMHG, color=colour, label=name)
    _legend(axes, len(pressures))


def _momentum(axes, time, momentum) -> None:
    axes.set_title("Momentum of the fluid (lattice units)")
    for (name, values), colour in zip(momentum.items(), COLOURS * len(momentum)):
        axes.plot(time, values, color=colour, label=name.removeprefix("momentum_"))
    _legend(axes, len(momentum))


def _mass(axes, time, monitors) -> None:
    axes.set_title("Mass of the fluid, relative change since the start")
    mass = monitors["mass"]
    axes.plot(time, mass / mass[0] - 1, color=COLOURS[0])


def _box_speed(axes, time, monitors) -> None:
    axes.set_title("Largest speed (lattice units)")
    axes.plot(time, monitors["speed_max"], color=COLOURS[0])
    axes.set_ylim(bottom=0)


def _energy(axes, time, monitors) -> None:
    axes.set_title("Kinetic energy (lattice units)")
    axes.plot(time, monitors["kinetic_energy"], color=COLOURS[0])
    axes.set_ylim(bottom=0)


def _speed(axes, time, monitors) -> None:
    axes.set_title("Highest Mach number")
    axes.plot(time, monitors["mach_max"], color=COLOURS[0])
    axes.set_ylim(bottom=0)


def _density(axes, time, monitors) -> None:
    axes.set_title("Lattice density, lowest to highest")
    axes.fill_between(time, monitors["density_min"], monitors["density_max"], color=COLOURS[0], alpha=0.3, linewidth=0)
    for name in ("density_min", "density_max"):
        axes.plot(time, monitors[name], color=COLOURS[0], linewidth=1.2)
    axes.ticklabel_format(axis="y", useOffset=False)


def _change(axes, time, monitors) -> None:
    axes.set_title("Relative change of velocity per step")
    change = monitors["relative_change"]
    usable = np.isfinite(change) & (change > 0)
    axes.plot(time[usable], change[usable], color=COLOURS[0])
    if usable.any():
        axes.set_yscale("log")


def _legend(axes, entries: int) -> None:
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=10, ncols=1 + (entries - 1) // 8)
