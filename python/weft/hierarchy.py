# SPDX-License-Identifier: BSD-3-Clause
"""Reads a plane of a hierarchy of blocks (VTKHDF, overlapping AMR). Only the cells of the plane are in memory."""
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from weft.fields import check_finite, read_file

LARGEST = 2400  # limit of the pixels along the longer side


@dataclass(frozen=True)
class Slice:
    """The plane normal to z in the middle of the domain. Lengths and times are the case's, without units."""
    step: int
    time: float
    name: str               # of the field
    z: float                # position of the plane; the values are of the cells just above it
    extent: tuple           # x from, to, y from, to
    values: np.ndarray      # (ny, nx): at each pixel the value of the finest cell there, row 0 at low y
    level: np.ndarray       # (ny, nx): the level of that cell
    blocks: list            # per level: (m, 4) blocks that the plane cuts, as x from, to, y from, to
    spacing: list           # per level: the cell size


def read_slice(path: Path, name: str = "u") -> Slice:
    digits = re.findall(r"\d+", path.stem)
    return read_file(path, lambda root: _read(root, name, int(digits[-1]) if digits else 0))


def _read(root, name: str, step: int) -> Slice:
    levels = [root[f"Level{k}"] for k in range(sum(key.startswith("Level") for key in root))]
    if not levels:
        raise ValueError("it has no Level0")
    origin = np.asarray(root.attrs["Origin"], float)
    spacing = [np.asarray(level.attrs["Spacing"], float) for level in levels]
    boxes = [_boxes(level) for level in levels]
    whole = np.stack([boxes[0][:, ::2].min(axis=0), boxes[0][:, 1::2].max(axis=0) + 1])  # in cells of level 0
    low, high = origin + whole[0] * spacing[0], origin + whole[1] * spacing[0]

    # A plane between two cells belongs to the upper cell on every level, so the layer is looked up half a finest cell above the middle.
    z = 0.5 * (low[2] + high[2])
    above = z + 0.5 * spacing[-1][2]
    finest = np.rint((high - low) / spacing[-1]).astype(int)[:2]
    nx, ny = np.maximum(1, (finest * min(1.0, LARGEST / finest.max())).astype(int))
    x = low[0] + (np.arange(nx) + 0.5) * (high[0] - low[0]) / nx
    y = low[1] + (np.arange(ny) + 0.5) * (high[1] - low[1]) / ny
    values, which, rectangles = np.full((ny, nx), np.nan), np.zeros((ny, nx), np.int8), []
    for number, (level, h, box) in enumerate(zip(levels, spacing, boxes)):
        data = level["CellData"][name]
        counts = box[:, 1::2] - box[:, ::2] + 1
        first = np.concatenate([[0], np.cumsum(counts.prod(axis=1))])
        if data.shape != (first[-1],):
            raise ValueError(f"{name} of level {number} has shape {data.shape}, not ({first[-1]},)")
        layer = int(np.floor((above - origin[2]) / h[2]))
        cut = np.flatnonzero((box[:, 4] <= layer) & (layer <= box[:, 5]))
        for b in cut:
            n = counts[b]
            start = first[b] + (layer - box[b, 4]) * n[0] * n[1]
            plane = data[start:start + n[0] * n[1]].reshape(n[1], n[0])
            check_finite(plane)
            at = [np.searchsorted(pixels, [origin[a] + box[b, 2 * a] * h[a], origin[a] + (box[b, 2 * a + 1] + 1) * h[a]])
                  for a, pixels in enumerate((x, y))]
            columns, rows = (np.clip(((pixels[i:j] - origin[a]) / h[a]).astype(int) - box[b, 2 * a], 0, n[a] - 1)
                             for a, (pixels, (i, j)) in enumerate(zip((x, y), at)))
            inside = (slice(*at[1]), slice(*at[0]))
            values[inside], which[inside] = plane[np.ix_(rows, columns)], number
        corner = np.stack([box[cut, 0], box[cut, 1] + 1, box[cut, 2], box[cut, 3] + 1], axis=1)
        rectangles.append(origin[[0, 0, 1, 1]] + corner * h[[0, 0, 1, 1]])
    if np.isnan(values).any():
        raise ValueError("it has no cells in a part of its middle plane")
    data = root["FieldData"] if "FieldData" in root else {}
    return Slice(step=int(np.ravel(data["step"][()])[0]) if "step" in data else step,
                 time=float(np.ravel(data["time"][()])[0]) if "time" in data else float("nan"),
                 name=name, z=float(z), extent=(low[0], high[0], low[1], high[1]), values=values, level=which,
                 blocks=rectangles, spacing=[float(h[0]) for h in spacing])


def _boxes(level) -> np.ndarray:
    box = np.asarray(level["AMRBox"][()], np.int64)
    if box.ndim != 2 or box.shape[1] != 6 or len(box) == 0 or (box[:, 1::2] < box[:, ::2]).any():
        raise ValueError(f"AMRBox of {level.name.rsplit('/', 1)[-1]}, of shape {box.shape}, is no list of boxes")
    return box
