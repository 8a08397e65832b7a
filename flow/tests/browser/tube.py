# SPDX-License-Identifier: BSD-3-Clause
"""A small case for weft flow: a bent tube driven by pressures, about 10,000 sites. It runs until it is stopped."""
import math
import struct
from pathlib import Path

RADIUS, BEND, STRAIGHT = 1.5, 5.0, 6.0  # mm; one arm is longer, so that all views differ
CORNERS = 24

CASE = """title = "Bent tube"

[surface]
file = "tube.stl"
unit = "mm"
voxel = "0.25 mm"

[fluid]
viscosity = "4 mPa s"

[lattice]
time_step = "0.5 ms"

[[inlet]]
name = "in"
centre = [0.0, 0.0, 0.0]
normal = [0.0, 0.0, 1.0]
radius = 1.5
pressure = 1.0

[[outlet]]
name = "out"
centre = [{out}, 0.0, {top}]
normal = [-1.0, 0.0, 0.0]
radius = 1.5
pressure = 0.0

[run]
steps = 10_000_000
ramp = 0  # what is read of the openings does not depend on when a page asks

[monitor]
every = 10

[checkpoint]
every = 5_000_000
"""


def centre_line():
    """Points and directions of the tube's centreline: up, around a bend, and twice as far to the right."""
    yield (0.0, 0.0), (0.0, 1.0)
    for k in range(17):
        angle = math.pi / 2 * k / 16
        yield (BEND * (1 - math.cos(angle)), STRAIGHT + BEND * math.sin(angle)), (math.sin(angle), math.cos(angle))
    yield (BEND + 2 * STRAIGHT, STRAIGHT + BEND), (1.0, 0.0)


def write_surface(path: Path) -> None:
    rings = []
    for (x, z), (along_x, along_z) in centre_line():
        angles = [2 * math.pi * k / CORNERS for k in range(CORNERS)]
        rings.append([(x + RADIUS * math.cos(a) * along_z, RADIUS * math.sin(a), z - RADIUS * math.cos(a) * along_x)
                      for a in angles])
    triangles = []
    for low, high in zip(rings, rings[1:]):
        for k in range(CORNERS):
            a, b, c, d = low[k], low[(k + 1) % CORNERS], high[k], high[(k + 1) % CORNERS]
            triangles += [(a, b, d), (a, d, c)]
    with open(path, "wb") as file:
        file.write(bytes(80) + struct.pack("<I", len(triangles)))
        for triangle in triangles:
            file.write(struct.pack("<12fH", 0, 0, 0, *(x for corner in triangle for x in corner), 0))


def write_case(folder: Path) -> Path:
    write_surface(folder / "tube.stl")
    case = folder / "tube.toml"
    case.write_text(CASE.format(out=BEND + 2 * STRAIGHT, top=STRAIGHT + BEND))
    return case
