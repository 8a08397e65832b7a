# SPDX-License-Identifier: BSD-3-Clause
"""A view of a vessel from the direction that shows most of it: its cells, resampled on the picture's pixels and on layers in depth."""
from dataclasses import dataclass

import numpy as np

from weft.fields import Fields


@dataclass(frozen=True)
class View:
    """The line of sight of pixel [row, column] is the last axis of `cells`, front first. Row 0 is at the bottom."""
    cells: np.ndarray    # (rows, columns, depth): cell number, -1 outside
    right: np.ndarray    # unit vectors of the picture in space
    up: np.ndarray
    pixel: float         # m
    pixels_per_voxel: float = 1.0  # in the picture plane; in depth there is one layer per voxel

    @property
    def silhouette(self) -> np.ndarray:
        return (self.cells >= 0).any(axis=2)

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom, top in millimetres, as imshow needs them."""
        rows, columns, _ = self.cells.shape
        return (0.0, columns * self.pixel * 1e3, 0.0, rows * self.pixel * 1e3)

    def maximum(self, values: np.ndarray) -> np.ndarray:
        """The largest value along each line of sight, NaN outside the vessel."""
        padded = np.append(values, -np.inf)
        seen = padded[self.cells].max(axis=2)
        return np.where(np.isfinite(seen), seen, np.nan)

    def mean(self, values: np.ndarray) -> np.ndarray:
        count = (self.cells >= 0).sum(axis=2)
        total = np.append(values, 0.0)[self.cells].sum(axis=2)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    def front(self, values: np.ndarray) -> np.ndarray:
        """The value of the first cell on each line of sight."""
        nearest = np.argmax(self.cells >= 0, axis=2)
        return self.at(np.take_along_axis(self.cells, nearest[..., None], axis=2)[..., 0], values)

    @staticmethod
    def at(cells: np.ndarray, values: np.ndarray) -> np.ndarray:
        return np.append(values.astype(float), np.nan)[cells]

    def widest_slice(self) -> np.ndarray:
        """The cells in the plane normal to the line of sight that cuts the most cells."""
        return self.cells[:, :, int(np.argmax((self.cells >= 0).sum(axis=(0, 1))))]

    def shading(self) -> np.ndarray:
        """Light on the front of the vessel: 1 where the surface faces the lamp, less at the sides."""
        inside = self.silhouette
        depth = np.where(inside, np.argmax(self.cells >= 0, axis=2), 0.0) * self.pixels_per_voxel
        # A blur that leaves out the background.
        depth = np.where(inside, blur(depth, 2.0) / np.maximum(blur(inside.astype(float), 2.0), 1e-9), 0.0)
        upward, rightward = np.gradient(depth)
        lamp = np.array([0.35, -0.45, 1.0])
        light = (np.stack([rightward, upward, np.ones_like(depth)], axis=-1) @ lamp) / np.linalg.norm(lamp)
        light /= np.sqrt(1 + upward**2 + rightward**2)
        thickness = (self.cells >= 0).sum(axis=2) / 6.0  # makes the rim darker
        return np.clip(np.minimum(light, 0.55 + 0.45 * thickness), 0.0, 1.0)


def blur(picture: np.ndarray, sigma: float) -> np.ndarray:
    """Gaussian blur."""
    reach = int(3 * sigma)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    kernel /= kernel.sum()
    for axis in (0, 1):
        picture = np.apply_along_axis(np.convolve, axis, picture, kernel, mode="same")
    return picture


def best_view(fields: Fields, pixels_per_voxel: float = 1.5, margin: int = 3) -> View:
    """The view along the direction in which the vessel is thinnest. z points up, or y if the view is nearly along z."""
    centred = fields.index - fields.index.mean(axis=0)
    away = np.linalg.eigh(centred.T @ centred)[1][:, 0]
    if away[np.argmax(np.abs(away))] < 0:
        away = -away
    upright = np.array([0.0, 0.0, 1.0]) if abs(away[2]) < 0.8 else np.array([0.0, 1.0, 0.0])
    up = upright - (upright @ away) * away
    up /= np.linalg.norm(up)
    right = np.cross(up, -away)

    axes = np.stack([up, right, away])
    along = fields.index @ axes.T
    low, high = along.min(axis=0) - margin, along.max(axis=0) + margin
    rows, columns = (np.arange(low[k], high[k], 1 / pixels_per_voxel) for k in (0, 1))
    depths = np.arange(low[2], high[2])
    plane = rows[:, None, None] * up + columns[None, :, None] * right
    dense = np.pad(fields.cell_of(), 1, constant_values=-1)
    last = np.array(dense.shape) - 1
    cells = np.empty((len(rows), len(columns), len(depths)), np.int32)
    for k, depth in enumerate(depths):
        nearest = np.clip(np.rint(plane + depth * away).astype(np.int64) + 1, 0, last)
        cells[:, :, k] = dense[nearest[..., 0], nearest[..., 1], nearest[..., 2]]
    return View(cells, right, up, fields.voxel / pixels_per_voxel, pixels_per_voxel)
