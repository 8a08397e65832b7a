# SPDX-License-Identifier: BSD-3-Clause
"""Writes the output that weft flow would write for Poiseuille flow through a quarter of a ring, on two ranks.

The layout of fields_*.vtkhdf that vtkHDFReader (tried with VTK 9.2 and 9.7) and weft's own reader need. Group /VTKHDF:

    attribute Version   two integers, (2, 0), or (1, 0), which VTK 9.2 reads without a warning
    attribute Type      string of FIXED length, ASCII, "UnstructuredGrid"; VTK 9.2 rejects a variable-length one
    NumberOfPoints, NumberOfCells, NumberOfConnectivityIds      (pieces,) int64; one piece per rank
    Points              (sum of NumberOfPoints, 3) float32 or float64, metres, piece after piece
    Connectivity        (sum of NumberOfConnectivityIds,) int64; a piece numbers its own points from 0
    Offsets             (sum of NumberOfCells + pieces,) int64; every piece starts with 0 and ends with its
                        NumberOfConnectivityIds, so it has one entry more than it has cells
    Types               (sum of NumberOfCells,) uint8, 11: VTK_VOXEL, whose 8 points go x fastest, then y, then z
    CellData/pressure   (cells,) Pa        CellData/velocity (cells, 3) m/s        CellData/rank (cells,) int32
    FieldData/time      (1,) s             FieldData/voxel   (1,) m

A piece without cells still has its entries (0, 0, 0) and the one 0 in Offsets.
"""
from pathlib import Path

import h5py
import numpy as np

RING, RADIUS, PEAK, DROP = 8e-3, 2e-3, 0.3, 40.0  # m, m, m/s, Pa
CORNERS = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)])


def write_fields(path: Path, voxel: float = 2.5e-4, time: float = 0.05) -> int:
    """Returns the number of cells."""
    x, y, z = (np.arange(-RADIUS * low, (RING + RADIUS) * high + RADIUS * (1 - high), voxel)
               for low, high in ((0, 1), (1, 0), (0, 1)))
    index = np.stack(np.meshgrid(*(np.arange(len(a)) for a in (x, y, z)), indexing="ij"), axis=-1).reshape(-1, 3)
    corner = np.stack([x[index[:, 0]], y[index[:, 1]], z[index[:, 2]]], axis=1)
    centre = corner + voxel / 2
    ring = np.hypot(centre[:, 0], centre[:, 2])
    off_axis = np.hypot(ring - RING, centre[:, 1])
    inside = off_axis < RADIUS
    index, corner, centre, ring, off_axis = (a[inside] for a in (index, corner, centre, ring, off_axis))

    angle = np.arctan2(centre[:, 2], centre[:, 0])
    speed = PEAK * (1 - (off_axis / RADIUS) ** 2)
    velocity = speed[:, None] * np.stack([-np.sin(angle), 0 * angle, np.cos(angle)], axis=1)
    pressure = DROP * (1 - angle / (np.pi / 2))
    rank = (angle > np.pi / 4).astype(np.int32)

    pieces = [np.flatnonzero(rank == r) for r in (0, 1)]
    points, connectivity, offsets = [], [], []
    for cells in pieces:
        corners = (index[cells][:, None] + CORNERS).reshape(-1, 3)
        used, first = np.unique(corners, axis=0, return_inverse=True)
        points.append(used * voxel + [x[0], y[0], z[0]])
        connectivity.append(first.reshape(-1))
        offsets.append(8 * np.arange(len(cells) + 1))
    order = np.concatenate(pieces)
    with h5py.File(path, "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs["Version"] = np.array([2, 0])
        root.attrs["Type"] = np.bytes_("UnstructuredGrid")
        root["NumberOfPoints"] = [len(p) for p in points]
        root["NumberOfCells"] = [len(p) for p in pieces]
        root["NumberOfConnectivityIds"] = [len(c) for c in connectivity]
        root["Points"] = np.concatenate(points).astype(np.float32)
        root["Connectivity"] = np.concatenate(connectivity)
        root["Offsets"] = np.concatenate(offsets)
        root["Types"] = np.full(len(order), 11, np.uint8)
        for name, values in (("pressure", pressure), ("velocity", velocity), ("rank", rank)):
            root[f"CellData/{name}"] = values[order]
        root["FieldData/time"] = [time]
        root["FieldData/voxel"] = [voxel]
    return len(order)


def write_monitors(path: Path, rows: int = 40) -> None:
    header = ("step,time_s,density_min,density_max,mach_max,mass_kg,relative_change,"
              "in_flow_m3_per_s,in_pressure_pa,far_out_flow_m3_per_s,far_out_pressure_pa")
    lines = [header]
    for k in range(rows):
        started = 1 - np.exp(-k / 8)
        values = (10 * k, 1e-3 * k, 1 - 0.01 * started, 1 + 0.02 * started, 0.1 * started, 1e-4,
                  0.01 * np.exp(-k / 4), 2e-6 * started, 40 * started, -2e-6 * started**2, 0.0)
        lines.append(",".join(f"{v:.9g}" for v in values))
    path.write_text("\n".join(lines) + "\n")


def write_output(directory: Path, voxel: float = 2.5e-4) -> int:
    directory.mkdir(parents=True, exist_ok=True)
    write_monitors(directory / "monitors.csv")
    return write_fields(directory / "fields_00000400.vtkhdf", voxel)
