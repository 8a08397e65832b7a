# SPDX-License-Identifier: BSD-3-Clause
"""Steady flow in a fusiform aneurysm, compared with publications and with a solution of the axisymmetric Navier-Stokes equations.

Units of the reference: lengths in diameters d of the tube, speeds in the tube's mean velocity, stresses in the wall stress of
steady flow in the tube."""
from pathlib import Path
from typing import Sequence

import numpy as np

from weft.fields import Fields
from weft.monitor_figure import COLOURS
from weft.panels import MARKERS
from weft.style import INK, QUIET
from weft.validation import figures
from weft.validation.aneurysm_published import LARGEST_STRENGTH, TIMES_LESS
from weft.validation.axisymmetric import Reference, references
from weft.validation.bulge import ANEURYSM, Flow, highest
from weft.validation.figures import Curve
from weft.validation.measures import Check, Outcome, order, table
from weft.validation.program import Program
from weft.validation.surfaces import SLANTED, Turned, frame

BULGE, radius, slope = ANEURYSM.length, ANEURYSM.radius, ANEURYSM.slope
DIAMETER = 20e-3
DENSITY, VISCOSITY = 1060.0, 3.5e-3
BEFORE, BEHIND = 1.5, 3.0       # lengths of the straight tube before and behind the bulge, diameters
REYNOLDS, LOWER = 500, 300      # both within the published range
VOXELS = (12, 16, 24)           # per diameter of the tube; LOWER runs with the middle value
POINTS = 60                     # intervals of the reference between axis and wall
SPEED = 0.04                    # mean velocity in the tube, voxels per step
TURNS = 60                      # simulated time, in diameter / mean velocity


def vessel(axis: tuple[float, float, float] = SLANTED) -> Turned:
    half = BULGE / 2
    places = np.concatenate([[-half - BEFORE], np.linspace(-half, half, 161), [half + BEHIND]])
    return Turned(tuple((DIAMETER * float(z), DIAMETER * float(r)) for z, r in zip(places, radius(places))), axis)


def mean_velocity(reynolds: float) -> float:
    return reynolds * VISCOSITY / DENSITY / DIAMETER


def case_of(tube: Turned, reynolds: float, voxels: int, turns: float = TURNS) -> dict:
    voxel, speed = DIAMETER / voxels, mean_velocity(reynolds)
    return {"title": f"aneurysm, Re {reynolds}", "surface": {"voxel": voxel}, "fluid": {"density": DENSITY, "viscosity": VISCOSITY},
            "lattice": {"time_step": SPEED * voxel / speed},
            "inlet": [{**tube.opening("in"), "velocity": speed}], "outlet": [{**tube.opening("out"), "pressure": 0.0}],
            "run": {"duration": turns * DIAMETER / speed}, "monitor": {"every": 100}, "output": {"summary": False},
            "extract": [{"name": "wall", "shape": "surface", "format": "csv", "quantities": ["wall_shear_stress"]}]}


def lattice_flow(run, tube: Turned, reynolds: float) -> Flow:
    """Means over the circumference of the last fields and of the wall stress."""
    rows = np.genfromtxt(run.directory / "wall.csv", delimiter=",", names=True)
    places = np.stack([rows[f"{axis}_m"] for axis in "xyz"], axis=1)
    stress = np.stack([rows[f"wall_shear_stress_{axis}_pa"] for axis in "xyz"], axis=1)
    speed = mean_velocity(reynolds)
    z, along = stress_along(places, stress, tube)
    fields = run.fields()[-1]
    centres = (fields.origin + fields.voxel * (fields.index + 0.5)) / DIAMETER
    w = frame(tube.axis)[2]
    place, r = tube.coordinates(centres)
    return flow_of(place, r, fields.velocity @ w / speed, fields.voxel / DIAMETER, z, along / (8 * VISCOSITY * speed / DIAMETER))


def stress_along(places: np.ndarray, stress: np.ndarray, tube: Turned) -> tuple[np.ndarray, np.ndarray]:
    """Position of each site along the axis, and the component of its stress along the wall in the plane of the axis."""
    w = frame(tube.axis)[2]
    z, r = tube.coordinates(places / DIAMETER)
    out = (places / DIAMETER - z[:, None] * w) / r[:, None]
    steep = slope(z)
    line = (w + steep[:, None] * out) / np.sqrt(1 + steep[:, None] ** 2)
    return z, np.sum(stress * line, axis=1)


TERMS = 9  # number of terms of the polynomial in s that is fitted to the velocities of a cut


def flow_of(z: np.ndarray, r: np.ndarray, velocity: np.ndarray, voxel: float, wall_z: np.ndarray, wall_stress: np.ndarray) -> Flow:
    """The Flow from all sites (z, r, velocity) and from the wall sites. Each cut uses the sites within one voxel of it."""
    cuts = np.arange(-BULGE / 2 - 1, BULGE / 2 + 1.5 + 1e-9, 0.05)
    stress, circulating, centre, back = (np.zeros(len(cuts)) for _ in range(4))
    sigma = np.linspace(0, 1, 201)
    for k, cut in enumerate(cuts):
        near = np.abs(wall_z - cut) < voxel
        stress[k] = np.polynomial.polynomial.polyfit(wall_z[near] - cut, wall_stress[near], 2)[0]
        near = np.abs(z - cut) < voxel
        s = np.minimum((r[near] / radius(z[near])) ** 2, 1)
        basis = (1 - s)[:, None] * np.polynomial.chebyshev.chebvander(2 * s - 1, TERMS - 1)
        both = np.hstack([basis, (z[near] - cut)[:, None] * basis])
        found = np.linalg.lstsq(both, velocity[near], rcond=None)[0][:TERMS]
        u = (1 - sigma) * np.polynomial.chebyshev.chebval(2 * sigma - 1, found)
        inside = np.concatenate([[0], np.cumsum(0.5 * (u[1:] + u[:-1]))]) * sigma[1]
        over = inside / inside[-1] - 1
        circulating[k], centre[k], back[k] = max(over.max(), 0), np.sqrt(sigma[np.argmax(over)]) * radius(cut), -u.min()
    place, _ = highest(cuts, circulating)
    return Flow(cuts, stress, circulating, (place, float(np.interp(place, cuts, centre))), float(back.max()))


def lattice(program: Program, tube: Turned, reynolds: int, voxels: int) -> Flow:
    return lattice_flow(program.run(f"aneurysm-{reynolds}-{voxels}", tube, case_of(tube, reynolds, voxels)), tube, reynolds)


def stress_error(found: Flow, exact: Flow) -> float:
    """Root mean square difference over the bulge, in units of the tube's stress."""
    inside = np.abs(found.z) <= BULGE / 2
    return float(np.sqrt(np.mean((found.stress - np.interp(found.z, exact.z, exact.stress))[inside] ** 2)))


def errors(found: Flow, exact: Flow) -> dict[str, float]:
    """The errors that are drawn over the resolution."""
    return {"stress along the wall": stress_error(found, exact), "largest stress": abs(found.peak[1] / exact.peak[1] - 1),
            "flow in the vortex": abs(found.strength / exact.strength - 1), "reversed velocity": abs(found.reversed / exact.reversed - 1)}


ROWS = (("separation (d)", lambda f: f"{f.separation:.3f}"), ("reattachment (d)", lambda f: f"{f.reattachment:.3f}"),
        ("mean stress in the recirculation / in the tube", lambda f: f"{f.in_recirculation:.3f}"),
        ("largest stress / in the tube", lambda f: f"{f.peak[1]:.3f}"),
        ("position of the largest stress (d)", lambda f: f"{f.peak[0]:.3f}"),
        ("axial position of the vortex's centre (d)", lambda f: f"{f.vortex[0]:.3f}"))


def published(flow: Flow, lower: Flow, voxels: int) -> list[tuple[str, str, Check]]:
    """Authors, statement, and its check. `lower` is at the lower Reynolds number and has the same voxels as `flow`."""
    name = f"aneurysm, {voxels} voxels, "
    times = 1 / flow.in_recirculation
    return [
        ("Budwig, Bluestein", "about ten: stress in the tube / mean in the recirculation",
         Check(name + "stress in the recirculation, times less than in the tube", times, TIMES_LESS / 2, TIMES_LESS * 2)),
        ("Budwig, Bluestein", "a peak: largest stress / stress in the tube",
         Check(name + "largest stress over the tube's", flow.peak[1], least=1.2)),
        ("Budwig, Bluestein", "from the reattachment to this peak (d)",
         Check(name + "peak behind the reattachment", flow.peak[0] - flow.reattachment, 0, 1)),
        ("Yu", "length of the vortex / of the bulge",
         Check(name + "part of the bulge", (flow.reattachment - flow.separation) / BULGE, 0.65, 1)),
        ("Yu", "position of its centre (d)",
         Check(name + "vortex behind the middle", flow.vortex[0], least=0.05)),
        ("Yu", "flow in the vortex / in the tube",
         Check(name + "flow in the vortex", flow.strength, most=LARGEST_STRENGTH)),
        ("Yu", "largest reversed velocity / mean velocity",
         Check(name + "reversed velocity", flow.reversed, most=LARGEST_STRENGTH))]


def study(program: Program, images: Path, resolutions: Sequence[int] = VOXELS) -> Outcome:
    outcome, tube = Outcome(), vessel()
    shown = references(POINTS, (100, 150, 200, LOWER, 400, REYNOLDS, 700, 1000, 1400))
    exact, exact_lower = shown[REYNOLDS].flow(), shown[LOWER].flow()
    coarse = references(2 * POINTS // 3, (REYNOLDS,))[REYNOLDS].flow()
    middle = resolutions[len(resolutions) // 2]
    found = {voxels: lattice(program, tube, REYNOLDS, voxels) for voxels in resolutions}
    lower = lattice(program, tube, LOWER, middle)
    finest = found[resolutions[-1]]

    checks = published(finest, lower, resolutions[-1])
    moved = Check(f"aneurysm, {middle} voxels, displacement of the vortex", found[middle].vortex[0] - lower.vortex[0], least=0.02)
    rises = Check(f"aneurysm, {middle} voxels, increase of the reversed velocity", found[middle].reversed - lower.reversed, least=0)
    checks += [("Bluestein", f"displacement of the centre from Re {LOWER} to {REYNOLDS} (d)", moved),
               ("Yu", f"increase of the reversed velocity from Re {LOWER} to {REYNOLDS}", rises)]
    outcome.checks += [check for _, _, check in checks]
    outcome.parts["aneurysm, published"] = table(
        ["publication", "compared number", "allowed", "reference", "computed"],
        [[who, what, check.wanted.replace("at least ", ">").replace("at most ", "<"), f"{ref.found:.3g}", f"{check.found:.3g}"]
         for (who, what, check), ref in zip(checks, [c for _, _, c in published(exact, exact_lower, 0)] + [
             Check("", exact.vortex[0] - exact_lower.vortex[0]), Check("", exact.reversed - exact_lower.reversed)])])

    columns = [found[n] for n in resolutions] + [exact]
    outcome.parts["aneurysm"] = table(
        ["", *(f"{n} voxels" for n in resolutions), "reference"],
        [[what, *map(text, columns)] for what, text in ROWS]
        + [["stress along the wall: error (%)", *(f"{100 * stress_error(*pair):.2g}" for pair in
                                                  [*((found[n], exact) for n in resolutions), (coarse, exact)])]])
    over = {name: [errors(found[n], exact)[name] for n in resolutions] for name in errors(finest, exact)}
    for name, values in over.items():
        outcome.checks.append(Check(f"aneurysm, {name}: error, finest", values[-1], most=0.04))
    for name in ("separation", "reattachment"):
        outcome.checks.append(Check(f"aneurysm, {name}: error, finest (d)", abs(getattr(finest, name) - getattr(exact, name)), most=0.02))
    outcome.checks.append(Check("aneurysm, stress in the recirculation: error, finest", abs(finest.in_recirculation / exact.in_recirculation - 1), most=0.06))
    outcome.checks.append(Check("aneurysm, stress along the wall: order", order(resolutions, over["stress along the wall"]), least=1.5))
    outcome.checks.append(Check("aneurysm, error of the reference with two thirds of its points", stress_error(coarse, exact), most=0.01))
    draw(images / "validation-aneurysm.png", shown, found, lower, over)
    return outcome


def draw(path: Path, shown: dict[float, Reference], found: dict[int, Flow], lower: Flow, over: dict[str, list[float]]) -> None:
    resolutions = list(found)
    finest, exact = found[resolutions[-1]], shown[REYNOLDS].flow()
    figure, (inside, along, rising, last) = figures.new_figure(4, columns=2)
    draw_vortex(inside, shown[REYNOLDS], finest)
    along.set_title(f"Stress at the wall, Re {REYNOLDS}")
    along.axhspan(-2 / TIMES_LESS, -0.5 / TIMES_LESS, color=QUIET, alpha=0.25, linewidth=0, label="about ten times less")
    along.plot(exact.z, exact.stress, color=INK, linewidth=1.2, label="reference")
    for n, colour, marker in zip(resolutions, COLOURS, MARKERS):
        along.plot(found[n].z[::2], found[n].stress[::2], color=colour, marker=marker, markersize=3, linestyle="none", label=f"{n} voxels")
    along.axhline(0, color=QUIET, linewidth=0.8)
    along.set_xlim(-3, 3.5)
    along.set_xlabel("along the axis (d)")
    along.set_ylabel("stress / that in the tube")
    along.set_ylim(-0.5, 2.8)
    along.legend(fontsize=9, loc="upper left", ncols=2)
    rising.set_title("The vortex over the Reynolds number")
    flows = {re: reference.flow() for re, reference in shown.items()}
    middle = found[resolutions[len(resolutions) // 2]]
    for what, colour, label in (("strength", COLOURS[0], "flow in the vortex / flow"), ("reversed", COLOURS[1], "reversed / mean velocity")):
        rising.plot(list(flows), [100 * getattr(flow, what) for flow in flows.values()], color=colour, linewidth=1.2, label=label)
        rising.plot([LOWER, REYNOLDS], [100 * getattr(flow, what) for flow in (lower, middle)], "s", color=colour, markersize=6, markerfacecolor="none")
        rising.plot([REYNOLDS], [100 * getattr(finest, what)], "D", color=colour, markersize=5)
    for n, marker, fill in ((resolutions[len(resolutions) // 2], "s", "none"), (resolutions[-1], "D", INK)):
        rising.plot([], [], marker, color=INK, markersize=5, markerfacecolor=fill, label=f"weft flow, {n} voxels")
    rising.plot([400, 1400], [100 * LARGEST_STRENGTH] * 2, color=QUIET, linewidth=3, alpha=0.6, label="upper bound of Yu")
    rising.set_xlim(0, 1450)
    rising.set_ylim(bottom=0)
    rising.set_xlabel("Re")
    rising.set_ylabel("%")
    rising.legend(fontsize=9, loc="lower right")
    figures.convergence(last, f"Difference from the reference, Re {REYNOLDS}",
                        [Curve(name, resolutions, values, colour, marker) for (name, values), colour, marker in zip(over.items(), COLOURS, MARKERS)], False)
    last.plot(resolutions, [36 * (resolutions[0] / n) ** 2 for n in resolutions], color=QUIET, linewidth=1, linestyle=(0, (1, 2)), label="order 2")
    last.set_ylim(0.25, 40)
    last.legend(fontsize=9, loc="lower left")
    figures.finish(figure, path)


def draw_vortex(axes, reference: Reference, found: Flow) -> None:
    """Streamlines of the reference, and the vortex's end points and centre of both."""
    axes.set_title(f"Streamlines, Re {REYNOLDS}")
    z, wall = reference.z, radius(reference.z)
    r = wall[:, None] * np.sqrt(reference.sigma)
    root = np.sqrt(np.maximum(reference.psi, 0) / Reference.THROUGH)  # proportional to r near the axis
    places = np.broadcast_to(z[:, None], r.shape), r
    axes.contour(*places, root, levels=np.sqrt(np.linspace(0.1, 0.9, 5)), colors=QUIET, linewidths=0.9)
    axes.contour(*places, root, levels=np.sqrt([1.0001, 1.02, 1.04, 1.06, 1.08]), colors=COLOURS[0], linewidths=0.9)
    axes.plot(z, wall, color=INK, linewidth=1.6)
    exact = reference.flow()
    for flow, marker, colour, label in ((exact, "+", INK, "reference"), (found, "o", COLOURS[1], "weft flow")):
        places = np.array([flow.separation, flow.vortex[0], flow.reattachment])
        heights = np.array([radius(places[0]), flow.vortex[1], radius(places[2])])
        axes.plot(places, heights, marker=marker, color=colour, linestyle="none", markersize=9 if marker == "+" else 5, label=label,
                  zorder=4 if marker == "+" else 3)
    axes.set_xlim(-2.8, 3.2)
    axes.set_ylim(0, 1.35)
    axes.set_xlabel("along the axis (d)")
    axes.set_ylabel("distance to the axis (d)")
    axes.legend(fontsize=9, loc="upper right", ncols=2)
