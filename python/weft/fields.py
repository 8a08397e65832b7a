# SPDX-License-Identifier: BSD-3-Clause
"""Reads the fields of a vessel that `weft flow` writes (VTKHDF, an unstructured grid of equal voxels)."""
import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from weft.errors import InputError, check_plots

VTK_VOXEL = 11


@dataclass(frozen=True)
class Fields:
    """One value per cell. Cell c is the cube of side `voxel` whose lowest corner is origin + voxel * index[c]."""
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
        """A dense array over the bounding box: the cell number at each position, -1 outside the fluid."""
        cells = np.full(self.index.max(axis=0) + 1, -1, np.int32)
        cells[tuple(self.index.T)] = np.arange(len(self.index), dtype=np.int32)
        return cells


def last_fields(directory: Path) -> Path:
    """The last file in the run's index; without an index the fields_*.vtkhdf with the highest number."""
    index = directory / "fields.vtkhdf.series"
    if index.exists():
        # An earlier, longer run may have left files in this directory. The index lists only those of the last run.
        try:
            path = directory / str(json.loads(index.read_text())["files"][-1]["name"])
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise InputError(f"{index}: This is no index of fields ({error}). Remove it, or run the case again.") from error
        if not path.exists():
            raise InputError(f"{index}: The index lists {path.name}, which is missing. Remove the index, or run the case again.")
        return path

    def number(path: Path) -> tuple[int, str]:
        digits = re.findall(r"\d+", path.stem)
        return (int(digits[-1]) if digits else -1, path.name)

    paths = sorted(directory.glob("fields_*.vtkhdf"), key=number)
    if not paths:
        raise InputError(f"{directory}: There is no fields_*.vtkhdf in this directory. Let weft write fields ([output] in the case).")
    return paths[-1]


def kind_of(path: Path) -> str:
    """The VTKHDF type of a file: "UnstructuredGrid", "ImageData" or "OverlappingAMR"."""
    return read_file(path, lambda root: _text(root.attrs["Type"]))


def read_fields(path: Path) -> Fields:
    return read_file(path, _read)


class Diverged(ValueError):
    pass


def read_file(path: Path, read):
    """The result of `read` on the file's group VTKHDF. Errors of the file become InputErrors."""
    check_plots("h5py")
    import h5py
    try:
        with h5py.File(path, "r") as file:
            return read(file["VTKHDF"])
    except KeyError as error:
        raise InputError(f"{path}: This file was not written by weft ({_line(error.args[0])}). Name the output directory of a run.") from error
    except Diverged as error:
        raise InputError(f"{path}: The run diverged ({error}). Run the case again with a shorter time step.") from error
    except (OSError, ValueError, IndexError) as error:
        raise InputError(f"{path}: This file can't be drawn ({_line(error)}). Run the case again, or name another directory.") from error


def _line(error: object) -> str:
    return " ".join(str(error).split()).rstrip(".")


def _text(value) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def check_finite(*arrays: np.ndarray) -> None:
    if not all(np.isfinite(values).all() for values in arrays):
        raise Diverged("the file has values that are not finite")


def _read(root) -> Fields:
    if _text(root.attrs["Type"]) != "UnstructuredGrid":
        raise ValueError("it is not an UnstructuredGrid")
    if np.any(root["Types"][:] != VTK_VOXEL):
        raise ValueError("it has cells other than voxels, VTK type 11")
    points, connectivity = root["Points"][:].astype(np.float64), root["Connectivity"][:].astype(np.int64)
    cells, corners = root["NumberOfCells"][:], root["NumberOfConnectivityIds"][:]
    count = int(cells.sum())
    if count == 0:
        raise ValueError("it has no cells")
    if len(connectivity) != 8 * count or np.any(corners != 8 * cells):
        raise ValueError(f"{len(connectivity)} connectivity entries are not {count} voxels of 8 points")
    # Each piece numbers its points from 0.
    first_point = np.concatenate([[0], np.cumsum(root["NumberOfPoints"][:])[:-1]])
    first, second = (connectivity.reshape(-1, 8)[:, :2] + np.repeat(first_point, cells)[:, None]).T
    corner = points[first]
    data = root["FieldData"] if "FieldData" in root else {}
    voxel = float(np.ravel(data["voxel"][()])[0]) if "voxel" in data else float((points[second] - corner)[0, 0])
    if not voxel > 0:
        raise ValueError(f"the voxel size is {voxel}, but must be above 0")
    values = {name: root["CellData"][name][:] for name in ("pressure", "velocity", "rank")}
    for name, shape in (("pressure", (count,)), ("velocity", (count, 3)), ("rank", (count,))):
        if values[name].shape != shape:
            raise ValueError(f"{name} has shape {values[name].shape}, not {shape}")
    check_finite(values["pressure"], values["velocity"])
    origin = corner.min(axis=0)
    return Fields(
        time=float(np.ravel(data["time"][()])[0]) if "time" in data else float("nan"),
        voxel=voxel, origin=origin, index=np.rint((corner - origin) / voxel).astype(np.int64),
        pressure=values["pressure"].astype(np.float64), velocity=values["velocity"].astype(np.float64),
        rank=values["rank"].astype(np.int64))
