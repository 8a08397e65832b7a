# SPDX-License-Identifier: BSD-3-Clause
"""Surfaces with a known flow, open at their inlets and outlets."""
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Sequence

import numpy as np

FACETS = 256  # of a tube's circumference: they deviate by 1e-4 of the radius, far less than the lattice's error
SLANTED = (1.0, 2.0, 4.0)  # an axis of a tube that lies in no plane of the lattice


def frame(axis: Sequence[float]) -> np.ndarray:
    """Three orthonormal vectors as rows; the last one is the axis."""
    along = np.asarray(axis, float) / np.linalg.norm(axis)
    side = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    side /= np.linalg.norm(side)
    return np.array([side, np.cross(along, side), along])


@dataclass(frozen=True)
class Tube:
    """A round tube from the origin along an axis. Lengths in m."""
    radius: float
    length: float
    axis: tuple[float, float, float] = SLANTED

    def write(self, path: Path) -> None:
        # The facets' corners lie outside the circle and their middles inside, so that the area is that of the circle.
        step = 2 * np.pi / FACETS
        reach = self.radius * np.sqrt(step / np.sin(step))
        angles = step * np.arange(FACETS)
        u, v, w = frame(self.axis)
        ring = reach * (np.cos(angles)[:, None] * u + np.sin(angles)[:, None] * v)
        low, high = ring, ring + self.length * w
        low_next, high_next = np.roll(low, -1, axis=0), np.roll(high, -1, axis=0)
        halves = (low, low_next, high_next), (low, high_next, high)
        write_stl(path, np.concatenate([np.stack(corners, axis=1) for corners in halves]))

    def opening(self, end: str) -> dict:
        """The case's keys for the opening "in" (at the begin) or "out"; lengths in mm."""
        w = frame(self.axis)[2]
        place = np.zeros(3) if end == "in" else 1e3 * self.length * w
        normal = w if end == "in" else -w
        return {"name": end, "centre": list(map(float, place)), "normal": list(map(float, normal)),
                "radius": 1e3 * self.radius}

    def coordinates(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Position along the axis, and distance to the axis."""
        along = places @ frame(self.axis)[2]
        return along, np.linalg.norm(places - along[:, None] * frame(self.axis)[2], axis=1)


@dataclass(frozen=True)
class Tee:
    """Three equal round tubes that meet in a T: an inlet along +w, two outlets along -u and +u, for the rows u, v, w of `turn`; "in",
    "left", "right" end at `length` from the middle. Lengths in m."""
    radius: float
    length: float
    turn: tuple[tuple[float, float, float], ...] = tuple(map(tuple, frame(SLANTED)))

    def write(self, path: Path) -> None:
        # Equal cylinders at right angles meet where |x| = z: the arms' rings and the inlet's end there.
        angles = 2 * np.pi / FACETS * np.arange(FACETS)
        rise, side = self.radius * np.sin(angles), self.radius * np.cos(angles)
        seam, end = np.maximum(rise, 0), np.full(FACETS, self.length)
        halves = []
        for sign in (1, -1):
            near, far = (np.stack((sign * x, side, rise), axis=1) for x in (seam, end))
            halves += self._between(*((near, far) if sign > 0 else (far, near)))
        near, far = (np.stack((rise, side, z), axis=1) for z in (np.abs(rise), end))
        halves += self._between(far, near)
        write_stl(path, np.concatenate(halves) @ np.asarray(self.turn))

    @staticmethod
    def _between(low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
        low_next, high_next = np.roll(low, -1, axis=0), np.roll(high, -1, axis=0)
        return [np.stack(corners, axis=1) for corners in ((low, low_next, high_next), (low, high_next, high))]

    def opening(self, end: str) -> dict:
        """The case's keys for an opening; lengths in mm."""
        u, _, w = np.asarray(self.turn)
        out = {"in": w, "left": -u, "right": u}[end]
        return {"name": end, "centre": list(map(float, 1e3 * self.length * out)), "normal": list(map(float, -out)),
                "radius": 1e3 * self.radius}


@dataclass(frozen=True)
class Prism:
    """A prism from the origin along an axis, with any outline (counter-clockwise, about the origin). Lengths in m."""
    outline: tuple[tuple[float, float], ...]
    length: float
    axis: tuple[float, float, float] = SLANTED
    cut: float = 0.0  # rad, between the axis and the normals of the openings' discs

    def write(self, path: Path) -> None:
        # The prism extends beyond the openings, so that slanted discs cut it completely, and its ends are closed.
        u, v, w = frame(self.axis)
        more = self.reach * np.tan(self.cut)
        ring = np.array([x * u + y * v for x, y in self.outline])
        low, high = ring - more * w, ring + (self.length + more) * w
        low_next, high_next = np.roll(low, -1, axis=0), np.roll(high, -1, axis=0)
        ends = np.broadcast_to(-more * w, low.shape), np.broadcast_to((self.length + more) * w, low.shape)
        parts = (low, low_next, high_next), (low, high_next, high), (ends[0], low_next, low), (ends[1], high, high_next)
        write_stl(path, np.concatenate([np.stack(corners, axis=1) for corners in parts]))

    @property
    def reach(self) -> float:
        return float(max(np.hypot(x, y) for x, y in self.outline))

    @property
    def lumen(self) -> float:
        """The area of the prism's section with an opening's disc."""
        x, y = np.array(self.outline).T
        return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2 / np.cos(self.cut))

    def opening(self, end: str, wider: float) -> dict:
        """The case's keys for an opening whose disc is `wider` times as large as the lumen's largest radius; lengths in mm."""
        u, _, w = frame(self.axis)
        place = np.zeros(3) if end == "in" else 1e3 * self.length * w
        normal = np.cos(self.cut) * w + np.sin(self.cut) * u
        return {"name": end, "centre": list(map(float, place)), "normal": list(map(float, normal if end == "in" else -normal)),
                "radius": 1e3 * wider * self.reach / float(np.cos(self.cut))}


@dataclass(frozen=True)
class Turned:
    """A surface of revolution, open at both ends. Lengths in m."""
    wall: tuple[tuple[float, float], ...]  # (position along the axis, distance to it), in order; two at one position make a step
    axis: tuple[float, float, float] = SLANTED

    def write(self, path: Path) -> None:
        u, v, w = frame(self.axis)
        angles = 2 * np.pi / FACETS * np.arange(FACETS)
        around = np.cos(angles)[:, None] * u + np.sin(angles)[:, None] * v
        rings = [place * w + reach * around for place, reach in self.wall]
        halves = []
        for low, high in zip(rings, rings[1:]):
            low_next, high_next = np.roll(low, -1, axis=0), np.roll(high, -1, axis=0)
            halves += [(low, low_next, high_next), (low, high_next, high)]
        write_stl(path, np.concatenate([np.stack(corners, axis=1) for corners in halves]))

    def opening(self, end: str) -> dict:
        """The case's keys for the opening "in" (at the begin) or "out"; lengths in mm."""
        w = frame(self.axis)[2]
        (place, radius), normal = (self.wall[0], w) if end == "in" else (self.wall[-1], -w)
        return {"name": end, "centre": list(map(float, 1e3 * place * w)), "normal": list(map(float, normal)), "radius": 1e3 * radius}

    def place(self, along: float, across: float = 0.0) -> np.ndarray:
        """The point at a position along the axis and a distance to it."""
        side, _, w = frame(self.axis)
        return along * w + across * side

    def coordinates(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Position along the axis, and distance to the axis."""
        w = frame(self.axis)[2]
        along = places @ w
        return along, np.linalg.norm(places - along[:, None] * w, axis=1)


@dataclass(frozen=True)
class Fork:
    """Three rectangular channels of the same depth that meet in a T, rotated against the lattice. Lengths in m.

    In the fork's own coordinates the stem lies along x, ends at x = 0 and has its width around y = 0. The arms lie along -y ("left")
    and +y ("right"), end at the given distances from y = 0, and have their widths along x."""
    depth: float
    stem: tuple[float, float]   # width and length
    left: tuple[float, float]
    right: tuple[float, float]
    turn: tuple[tuple[float, float, float], ...] = tuple(map(tuple, frame(SLANTED)))

    def _place(self, x: float, y: float, z: float) -> np.ndarray:
        return np.array([x, y, z]) @ np.array(self.turn)

    def write(self, path: Path) -> None:
        half, (_, far), (left, low), (right, high) = self.stem[0] / 2, self.stem, self.left, self.right
        xs, ys = sorted({-far, 0.0, left, right}), [-low, -half, half, high]
        reach = [left, xs[-1], right]  # largest x of the fluid in each row of cells

        def is_inside(i: int, j: int) -> bool:
            if not (0 <= i < len(xs) - 1 and 0 <= j < 3):
                return False
            return j == 1 if xs[i] < 0 else xs[i + 1] <= reach[j]

        def is_end(i: int, j: int) -> bool:
            return i < 0 or not 0 <= j < 3

        z = self.depth / 2
        triangles: list = []
        for i, j in [(i, j) for i in range(len(xs) - 1) for j in range(3) if is_inside(i, j)]:
            corners = [(xs[i], ys[j]), (xs[i + 1], ys[j]), (xs[i + 1], ys[j + 1]), (xs[i], ys[j + 1])]
            triangles += _rectangle([self._place(*p, z) for p in corners])
            triangles += _rectangle([self._place(*p, -z) for p in corners[::-1]])
            for a, b, beside in zip(corners, corners[1:] + corners[:1], ((i, j - 1), (i + 1, j), (i, j + 1), (i - 1, j))):
                if not is_inside(*beside) and not is_end(*beside):
                    triangles += _rectangle([self._place(*p) for p in ((*a, -z), (*b, -z), (*b, z), (*a, z))])
        write_stl(path, np.array(triangles))

    def opening(self, name: str) -> dict:
        width = {"stem": self.stem, "left": self.left, "right": self.right}[name][0]
        place, normal = {"stem": ((-self.stem[1], 0, 0), (1, 0, 0)),
                         "left": ((self.left[0] / 2, -self.left[1], 0), (0, 1, 0)),
                         "right": ((self.right[0] / 2, self.right[1], 0), (0, -1, 0))}[name]
        return {"name": name, "centre": list(map(float, 1e3 * self._place(*place))),
                "normal": list(map(float, self._place(*normal))), "radius": 1e3 * 0.5 * float(np.hypot(width, self.depth))}


def _rectangle(corners: Iterable[np.ndarray]) -> list:
    a, b, c, d = corners
    return [(a, b, c), (a, c, d)]


def write_stl(path: Path, triangles: np.ndarray) -> None:
    """Writes a binary STL in mm; `triangles` in m."""
    records = np.zeros(len(triangles), np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")]))
    records["corners"] = 1e3 * triangles
    with open(path, "wb") as file:
        file.write(bytes(80) + struct.pack("<I", len(records)) + records.tobytes())
