# SPDX-License-Identifier: BSD-3-Clause
"""Steady flow in a fusiform aneurysm, against what is published and against the axisymmetric Navier-Stokes equations.

Lengths of the reference are diameters of the tube, speeds its mean velocity, stresses that of steady flow in the tube."""
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

import numpy as np

from weft.fields import Fields
from weft.monitor_figure import COLOURS
from weft.panels import MARKERS
from weft.style import INK, QUIET
from weft.validation import figures
from weft.validation.aneurysm_published import DILATION, LARGEST_STRENGTH, TIMES_LESS
from weft.validation.aneurysm_published import LENGTH as BULGE
from weft.validation.figures import Curve
from weft.validation.measures import Check, Outcome, order, percent, table
from weft.validation.program import Program
from weft.validation.surfaces import SLANTED, Turned, frame

DIAMETER = 20e-3
DENSITY, VISCOSITY = 1060.0, 3.5e-3
BEFORE, BEHIND = 1.5, 3.0       # of the tube that is computed, diameters
REYNOLDS, LOWER = 500, 300      # both within what is published
VOXELS = (12, 16, 24)            # over the tube; LOWER has the middle one
POINTS = 60                      # of the reference between axis and wall
SPEED = 0.04                    # mean one in the tube, voxels a step
TURNS = 60                      # time computed, in diameter / mean velocity


def radius(z: np.ndarray) -> np.ndarray:
    return 0.5 + np.where(np.abs(z) < BULGE / 2, (DILATION - 1) / 4 * (1 + np.cos(2 * np.pi / BULGE * z)), 0.0)


def slope(z: np.ndarray) -> np.ndarray:
    k = 2 * np.pi / BULGE
    return np.where(np.abs(z) < BULGE / 2, -(DILATION - 1) / 4 * k * np.sin(k * z), 0.0)


def bend(z: np.ndarray) -> np.ndarray:
    """The second derivative; where the bulge begins and ends the mean of both sides."""
    k = 2 * np.pi / BULGE
    inside = 0.5 - 0.5 * np.sign(np.round(np.abs(z) - BULGE / 2, 9))
    return -(DILATION - 1) / 4 * k * k * np.cos(k * z) * inside


def vessel(axis: tuple[float, float, float] = SLANTED) -> Turned:
    half = BULGE / 2
    places = np.concatenate([[-half - BEFORE], np.linspace(-half, half, 161), [half + BEHIND]])
    return Turned(tuple((DIAMETER * float(z), DIAMETER * float(r)) for z, r in zip(places, radius(places))), axis)


@dataclass(frozen=True)
class Flow:
    """What is compared; lines along the axis."""
    z: np.ndarray
    stress: np.ndarray      # at the wall, along it; negative where the flow is reversed
    circulating: np.ndarray  # what flows around in the vortex there, over what flows through the tube
    vortex: tuple[float, float]  # its centre: along the axis, distance to it
    reversed: float         # the largest reversed velocity along the axis

    def _zeros(self) -> tuple[float, float]:
        """Where the stress at the wall first becomes negative and where it becomes positive again for good."""
        cuts = [i for i in np.flatnonzero(self.stress[:-1] * self.stress[1:] < 0) if abs(self.z[i]) < BULGE / 2]
        if not cuts:
            return np.nan, np.nan
        places = [self.z[i] - self.stress[i] * (self.z[i + 1] - self.z[i]) / (self.stress[i + 1] - self.stress[i]) for i in cuts]
        return float(places[0]), float(places[-1])

    @property
    def separation(self) -> float:
        return self._zeros()[0]

    @property
    def reattachment(self) -> float:
        return self._zeros()[1]

    @property
    def in_recirculation(self) -> float:
        """Mean size of the stress between separation and reattachment."""
        first, last = self._zeros()
        inside = np.linspace(first, last, 200)
        return float(np.mean(np.abs(np.interp(inside, self.z, self.stress))))

    @property
    def peak(self) -> tuple[float, float]:
        """Place of the largest stress, and the stress."""
        inside = np.abs(self.z) < BULGE / 2 + 0.5
        z, stress = self.z[inside], self.stress[inside]
        return highest(z, stress)

    @property
    def strength(self) -> float:
        return float(self.circulating.max())


def highest(z: np.ndarray, values: np.ndarray, reach: float = 0.15) -> tuple[float, float]:
    """Place and value of the top of a parabola through what lies around the largest value."""
    near = np.abs(z - z[np.argmax(values)]) <= reach
    middle = z[np.argmax(values)]
    c, b, a = np.polynomial.polynomial.polyfit(z[near] - middle, values[near], 2)
    return float(middle - b / (2 * a)), float(c - b * b / (4 * a))


# The reference: stream function psi and zeta = vorticity / r over s = r^2, on lines that follow the wall (sigma = s / S, S = R^2).
#   psi_zz + 4 s psi_ss = -s zeta,   2 (psi_s zeta_z - psi_z zeta_s) = (zeta_zz + 4 s zeta_ss + 8 zeta_s) / Re
# Both by central differences and Newton's method; each step solves one block tridiagonal system, a block for each column of points.

@dataclass
class Reference:
    reynolds: float
    z: np.ndarray
    sigma: np.ndarray
    psi: np.ndarray   # (z, sigma)
    zeta: np.ndarray

    THROUGH = 1 / 8   # psi at the wall

    def flow(self) -> Flow:
        wall = radius(self.z)
        over = self.psi / self.THROUGH - 1
        j, i = np.unravel_index(np.argmax(over), over.shape)
        velocity = 2 * np.gradient(self.psi, self.sigma, axis=1, edge_order=2) / wall[:, None] ** 2
        centre = (np.nan, np.nan)
        if over[j, i] > 0:
            low, middle, high = over[j, i - 1:i + 2]
            sigma = self.sigma[i] + 0.5 * self.sigma[1] * (low - high) / (low - 2 * middle + high)
            centre = (highest(self.z, over.max(axis=1))[0], float(wall[j] * np.sqrt(sigma)))
        return Flow(self.z, wall * self.zeta[:, -1] / 8, np.maximum(over.max(axis=1), 0), centre, float(-velocity.min()))


def solve(reynolds: float, points: int, start: Optional[Reference] = None) -> Reference:
    """On `points` (a multiple of 4) intervals from axis to wall; `start` may be a solution at another Reynolds number on the same points."""
    n = points + 1
    z = np.arange(-BULGE / 2 - 1.5, BULGE / 2 + 6, 2.0 / points)
    sigma = np.linspace(0, 1, n)
    dz, h, count, one = z[1] - z[0], sigma[1], len(z), np.eye(n)
    wall, first, second = radius(z), slope(z), bend(z)
    s_wall = wall**2
    a = 2 * first / wall
    b = 2 * a * a - 2 * (first**2 + wall * second) / s_wall
    inner = np.arange(1, points)
    d, dd = np.zeros((n, n)), np.zeros((n, n))
    d[inner, inner - 1], d[inner, inner + 1] = -0.5 / h, 0.5 / h
    dd[inner, inner - 1], dd[inner, inner], dd[inner, inner + 1] = 1 / h**2, -2 / h**2, 1 / h**2
    d[0, :3], d[-1, -3:] = np.array([-1.5, 2, -0.5]) / h, np.array([0.5, -2, 1.5]) / h

    def rows(factors: np.ndarray, matrix: np.ndarray) -> np.ndarray:
        return factors[:, :, None] * matrix

    def apply(blocks: np.ndarray, values: np.ndarray) -> np.ndarray:
        return np.einsum("jik,jk->ji", blocks, values)

    s = s_wall[:, None] * sigma
    here = rows(a[:, None] ** 2 * sigma**2 + 4 * s / s_wall[:, None] ** 2, dd) + rows(sigma * b[:, None], d) - 2 / dz**2 * one
    turn = rows(a[:, None] * sigma, d) / dz
    ahead, back = one / dz**2 - turn, one / dz**2 + turn
    spread = here + rows(8 / s_wall[:, None] * np.ones(n), d)
    through = Reference.THROUGH
    inlet = through * (2 * sigma - sigma**2), np.full(n, 16.0)
    psi = start.psi if start else np.tile(inlet[0], (count, 1))
    zeta = start.zeta if start else np.tile(inlet[1], (count, 1)) * (0.5 / wall[:, None]) ** 4
    nu, g = 1 / reynolds, 2 / s_wall[:, None]
    no_slip = (a**2 + 4 / s_wall) / s_wall / (2 * h * h)
    for _ in range(30):
        before, after = (np.vstack([f0, f[:-1]]) for f0, f in zip(inlet, (psi, zeta))), (np.vstack([f[1:], f[-1:]]) for f in (psi, zeta))
        (psi_before, zeta_before), (psi_after, zeta_after) = before, after
        low, middle, high = (np.zeros((count, 2 * n, 2 * n)) for _ in range(3))
        left = np.zeros((count, 2 * n))
        left[:, :n] = apply(here, psi) + apply(ahead, psi_after) + apply(back, psi_before) + s * zeta
        middle[:, :n, :n], high[:, :n, :n], low[:, :n, :n], middle[:, :n, n:] = here, ahead, back, rows(s, one)
        psi_s, zeta_s = psi @ d.T, zeta @ d.T
        psi_z, zeta_z = (psi_after - psi_before) / (2 * dz), (zeta_after - zeta_before) / (2 * dz)
        left[:, n:] = nu * (apply(spread, zeta) + apply(ahead, zeta_after) + apply(back, zeta_before)) - g * (psi_s * zeta_z - psi_z * zeta_s)
        middle[:, n:, n:] = nu * spread + rows(g * psi_z, d)
        middle[:, n:, :n] = -rows(g * zeta_z, d)
        carried, turned = rows(g * psi_s / (2 * dz), one), rows(g * zeta_s / (2 * dz), one)
        high[:, n:, n:], low[:, n:, n:] = nu * ahead - carried, nu * back + carried
        high[:, n:, :n], low[:, n:, :n] = turned, -turned
        for row in (0, points, 2 * n - 1):
            low[:, row], middle[:, row], high[:, row] = 0, 0, 0
        middle[:, 0, 0] = middle[:, points, points] = middle[:, -1, -1] = 1
        left[:, 0], left[:, points] = psi[:, 0], psi[:, -1] - through
        middle[:, -1, points - 2:n] = np.outer(no_slip, [-1, 8, -7])
        left[:, -1] = zeta[:, -1] + no_slip * (-7 * psi[:, -1] + 8 * psi[:, -2] - psi[:, -3])
        middle[-1] += high[-1]  # behind the last column is the same again
        change = block_tridiagonal(low, middle, high, -left)
        psi, zeta = psi + change[:, :n], zeta + change[:, n:]
        if np.abs(change[:, :n]).max() < 1e-9 * through:
            break
    return Reference(reynolds, z, sigma, psi, zeta)


def block_tridiagonal(low: np.ndarray, middle: np.ndarray, high: np.ndarray, right: np.ndarray) -> np.ndarray:
    ahead, value = np.zeros_like(high), np.zeros_like(right)
    for j, block in enumerate(middle):
        rest = right[j]
        if j:
            block, rest = block - low[j] @ ahead[j - 1], rest - low[j] @ value[j - 1]
        solved = np.linalg.solve(block, np.column_stack([high[j], rest]))
        ahead[j], value[j] = solved[:, :-1], solved[:, -1]
    for j in range(len(middle) - 2, -1, -1):
        value[j] -= ahead[j] @ value[j + 1]
    return value


def references(points: int, reynolds: Sequence[float]) -> dict[float, Reference]:
    found: dict[float, Reference] = {}
    last = solve(50, points)
    for re in sorted(reynolds):
        last = found[re] = solve(re, points, last)
    return found


# The lattice

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
    """Means around the axis of the last fields and of the stress at the wall."""
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
    """Place of each site, and its stress along the wall's line in the plane of the axis."""
    w = frame(tube.axis)[2]
    z, r = tube.coordinates(places / DIAMETER)
    out = (places / DIAMETER - z[:, None] * w) / r[:, None]
    steep = slope(z)
    line = (w + steep[:, None] * out) / np.sqrt(1 + steep[:, None] ** 2)
    return z, np.sum(stress * line, axis=1)


TERMS = 9  # of the polynomial in s that a cut's velocities are fitted with


def flow_of(z: np.ndarray, r: np.ndarray, velocity: np.ndarray, voxel: float, wall_z: np.ndarray, wall_stress: np.ndarray) -> Flow:
    """From all sites and from those at the wall. Each cut takes what lies within a voxel of it."""
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
    """Root of the mean square over the bulge, of the tube's stress."""
    inside = np.abs(found.z) <= BULGE / 2
    return float(np.sqrt(np.mean((found.stress - np.interp(found.z, exact.z, exact.stress))[inside] ** 2)))


def errors(found: Flow, exact: Flow) -> dict[str, float]:
    """Of what is drawn over the resolution."""
    return {"stress along the wall": stress_error(found, exact), "largest stress": abs(found.peak[1] / exact.peak[1] - 1),
            "flow in the vortex": abs(found.strength / exact.strength - 1), "reversed velocity": abs(found.reversed / exact.reversed - 1)}


ROWS = (("separation (d)", lambda f: f"{f.separation:.3f}"), ("reattachment (d)", lambda f: f"{f.reattachment:.3f}"),
        ("mean stress in the recirculation", lambda f: f"{f.in_recirculation:.3f}"),
        ("largest stress", lambda f: f"{f.peak[1]:.3f}"), ("its place (d)", lambda f: f"{f.peak[0]:.3f}"),
        ("centre of the vortex, along (d)", lambda f: f"{f.vortex[0]:.3f}"), ("to the axis (d)", lambda f: f"{f.vortex[1]:.3f}"),
        ("flow in the vortex", lambda f: percent(f.strength)), ("largest reversed velocity", lambda f: percent(f.reversed)))


def published(flow: Flow, lower: Flow, voxels: int) -> list[tuple[str, str, Check]]:
    """Who, what, and the check of it. `lower` is at the lower Reynolds number; it and `flow` have the same voxels where they are compared."""
    name = f"aneurysm, {voxels} voxels, "
    times = 1 / flow.in_recirculation
    return [
        ("Budwig, Bluestein", "stress in the recirculation about ten times less than in the tube: times less, mean",
         Check(name + "stress in the recirculation, times less than in the tube", times, TIMES_LESS / 2, TIMES_LESS * 2)),
        ("Budwig, Bluestein", "a pronounced peak of the stress: over the tube's", Check(name + "largest stress over the tube's", flow.peak[1], least=1.2)),
        ("Budwig, Bluestein", "near the distal reattachment: from there to the peak (d)",
         Check(name + "peak behind the reattachment", flow.peak[0] - flow.reattachment, 0, 1)),
        ("Yu", "the vortex fills the bulge: its part of the length", Check(name + "part of the bulge", (flow.reattachment - flow.separation) / BULGE, 0.65, 1)),
        ("Yu", "its core nearer to the distal end: behind the middle (d)", Check(name + "vortex behind the middle", flow.vortex[0], least=0.05)),
        ("Yu", "its strength at most 10 % of the tube's flow: flow in the vortex", Check(name + "flow in the vortex", flow.strength, most=LARGEST_STRENGTH)),
        ("Yu", "the same: largest reversed velocity over the tube's mean", Check(name + "reversed velocity", flow.reversed, most=LARGEST_STRENGTH))]


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
    moved = Check(f"aneurysm, {middle} voxels, the vortex goes on by", found[middle].vortex[0] - lower.vortex[0], least=0.02)
    rises = Check(f"aneurysm, {middle} voxels, reversed velocity rises by", found[middle].reversed - lower.reversed, least=0)
    checks += [("Bluestein", f"its centre goes to the distal end as Re rises ({LOWER} to {REYNOLDS}): by (d)", moved),
               ("Yu", f"its strength rises with Re ({LOWER} to {REYNOLDS}): reversed velocity by", rises)]
    outcome.checks += [check for _, _, check in checks]
    outcome.parts["aneurysm, published"] = table(
        ["publication", "statement and what is compared", "wanted", "reference", "computed"],
        [[who, what, check.wanted, f"{ref.found:.3g}", f"{check.found:.3g}"]
         for (who, what, check), ref in zip(checks, [c for _, _, c in published(exact, exact_lower, 0)] + [
             Check("", exact.vortex[0] - exact_lower.vortex[0]), Check("", exact.reversed - exact_lower.reversed)])])

    columns = [found[n] for n in resolutions] + [exact, lower, exact_lower]
    outcome.parts["aneurysm"] = table(
        ["", *(f"{n} voxels" for n in resolutions), "reference", f"Re {LOWER}, {middle} voxels", f"Re {LOWER}, reference"],
        [[what, *map(text, columns)] for what, text in ROWS]
        + [["stress along the wall: error", *(percent(stress_error(found[n], exact)) for n in resolutions), percent(stress_error(coarse, exact)),
            percent(stress_error(lower, exact_lower)), ""]])
    over = {name: [errors(found[n], exact)[name] for n in resolutions] for name in errors(finest, exact)}
    for name, values in over.items():
        outcome.checks.append(Check(f"aneurysm, {name}: error, finest", values[-1], most=0.04))
    for name in ("separation", "reattachment"):
        outcome.checks.append(Check(f"aneurysm, {name}: off, finest (d)", abs(getattr(finest, name) - getattr(exact, name)), most=0.02))
    outcome.checks.append(Check("aneurysm, stress in the recirculation: off, finest", abs(finest.in_recirculation / exact.in_recirculation - 1), most=0.06))
    outcome.checks.append(Check("aneurysm, stress along the wall: order", order(resolutions, over["stress along the wall"]), least=1.5))
    outcome.checks.append(Check("aneurysm, the reference with two thirds of its points", stress_error(coarse, exact), most=0.01))
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
    rising.plot([400, 1400], [100 * LARGEST_STRENGTH] * 2, color=QUIET, linewidth=3, alpha=0.6, label="at most, by Yu")
    rising.set_xlim(0, 1450)
    rising.set_ylim(bottom=0)
    rising.set_xlabel("Re")
    rising.set_ylabel("%")
    rising.legend(fontsize=9, loc="lower right")
    figures.convergence(last, f"Off the reference, Re {REYNOLDS}",
                        [Curve(name, resolutions, values, colour, marker) for (name, values), colour, marker in zip(over.items(), COLOURS, MARKERS)], False)
    last.plot(resolutions, [36 * (resolutions[0] / n) ** 2 for n in resolutions], color=QUIET, linewidth=1, linestyle=(0, (1, 2)), label="order 2")
    last.set_ylim(0.25, 40)
    last.legend(fontsize=9, loc="lower left")
    figures.finish(figure, path)


def draw_vortex(axes, reference: Reference, found: Flow) -> None:
    """Stream lines of the reference, with what the lattice has of the vortex."""
    axes.set_title(f"Stream lines, Re {REYNOLDS}")
    z, wall = reference.z, radius(reference.z)
    r = wall[:, None] * np.sqrt(reference.sigma)
    root = np.sqrt(np.maximum(reference.psi, 0) / Reference.THROUGH)  # as r near the axis
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
