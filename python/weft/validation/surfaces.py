# SPDX-License-Identifier: BSD-3-Clause
"""Surfaces whose flow is known, open where openings end them."""
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Sequence

import numpy as np

FACETS = 256  # of a tube's circumference: 1e-4 of the radius, far below what the lattice makes of it
SLANTED = (1.0, 2.0, 4.0)  # an axis of a tube with no plane of the lattice in common


def frame(axis: Sequence[float]) -> np.ndarray:
    """Three unit vectors at right angles as rows; the last is the axis."""
    along = np.asarray(axis, float) / np.linalg.norm(axis)
    side = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    side /= np.linalg.norm(side)
    return np.array([side, np.cross(along, side), along])


@dataclass(frozen=True)
class Tube:
    """From the origin along an axis. Metres."""
    radius: float
    length: float
    axis: tuple[float, float, float] = SLANTED

    def write(self, path: Path) -> None:
        # Corners lie outside by as much as the facets' middles lie inside: the area is the circle's.
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
        """The keys of "in", where it begins, or "out"; lengths in mm."""
        w = frame(self.axis)[2]
        place = np.zeros(3) if end == "in" else 1e3 * self.length * w
        normal = w if end == "in" else -w
        return {"name": end, "centre": list(map(float, place)), "normal": list(map(float, normal)),
                "radius": 1e3 * self.radius}

    def coordinates(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Along the axis, and the distance to it."""
        along = places @ frame(self.axis)[2]
        return along, np.linalg.norm(places - along[:, None] * frame(self.axis)[2], axis=1)


@dataclass(frozen=True)
class Prism:
    """From the origin along an axis, of any outline (counter-clockwise, about the origin). Metres."""
    outline: tuple[tuple[float, float], ...]
    length: float
    axis: tuple[float, float, float] = SLANTED
    cut: float = 0.0  # rad: how far the discs lie from upright

    def write(self, path: Path) -> None:
        # Beyond the openings it goes on, so that discs that lie askew cut all of it, and is closed around the origin.
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
        """The area that a disc cuts out of it."""
        x, y = np.array(self.outline).T
        return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2 / np.cos(self.cut))

    def opening(self, end: str, wider: float) -> dict:
        """The disc reaches so many times as far as the lumen."""
        u, _, w = frame(self.axis)
        place = np.zeros(3) if end == "in" else 1e3 * self.length * w
        normal = np.cos(self.cut) * w + np.sin(self.cut) * u
        return {"name": end, "centre": list(map(float, place)), "normal": list(map(float, normal if end == "in" else -normal)),
                "radius": 1e3 * wider * self.reach / float(np.cos(self.cut))}


@dataclass(frozen=True)
class Turned:
    """A wall turned around an axis, open at both ends. Metres."""
    wall: tuple[tuple[float, float], ...]  # places along the axis and distances to it, in order; two at one place make a step
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
        """The keys of "in", where it begins, or "out"; lengths in mm."""
        w = frame(self.axis)[2]
        (place, radius), normal = (self.wall[0], w) if end == "in" else (self.wall[-1], -w)
        return {"name": end, "centre": list(map(float, 1e3 * place * w)), "normal": list(map(float, normal)), "radius": 1e3 * radius}

    def place(self, along: float, across: float = 0.0) -> np.ndarray:
        """The point so far along the axis and off it."""
        side, _, w = frame(self.axis)
        return along * w + across * side

    def coordinates(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Along the axis, and the distance to it."""
        w = frame(self.axis)[2]
        along = places @ w
        return along, np.linalg.norm(places - along[:, None] * w, axis=1)


@dataclass(frozen=True)
class Fork:
    """A channel that meets two others at right angles, like a T, all of one depth and turned against the lattice. Metres.

    In its own plane: the stem comes along x to x = 0 with its width around y = 0, then the arms go along -y ("left") and
    +y ("right") to the given distances from y = 0; an arm is as wide along x as told."""
    depth: float
    stem: tuple[float, float]   # width and length, as of the others
    left: tuple[float, float]
    right: tuple[float, float]
    turn: tuple[tuple[float, float, float], ...] = tuple(map(tuple, frame(SLANTED)))

    def _place(self, x: float, y: float, z: float) -> np.ndarray:
        return np.array([x, y, z]) @ np.array(self.turn)

    def write(self, path: Path) -> None:
        half, (_, far), (left, low), (right, high) = self.stem[0] / 2, self.stem, self.left, self.right
        xs, ys = sorted({-far, 0.0, left, right}), [-low, -half, half, high]
        reach = [left, xs[-1], right]  # in each row of cells

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
    """Binary, in mm."""
    records = np.zeros(len(triangles), np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")]))
    records["corners"] = 1e3 * triangles
    with open(path, "wb") as file:
        file.write(bytes(80) + struct.pack("<I", len(records)) + records.tobytes())
