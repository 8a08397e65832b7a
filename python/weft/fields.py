# SPDX-License-Identifier: BSD-3-Clause
"""Reads the fields of a vessel that `weft flow` writes (VTKHDF, an unstructured grid of equal voxels)."""
import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from weft.errors import InputError

VTK_VOXEL = 11


@dataclass(frozen=True)
class Fields:
    """One value per cell; cell c fills the cube from origin + voxel * index[c] to one voxel further."""
    time: float            # s
    voxel: float           # m
    origin: np.ndarray     # (3,) m
    index: np.ndarray      # (n, 3) int, 0 is the lowest of all cells along each axis
    pressure: np.ndarray   # (n,) Pa
    velocity: np.ndarray   # (n, 3) m/s
    rank: np.ndarray       # (n,) int

    @property
    def speed(self) -> np.ndarray:
        return np.linalg.norm(self.velocity, axis=1)

    def cell_of(self) -> np.ndarray:
        """A dense array over the bounding box: the number of the cell there, -1 outside of the fluid."""
        cells = np.full(self.index.max(axis=0) + 1, -1, np.int32)
        cells[tuple(self.index.T)] = np.arange(len(self.index), dtype=np.int32)
        return cells


def last_fields(directory: Path) -> Path:
    """The last that the index of the last run names; without an index the fields_*.vtkhdf with the highest number."""
    index = directory / "fields.vtkhdf.series"
    if index.exists():
        # Files of an earlier, longer run may lie beside this run's.
        try:
            path = directory / str(json.loads(index.read_text())["files"][-1]["name"])
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise InputError(f"{index}: is no index of fields ({error}).") from error
        if not path.exists():
            raise InputError(f"{index}: names {path.name}, which is not there.")
        return path

    def number(path: Path) -> tuple[int, str]:
        digits = re.findall(r"\d+", path.stem)
        return (int(digits[-1]) if digits else -1, path.name)

    paths = sorted(directory.glob("fields_*.vtkhdf"), key=number)
    if not paths:
        raise InputError(f"{directory}: no fields_*.vtkhdf. Let weft write fields ([output] in the case file).")
    return paths[-1]


def kind_of(path: Path) -> str:
    """The VTKHDF type of a file: "UnstructuredGrid", "ImageData" or "OverlappingAMR"."""
    return read_file(path, lambda root: _text(root.attrs["Type"]))


def read_fields(path: Path) -> Fields:
    return read_file(path, _read)


def read_file(path: Path, read):
    """What `read` makes of the file's group VTKHDF; what is wrong with the file is an InputError."""
    import h5py
    try:
        with h5py.File(path, "r") as file:
            return read(file["VTKHDF"])
    except KeyError as error:
        raise InputError(f"{path}: {' '.join(str(error.args[0]).split())} Is it a file of weft?") from error
    except (OSError, ValueError, IndexError) as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}") from error


def _text(value) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def check_finite(*arrays: np.ndarray) -> None:
    if not all(np.isfinite(values).all() for values in arrays):
        raise ValueError("holds values that are not finite: the run diverged. A shorter time step may help.")


def _read(root) -> Fields:
    if _text(root.attrs["Type"]) != "UnstructuredGrid":
        raise ValueError("not an UnstructuredGrid.")
    if np.any(root["Types"][:] != VTK_VOXEL):
        raise ValueError("has cells other than voxels (type 11).")
    points, connectivity = root["Points"][:].astype(np.float64), root["Connectivity"][:].astype(np.int64)
    cells, corners = root["NumberOfCells"][:], root["NumberOfConnectivityIds"][:]
    count = int(cells.sum())
    if count == 0:
        raise ValueError("has no cells.")
    if len(connectivity) != 8 * count or np.any(corners != 8 * cells):
        raise ValueError(f"{len(connectivity)} connectivity entries do not make {count} voxels of 8 points.")
    # a piece numbers its points from 0
    first_point = np.concatenate([[0], np.cumsum(root["NumberOfPoints"][:])[:-1]])
    first, second = (connectivity.reshape(-1, 8)[:, :2] + np.repeat(first_point, cells)[:, None]).T
    corner = points[first]
    data = root["FieldData"] if "FieldData" in root else {}
    voxel = float(np.ravel(data["voxel"][()])[0]) if "voxel" in data else float((points[second] - corner)[0, 0])
    if not voxel > 0:
        raise ValueError(f"the voxel size is {voxel}, not a length.")
    values = {name: root["CellData"][name][:] for name in ("pressure", "velocity", "rank")}
    for name, shape in (("pressure", (count,)), ("velocity", (count, 3)), ("rank", (count,))):
        if values[name].shape != shape:
            raise ValueError(f"{name} has shape {values[name].shape}, not {shape}.")
    check_finite(values["pressure"], values["velocity"])
    origin = corner.min(axis=0)
    return Fields(
        time=float(np.ravel(data["time"][()])[0]) if "time" in data else float("nan"),
        voxel=voxel, origin=origin, index=np.rint((corner - origin) / voxel).astype(np.int64),
        pressure=values["pressure"].astype(np.float64), velocity=values["velocity"].astype(np.float64),
        rank=values["rank"].astype(np.int64))
