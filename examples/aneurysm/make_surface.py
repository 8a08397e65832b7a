#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes aneurysm.stl: a vessel of our own design with a saccular aneurysm at its bifurcation (mm).

Each branch is a sphere swept along a cubic Bezier curve, the dome is two spheres; a smooth minimum blends them into one
distance field. Its zero level is extracted by marching cubes, the triangles are evened out on that level, and each end
is cut and capped exactly in the plane of its opening.

    python3 make_surface.py            writes aneurysm.stl beside this file and prints the openings for case.toml
    python3 make_surface.py --check    checks the aneurysm.stl that is there

Needs numpy and scikit-image (which brings scipy); --check needs numpy only. The same versions give the same bytes.
"""
import argparse
import functools
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SPACING = 0.22  # edge of the cells that marching cubes sees, mm: about the edge length of the triangles
STRAIGHT = 1.0  # length of straight, round vessel behind each opening
BEYOND = 1.2    # how far a branch goes on beyond its opening, before it is cut
BLEND = 1.3     # distance over which surfaces melt into each other


@dataclass(frozen=True)
class Opening:
    name: str
    centre: tuple[float, float, float]
    normal: tuple[float, float, float]  # unit length, into the fluid
    radius: float


@dataclass(frozen=True)
class Branch:
    """A tube from the junction to an opening."""
    opening: Opening
    leave: tuple[float, float, float]  # Bezier handle at the junction, relative to it
    arrive: float                      # length of the Bezier handle at the opening
    radius: float                      # at the junction
    ripple: float = 0.0                # relative variation of the radius along the branch: vessels are not pipes

    def centre_line(self) -> tuple[np.ndarray, np.ndarray]:
        """Points 0.01 mm apart or closer, and the radius at each."""
        normal, end = np.array(self.opening.normal), np.array(self.opening.centre)
        p0, p3 = JUNCTION, end + STRAIGHT * normal
        p1, p2 = p0 + self.leave, p3 + self.arrive * normal
        t = np.linspace(0, 1, 2001)[:, None]
        curve = (1 - t) ** 3 * p0 + 3 * (1 - t) ** 2 * t * p1 + 3 * (1 - t) * t**2 * p2 + t**3 * p3
        t = t[:, 0]
        fade = t * t * (3 - 2 * t)
        radii = self.radius + (self.opening.radius - self.radius) * fade
        radii *= 1 + self.ripple * np.sin(3 * np.pi * t) * np.sin(np.pi * t)
        s = np.linspace(0, STRAIGHT + BEYOND, 301)[1:, None]
        return np.vstack([curve, p3 - s * normal]), np.concatenate([radii, np.full(300, self.opening.radius)])


JUNCTION = np.array([0.6, 1.2, 12.4])
BRANCHES = (
    Branch(Opening("parent", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 2.0), (-3.4, 1.8, -4.6), 4.6, 1.75, 0.03),
    Branch(Opening("left", (-8.8, 3.4, 18.2), (0.48, -0.36, -0.8), 1.4), (-4.4, -2.6, 1.6), 4.2, 1.5, 0.06),
    Branch(Opening("right", (10.0, -2.0, 14.6), (-0.8, 0.36, 0.48), 1.3), (3.4, 2.4, 2.0), 4.6, 1.4, -0.06),
)
# the sac of the aneurysm and its bleb: centre and radius
DOME = ((np.array([1.4, -0.3, 16.4]), 2.75), (np.array([0.2, -1.6, 18.1]), 1.5))


def smooth_minimum(a: np.ndarray, b: np.ndarray, width: float) -> np.ndarray:
    h = np.maximum(width - np.abs(a - b), 0) / width
    return np.minimum(a, b) - h**3 * width / 6


class Vessel:
    """The distance field: negative in the fluid."""

    def __init__(self) -> None:
        from scipy.spatial import cKDTree
        self.lines = [(cKDTree(points), radii) for points, radii in (b.centre_line() for b in BRANCHES)]

    def __call__(self, p: np.ndarray) -> np.ndarray:
        def tube(line: tuple) -> np.ndarray:
            tree, radii = line
            distance, nearest = tree.query(p)
            return distance - radii[nearest]

        field = functools.reduce(lambda a, b: smooth_minimum(a, b, BLEND), map(tube, self.lines))
        (sac, sac_radius), (bleb, bleb_radius) = DOME
        dome = smooth_minimum(np.linalg.norm(p - sac, axis=1) - sac_radius,
                              np.linalg.norm(p - bleb, axis=1) - bleb_radius, 1.2 * BLEND)
        return smooth_minimum(field, dome, 1.5 * BLEND)

    def project(self, p: np.ndarray) -> np.ndarray:
        """Moves points onto the surface along the gradient."""
        for _ in range(2):
            step = 0.02
            gradient = np.stack([self(p + step * e) - self(p - step * e) for e in np.eye(3)], axis=1) / (2 * step)
            p = p - gradient * (self(p) / np.maximum((gradient**2).sum(axis=1), 0.1))[:, None]
        return p


def extract(vessel: Vessel) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and outward triangles of the vessel, its ends still round."""
    from skimage.measure import marching_cubes
    points = np.vstack([line.data for line, _ in vessel.lines] + [sac + r * s for sac, r in DOME for s in (-1, 1)])
    low, high = points.min(axis=0) - 3, points.max(axis=0) + 3
    axes = [np.arange(a, b, SPACING) for a, b in zip(low, high)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    field = vessel(grid.reshape(-1, 3)).reshape(grid.shape[:3])
    vertices, faces, _, _ = marching_cubes(field, 0.0, spacing=(SPACING,) * 3, allow_degenerate=False)
    vertices, faces = vertices.astype(float) + low, faces.astype(np.int64)
    return vertices, faces if volume(vertices, faces) > 0 else faces[:, ::-1]


def relax(vessel: Vessel, vertices: np.ndarray, faces: np.ndarray, rounds: int = 6) -> np.ndarray:
    """Evens out the triangles: each vertex half way to the mean of its neighbours, then back onto the surface."""
    edges = np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    count = np.bincount(edges[:, 0], minlength=len(vertices))
    for _ in range(rounds):
        total = np.stack([np.bincount(edges[:, 0], vertices[edges[:, 1], k], len(vertices)) for k in range(3)], axis=1)
        vertices = vessel.project(0.5 * vertices + 0.5 * total / count[:, None])
    return vertices


def cut(vertices: np.ndarray, faces: np.ndarray, opening: Opening) -> tuple[np.ndarray, np.ndarray]:
    """Removes what lies beyond the opening and closes the hole with a flat cap."""
    centre, normal = np.array(opening.centre), np.array(opening.normal)
    height = (vertices - centre) @ normal
    height[np.linalg.norm(vertices - centre, axis=1) > 2 * opening.radius + BEYOND] = 1.0  # another part of the vessel
    near = np.abs(height) < 0.3 * SPACING  # onto the plane, so that no sliver is left beside it
    vertices = np.where(near[:, None], vertices - height[:, None] * normal, vertices)
    height[near] = 0.0

    points, kept, crossings = list(vertices), [], {}

    def crossing(a: int, b: int) -> int:
        key = (min(a, b), max(a, b))
        if key not in crossings:
            crossings[key] = len(points)
            p = vertices[a] + (vertices[b] - vertices[a]) * height[a] / (height[a] - height[b])
            points.append(p - ((p - centre) @ normal) * normal)
        return crossings[key]

    for face in faces:
        h = height[face]
        if h.min() >= 0:
            if h.max() > 0:
                kept.append(tuple(face))
        elif h.max() > 0:
            ring = []  # the part of the triangle above the plane: three or four corners
            for a, b in zip(face, np.roll(face, -1)):
                if height[a] >= 0:
                    ring.append(a)
                if height[a] * height[b] < 0:
                    ring.append(crossing(a, b))
            kept += [(ring[0], ring[i], ring[i + 1]) for i in range(1, len(ring) - 1)]

    directed = {(f[i], f[(i + 1) % 3]) for f in kept for i in range(3)}
    hub = len(points)
    points.append(centre)
    kept += [(b, a, hub) for a, b in sorted(directed) if (b, a) not in directed]
    used, index = np.unique(np.array(kept), return_inverse=True)
    return np.array(points)[used], index.reshape(-1, 3)


def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float((np.cross(a, b) * c).sum() / 6)


def write_stl(path: Path, vertices: np.ndarray, faces: np.ndarray) -> None:
    corners = vertices.astype("<f4")[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    record = np.zeros(len(faces), RECORD)
    record["normal"] = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    record["corners"] = corners
    beside = path.with_suffix(".tmp")
    with open(beside, "wb") as file:
        file.write(b"weft aneurysm, millimetres".ljust(80))
        file.write(np.uint32(len(faces)).astype("<u4").tobytes())
        file.write(record.tobytes())
    os.replace(beside, path)


RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def check(path: Path) -> str:
    """Reads the file back; a line of facts, or an error that says what is wrong with it."""
    data = path.read_bytes()
    count = int.from_bytes(data[80:84], "little")
    if len(data) != 84 + 50 * count:
        raise ValueError(f"{path.name}: {len(data)} bytes do not hold {count} triangles.")
    corners = np.frombuffer(data, RECORD, count, 84)["corners"].astype(float)
    vertices, index = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    faces = index.reshape(-1, 3)
    edges = np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    forward, backward = (edges[:, a] * len(vertices) + edges[:, b] for a, b in ((0, 1), (1, 0)))
    if len(np.unique(forward)) != len(forward) or not np.array_equal(np.sort(forward), np.sort(backward)):
        raise ValueError(f"{path.name}: not closed: an edge does not belong to exactly two triangles, once each way.")
    double_area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    if double_area.min() < 1e-6:
        raise ValueError(f"{path.name}: a triangle has no area.")
    if len(vertices) - len(edges) // 2 + count != 2:
        raise ValueError(f"{path.name}: not one closed surface without handles.")
    inside = volume(vertices, faces)
    if inside <= 0:
        raise ValueError(f"{path.name}: the triangles face inwards.")
    for branch in BRANCHES:
        opening = branch.opening
        offset = corners - opening.centre
        flat = (np.abs(offset @ opening.normal) < 1e-5).all(axis=1) & (np.linalg.norm(offset, axis=2) < 3).all(axis=1)
        area = double_area[flat].sum() / 2
        if abs(area / (np.pi * opening.radius**2) - 1) > 0.02:
            raise ValueError(f"{path.name}: the cap of opening {opening.name} has {area:.3f} mm^2, "
                             f"not the {np.pi * opening.radius**2:.3f} of its circle.")
    size = vertices.max(axis=0) - vertices.min(axis=0)
    return (f"{count} triangles, closed, facing outwards; {size[0]:.1f} x {size[1]:.1f} x {size[2]:.1f} mm, "
            f"volume {inside:.1f} mm^3: about {inside / 0.115**3:.0f} sites at 0.115 mm")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="check the file that is there, write nothing")
    parser.add_argument("--file", type=Path, default=Path(__file__).with_name("aneurysm.stl"))
    arguments = parser.parse_args()
    if not arguments.check:
        vessel = Vessel()
        vertices, faces = extract(vessel)
        vertices = relax(vessel, vertices, faces)
        for branch in BRANCHES:
            vertices, faces = cut(vertices, faces, branch.opening)
        write_stl(arguments.file, vertices, faces)
        for branch in BRANCHES:
            opening = branch.opening
            print(f"{opening.name}: centre = {list(opening.centre)}, normal = {list(opening.normal)}, "
                  f"radius = {opening.radius}")
    try:
        print(check(arguments.file))
    except (OSError, ValueError) as error:
        print(f"make_surface: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
