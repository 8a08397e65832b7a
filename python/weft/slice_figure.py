# SPDX-License-Identifier: BSD-3-Clause
"""A box at one time: speed and streamlines in its middle plane, solid sites in grey."""
from pathlib import Path

import numpy as np

from weft.plane import Plane
from weft.style import headline, plt, save

SPEED, SOLID = "viridis", "#b8bcc2"
LONGEST = 11.0  # length of the plane's longer side, inches


def draw_slice(plane: Plane, title: str, path: Path) -> None:
    rows, columns = plane.solid.shape
    width, height = (LONGEST * n / max(rows, columns) for n in (columns, rows))
    upright = rows > 1.2 * columns
    figure, axes = plt.subplots(figsize=(max(width, 4.5) + (2.0 if upright else 1.0),
                                         max(height, 0.6) + (1.5 if upright else 2.0)), layout="constrained")
    headline(figure, f"{title}   step {plane.step}")

    speed = plane.speed
    fastest = max(float(np.percentile(speed.compressed(), 99.9)), 1e-12)
    edges = (-0.5, columns - 0.5, -0.5, rows - 0.5)  # walls are half a spacing beyond the last sites
    axes.imshow(plane.solid, cmap=plt.matplotlib.colors.ListedColormap(["white", SOLID]), vmin=0, vmax=1,
                origin="lower", extent=edges, interpolation="nearest")
    image = axes.imshow(speed, cmap=SPEED, vmin=0, vmax=fastest, origin="lower", extent=edges, interpolation="nearest")
    _streamlines(axes, plane, fastest)
    axes.set(xlim=edges[:2], ylim=edges[2:], xlabel="x (sites)", ylabel="y (sites)")
    where = "" if plane.depth == 1 else f" in the plane z = {plane.z} of {plane.depth}"
    axes.set_title(f"Speed and streamlines{where}")
    for side in axes.spines.values():
        side.set_visible(True)
    bar = figure.colorbar(image, ax=axes, orientation="vertical" if upright else "horizontal", shrink=0.7, aspect=30,
                          pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label("speed (lattice units)")
    bar.locator = plt.MaxNLocator(5)
    bar.update_ticks()
    save(figure, path)


def _streamlines(axes, plane: Plane, fastest: float) -> None:
    rows, columns = plane.solid.shape
    across, along = (np.ma.masked_array(plane.velocity[..., a], plane.solid) for a in (0, 1))
    planar = np.ma.hypot(across, along)
    if min(rows, columns) < 2 or not planar.max() > 1e-3 * fastest:
        return
    # At least a few lines across a narrow channel.
    density = tuple(max(1.8 * n / max(rows, columns), 0.25) for n in (columns, rows))
    axes.streamplot(np.arange(columns), np.arange(rows), across, along, color="white", density=density,
                    linewidth=0.4 + 0.9 * np.minimum(planar.filled(0) / fastest, 1), arrowsize=0.8)
