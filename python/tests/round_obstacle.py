# SPDX-License-Identifier: BSD-3-Clause
"""Writes the output that `weft box` would write for ideal flow around a cylinder along z, on two ranks.

The layout of fields_*.vtkhdf that vtkHDFReader (tried with VTK 9.3, 9.4, 9.7) and weft's own reader need. Group /VTKHDF:

    attributes  Version (1, 0), Type "ImageData" (a string of fixed length), WholeExtent (first and last point along x,
                y, z), Origin, Spacing, Direction
    PointData/density  (z, y, x)    PointData/velocity (z, y, x, 3)    PointData/solid uint8    PointData/rank int32
    FieldData/step     (1,)

In two dimensions there is no index z.
"""
from pathlib import Path

import h5py
import numpy as np

RADIUS, FAR = 6.0, 0.05


def write_fields(path: Path, extent: tuple[int, ...], step: int = 400) -> None:
    """`extent` as (nx, ny) or (nx, ny, nz). The flow slows down towards high z."""
    nx, ny, nz = (*extent, 1)[:3]
    z, y, x = np.meshgrid(np.arange(nz), np.arange(ny), np.arange(nx), indexing="ij")
    place = (x - nx / 3) + 1j * (y - (ny - 1) / 2)
    solid = np.abs(place) < RADIUS
    speed = FAR * (1 - (RADIUS / np.where(solid, 1, place))**2) * (1 - z / (2 * nz))
    velocity = np.where(solid[..., None], 0, np.stack([speed.real, -speed.imag, 0 * z], axis=-1))
    values = {"density": 1 + 0.01 * y / ny, "velocity": velocity, "solid": solid.astype(np.uint8),
              "rank": (2 * x // nx).astype(np.int32)}
    with h5py.File(path, "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs["Version"] = np.array([1, 0])
        root.attrs["Type"] = np.bytes_("ImageData")
        root.attrs["WholeExtent"] = np.array([0, nx - 1, 0, ny - 1, 0, nz - 1])
        root.attrs["Origin"], root.attrs["Spacing"] = np.zeros(3), np.ones(3)
        root.attrs["Direction"] = np.eye(3).ravel()
        for name, array in values.items():
            root[f"PointData/{name}"] = array[0] if len(extent) == 2 else array
        root["FieldData/step"] = [step]


def write_monitors(path: Path, rows: int = 40) -> None:
    lines = ["step,density_min,density_max,speed_max,mass,momentum_x,momentum_y,momentum_z,kinetic_energy,relative_change"]
    for k in range(rows):
        started = 1 - np.exp(-k / 8)
        values = (10 * k, 1 - 0.01 * started, 1 + 0.02 * started, 0.1 * started, 3600 * (1 + 1e-14 * (k % 3)),
                  50 * started, -started, 0, 9 * started, 0.01 * np.exp(-k / 4))
        lines.append(",".join(f"{v:.17g}" for v in values))
    path.write_text("\n".join(lines) + "\n")


def write_output(directory: Path, extent: tuple[int, ...]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    write_monitors(directory / "monitors.csv")
    write_fields(directory / "fields_00000400.vtkhdf", extent)
