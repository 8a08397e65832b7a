# SPDX-License-Identifier: BSD-3-Clause
"""A mesh hierarchy at one time: a field in the middle plane, and the outlines of the blocks there in one colour per level."""
from pathlib import Path

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from weft.hierarchy import Slice
from weft.style import headline, plt, save

FIELD = "RdBu_r"
LEVELS = ("#8a9099", "#22262b", "#1b7f5c", "#b8860b", "#7b3fa0")  # readable on white, red and blue
LONGEST = 8.5  # length of the plane's longer side, inches


def edges_of(blocks: np.ndarray) -> np.ndarray:
    """The sides of rectangles as segments (m, 2, 2). A side that two blocks share is returned once."""
    x0, x1, y0, y1 = np.asarray(blocks, float).reshape(-1, 4).T
    ends = (x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)
    sides = np.concatenate([np.stack(s, axis=1) for s in ends])
    if len(sides) == 0:
        return sides.reshape(0, 2, 2)
    unit = max(float(np.abs(sides).max()), 1e-300)
    _, first = np.unique(np.round(sides / unit, 9), axis=0, return_index=True)
    return sides[first].reshape(-1, 2, 2)


def draw_grids(plane: Slice, title: str, path: Path) -> None:
    x0, x1, y0, y1 = plane.extent
    wide, high = x1 - x0, y1 - y0
    width, height = (LONGEST * n / max(wide, high) for n in (wide, high))
    figure, axes = plt.subplots(figsize=(max(width, 5.0) + 1.6, max(height, 1.5) + 1.9), layout="constrained")
    time = f"   t = {plane.time:.4g}" if np.isfinite(plane.time) else ""
    headline(figure, f"{title}   step {plane.step}{time}")

    # The colour scale ends at the 99.8th percentile: waves spread and decay, so with the maximum a few cells would make all others pale.
    # Larger values have the darkest colour.
    largest = max(float(np.percentile(np.abs(plane.values), 99.8)), 1e-300)
    image = axes.imshow(plane.values, cmap=FIELD, vmin=-largest, vmax=largest, origin="lower", extent=plane.extent,
                        interpolation="nearest")
    shown = []
    for level, blocks in enumerate(plane.blocks):
        if len(blocks) == 0:
            continue
        colour = LEVELS[min(level, len(LEVELS) - 1)]
        # Finer levels have thinner outlines, so that the outlines don't cover small blocks.
        thickness = max(0.4, 1.2 - 0.25 * level)
        axes.add_collection(LineCollection(edges_of(blocks), colors=colour, linewidths=thickness, alpha=0.85,
                                           capstyle="projecting"))
        shown.append(Line2D([], [], color=colour, linewidth=2,
                            label=f"level {level}: {len(blocks)} block{'s' if len(blocks) > 1 else ''}, "
                                  f"h = {plane.spacing[level]:.4g}"))
    axes.set(xlim=(x0, x1), ylim=(y0, y1), xlabel="x", ylabel="y")
    axes.set_title(f"{plane.name} and blocks in the plane z = {plane.z:.4g}")
    for side in axes.spines.values():
        side.set_visible(True)
    bar = figure.colorbar(image, ax=axes, shrink=0.7, aspect=30, pad=0.02,
                          extend="both" if np.abs(plane.values).max() > largest else "neither")
    bar.outline.set_visible(False)
    bar.set_label(plane.name)
    bar.locator = plt.MaxNLocator(7)
    bar.update_ticks()
    figure.legend(handles=shown, loc="outside lower center", ncols=min(len(shown), 3), fontsize=10)
    save(figure, path)
