# SPDX-License-Identifier: BSD-3-Clause
"""Steady flow through a bulge, from the axisymmetric, incompressible Navier-Stokes equations.

Stream function psi and zeta = vorticity / r over s = r^2, on lines that follow the wall (sigma = s / S, S = R^2):
    psi_zz + 4 s psi_ss = -s zeta,   2 (psi_s zeta_z - psi_z zeta_s) = (zeta_zz + 4 s zeta_ss + 8 zeta_s) / Re
Both are solved by central differences and Newton's method. Each step solves one block tridiagonal system with a block per column of points.
"""
from dataclasses import dataclass
from typing import Optional, Sequence

import numpy as np

from weft.validation.bulge import ANEURYSM, Bulge, Flow, highest


@dataclass
class Reference:
    reynolds: float
    z: np.ndarray
    sigma: np.ndarray
    psi: np.ndarray   # (z, sigma)
    zeta: np.ndarray
    wall: Bulge = ANEURYSM

    THROUGH = 1 / 8   # psi at the wall

    def flow(self) -> Flow:
        wall = self.wall.radius(self.z)
        over = self.psi / self.THROUGH - 1
        j, i = np.unravel_index(np.argmax(over), over.shape)
        velocity = 2 * np.gradient(self.psi, self.sigma, axis=1, edge_order=2) / wall[:, None] ** 2
        centre = (np.nan, np.nan)
        if over[j, i] > 0:
            low, middle, high = over[j, i - 1:i + 2]
            sigma = self.sigma[i] + 0.5 * self.sigma[1] * (low - high) / (low - 2 * middle + high)
            centre = (highest(self.z, over.max(axis=1))[0], float(wall[j] * np.sqrt(sigma)))
        return Flow(self.z, wall * self.zeta[:, -1] / 8, np.maximum(over.max(axis=1), 0), centre, float(-velocity.min()), self.wall.length)

    def drop(self, first: float, last: float) -> float:
        """Pressure on the axis at `first` minus that at `last`, in units of density x (mean velocity in the tube)^2."""
        d = self.sigma[1]
        speed = 2 * (-1.5 * self.psi[:, 0] + 2 * self.psi[:, 1] - 0.5 * self.psi[:, 2]) / d / self.wall.radius(self.z) ** 2
        friction = 2 / self.reynolds * np.concatenate([[0], np.cumsum((self.zeta[1:, 0] + self.zeta[:-1, 0]) / 2 * np.diff(self.z))])
        lost = speed**2 / 2 + friction
        return float(np.interp(last, self.z, lost) - np.interp(first, self.z, lost))


def solve(reynolds: float, points: int, start: Optional[Reference] = None, shape: Bulge = ANEURYSM, behind: float = 6) -> Reference:
    """The solution on `points` (a multiple of 4) intervals from axis to wall, up to `behind` diameters behind the bulge. `start`: a solution
    on the same points at another Reynolds number, from which Newton's method starts."""
    n = points + 1
    z = np.arange(-shape.length / 2 - 1.5, shape.length / 2 + behind, 2.0 / points)
    sigma = np.linspace(0, 1, n)
    dz, h, count, one = z[1] - z[0], sigma[1], len(z), np.eye(n)
    wall, first, second = shape.radius(z), shape.slope(z), shape.bend(z)
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
        middle[-1] += high[-1]  # outflow: the column behind the last one has the same values
        change = block_tridiagonal(low, middle, high, -left)
        psi, zeta = psi + change[:, :n], zeta + change[:, n:]
        if np.abs(change[:, :n]).max() < 1e-9 * through:
            break
    return Reference(reynolds, z, sigma, psi, zeta, shape)


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


def references(points: int, reynolds: Sequence[float], shape: Bulge = ANEURYSM, behind: float = 6) -> dict[float, Reference]:
    found: dict[float, Reference] = {}
    last = solve(50, points, None, shape, behind)
    for re in sorted(reynolds):
        last = found[re] = solve(re, points, last, shape, behind)
    return found
