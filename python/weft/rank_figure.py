# SPDX-License-Identifier: BSD-3-Clause
"""The owner rank of each part of the vessel, and the number of cells per rank."""
from pathlib import Path

import numpy as np

from weft.fields import Fields
from weft.style import INK, bare, headline, outline, plt, save, scale_bar, shaded
from weft.view import View

GOLDEN = 0.618034


def rank_colours(count: int) -> np.ndarray:
    """Consecutive ranks have clearly different colours for any number of ranks."""
    if count <= 10:
        return plt.get_cmap("tab10")(np.arange(count))
    k = np.arange(count)
    hsv = np.stack([k * GOLDEN % 1, 0.45 + 0.2 * (k % 3), 0.95 - 0.15 * (k // 3 % 3)], axis=1)
    return np.hstack([plt.matplotlib.colors.hsv_to_rgb(hsv), np.ones((count, 1))])


def draw_ranks(fields: Fields, view: View, title: str, path: Path) -> None:
    cells = np.bincount(fields.rank)
    colours = rank_colours(len(cells))
    rows, columns = view.silhouette.shape
    figure, (picture, bars) = plt.subplots(
        1, 2, figsize=(12.0, 7.5 * rows / columns + 1.2), layout="constrained", width_ratios=(2.2, 1))
    noun = "rank" if len(cells) == 1 else "ranks"
    headline(figure, f"{title}   {len(cells)} {noun}")

    seen = view.front(fields.rank)
    image = colours[np.nan_to_num(seen).astype(int)]
    image = shaded(image, view.shading(), 0.5)
    image[..., 3] = np.isfinite(seen)
    picture.imshow(image, origin="lower", extent=view.extent, interpolation="nearest")
    picture.set_title("Owner of each site")
    outline(picture, view)
    scale_bar(picture, view)
    bare(picture)

    bars.barh(np.arange(len(cells)), cells, color=colours, height=0.8)
    bars.axvline(cells.mean(), color=INK, linewidth=1.2, linestyle=(0, (4, 2)))
    bars.set_title(f"Sites per rank\nlargest / mean = {cells.max() / cells.mean():.3f}")
    bars.set_ylabel("rank")
    bars.invert_yaxis()
    bars.yaxis.set_major_locator(plt.MaxNLocator(integer=True))
    bars.xaxis.set_major_locator(plt.MaxNLocator(4))
    bars.xaxis.set_major_formatter(plt.matplotlib.ticker.StrMethodFormatter("{x:,.0f}"))
    save(figure, path)
