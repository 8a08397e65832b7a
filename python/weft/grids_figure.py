# SPDX-License-Identifier: BSD-3-Clause
"""A hierarchy at one moment: a field in the middle plane and the outlines of the blocks there, a colour a level."""
from pathlib import Path

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from weft.hierarchy import Slice
from weft.style import headline, plt, save

FIELD = "RdBu_r"
LEVELS = ("#8a9099", "#22262b", "#1b7f5c", "#b8860b", "#7b3fa0")  # readable on white, red and blue
LONGEST = 8.5  # inches that the longer side of the plane gets


def edges_of(blocks: np.ndarray) -> np.ndarray:
    """The sides of rectangles as segments (m, 2, 2), each once: blocks share most of theirs."""
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

    # Waves spread and decay, so a few cells would bleach all others; what is beyond keeps the darkest colour.
    largest = max(float(np.percentile(np.abs(plane.values), 99.8)), 1e-300)
    image = axes.imshow(plane.values, cmap=FIELD, vmin=-largest, vmax=largest, origin="lower", extent=plane.extent,
                        interpolation="nearest")
    shown = []
    for level, blocks in enumerate(plane.blocks):
        if len(blocks) == 0:
            continue
        colour = LEVELS[min(level, len(LEVELS) - 1)]
        # The finer the thinner, so that outlines don't bury small blocks.
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
