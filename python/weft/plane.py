# SPDX-License-Identifier: BSD-3-Clause
"""Reads the middle plane of a box (VTKHDF, an image with one point per site). Only this plane is in memory."""
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from weft.fields import check_finite, read_file


@dataclass(frozen=True)
class Plane:
    """Arrays are indexed (y, x). Lattice units."""
    step: int
    z: int                 # position of the plane
    depth: int             # planes in the box; 1 in two dimensions
    density: np.ndarray    # (ny, nx)
    velocity: np.ndarray   # (ny, nx, 3)
    solid: np.ndarray      # (ny, nx) bool
    rank: np.ndarray       # (ny, nx) int

    @property
    def speed(self) -> np.ndarray:
        """Masked at solid sites."""
        return np.ma.masked_array(np.linalg.norm(self.velocity, axis=2), self.solid)


def read_plane(path: Path) -> Plane:
    digits = re.findall(r"\d+", path.stem)
    return read_file(path, lambda root: _read(root, int(digits[-1]) if digits else 0))


def _read(root, step: int) -> Plane:
    extent = np.asarray(root.attrs["WholeExtent"])
    if extent.shape != (6,):
        raise ValueError(f"WholeExtent has {extent.size} numbers, not 6")
    nx, ny, nz = (int(n) for n in extent[1::2] - extent[::2] + 1)
    whole = (ny, nx) if nz == 1 else (nz, ny, nx)
    values = {}
    for name, last in (("density", ()), ("velocity", (3,)), ("solid", ()), ("rank", ())):
        data = root["PointData"][name]
        if data.shape != whole + last:
            raise ValueError(f"{name} has shape {data.shape}, not {whole + last}")
        values[name] = data[:] if nz == 1 else data[nz // 2]
    fluid = values["solid"] == 0
    if not fluid.any():
        raise ValueError("it has no fluid in its middle plane")
    check_finite(values["density"][fluid], values["velocity"][fluid])
    data = root["FieldData"] if "FieldData" in root else {}
    return Plane(step=int(np.ravel(data["step"][()])[0]) if "step" in data else step, z=nz // 2, depth=nz,
                 density=values["density"], velocity=values["velocity"], solid=~fluid, rank=values["rank"])
