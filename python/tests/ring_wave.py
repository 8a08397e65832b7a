# SPDX-License-Identifier: BSD-3-Clause
"""Writes the output that `weft wave` would write for an outgoing spherical wave, with refinement at the wave.

The layout of fields_*.vtkhdf that vtkHDFReader (tried with VTK 9.4.2 and 9.7.2) and weft's own reader need. Group /VTKHDF:

    attributes  Version (1, 0), Type "OverlappingAMR" (a string of fixed length), Origin, GridDescription "XYZ"
    LevelL      attribute Spacing; AMRBox (blocks, 6): first and last cell along x, y, z, counted over the level
    LevelL/CellData/NAME (cells of all blocks,): block after block, x fastest; vtkGhostType 8 where a finer block lies
    FieldData/step, FieldData/time  (1,)
"""
from pathlib import Path

import h5py
import numpy as np

CELLS, RADIUS, WIDTH = 8, 0.3, 0.03


def exact(x, y, z):
    r = np.sqrt((x - 0.5)**2 + (y - 0.5)**2 + (z - 0.5)**2)
    return (r - RADIUS) / WIDTH * np.exp(-0.5 * ((r - RADIUS) / WIDTH)**2) / (r + 0.1)


def refine(blocks: np.ndarray, spacing: float) -> np.ndarray:
    """Blocks (m, 3) that contain the wave; those of the next level are separate."""
    middle = (blocks + 0.5) * CELLS * spacing - 0.5
    reach = 0.5 * np.sqrt(3) * CELLS * spacing + WIDTH
    return np.abs(np.linalg.norm(middle, axis=1) - RADIUS) < reach


def write_fields(path: Path, levels: int = 3, base: tuple = (6, 6, 6), step: int = 24, time: float = 0.3) -> list:
    """Returns the blocks of each level."""
    lists = []
    with h5py.File(path, "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs["Version"] = np.array([1, 0])
        root.attrs["Type"] = np.bytes_("OverlappingAMR")
        root.attrs["GridDescription"] = np.bytes_("XYZ")
        root.attrs["Origin"] = np.zeros(3)
        blocks = np.stack(np.meshgrid(*map(np.arange, base), indexing="ij"), axis=-1).reshape(-1, 3)
        for level in range(levels):
            spacing = 1 / (base[0] * CELLS * 2**level)
            fine = refine(blocks, spacing) if level + 1 < levels else np.zeros(len(blocks), bool)
            group = root.create_group(f"Level{level}")
            group.attrs["Spacing"] = np.full(3, spacing)
            box = np.empty((len(blocks), 6), np.int64)
            box[:, ::2], box[:, 1::2] = blocks * CELLS, blocks * CELLS + CELLS - 1
            group["AMRBox"] = box
            k, j, i = np.meshgrid(*3 * [np.arange(CELLS)], indexing="ij")
            x, y, z = ((blocks[:, a, None, None, None] * CELLS + at + 0.5) * spacing for a, at in enumerate((i, j, k)))
            group["CellData/u"] = exact(x, y, z).ravel()
            group["CellData/vtkGhostType"] = np.repeat(np.where(fine, 8, 0).astype(np.uint8), CELLS**3)
            lists.append(blocks)
            octants = np.stack(np.meshgrid(*3 * [[0, 1]], indexing="ij"), axis=-1).reshape(-1, 3)
            blocks = (2 * blocks[fine][:, None] + octants).reshape(-1, 3)
        root["FieldData/step"], root["FieldData/time"] = [step], [time]
    return lists


def write_output(directory: Path, **options) -> list:
    directory.mkdir(parents=True, exist_ok=True)
    return write_fields(directory / "fields_00000024.vtkhdf", **options)
