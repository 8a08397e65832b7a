# SPDX-License-Identifier: BSD-3-Clause
"""The flow at one time: highest speed along the line of sight, speed and streamlines in a slice, mean pressure."""
from pathlib import Path

import numpy as np

from weft.fields import Fields
from weft.style import MMHG, bare, headline, outline, plt, save, scale_bar, shaded, time_text
from weft.view import View

SPEED, PRESSURE = "inferno", "viridis"


def draw_flow(fields: Fields, view: View, title: str, path: Path) -> None:
    rows, columns = view.silhouette.shape
    width = 14.0
    figure, axes = plt.subplots(1, 3, figsize=(width, width / 3 * rows / columns + 2.0), layout="constrained")
    headline(figure, f"{title}   {time_text(fields.time)}")

    speed = fields.speed
    fastest = max(float(np.percentile(speed, 99.9)), 1e-12)
    light = view.shading()

    _picture(figure, axes[0], view, view.maximum(speed), SPEED, (0, fastest), "m/s", light)
    axes[0].set_title("Speed, highest along the line of sight")

    cut = view.widest_slice()
    axes[1].imshow(np.where(view.silhouette, 0.9, 1.0), cmap="gray", vmin=0, vmax=1, origin="lower",
                   extent=view.extent)
    _picture(figure, axes[1], view, view.at(cut, speed), SPEED, (0, fastest), "m/s", None)
    _streamlines(axes[1], view, fields, cut, fastest)
    axes[1].set_title("Speed and streamlines in a slice")

    pressure = fields.pressure / MMHG
    low, high = np.percentile(pressure, [0.5, 99.5])
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    _picture(figure, axes[2], view, view.mean(pressure), PRESSURE, (low, high), "mmHg", light)
    axes[2].set_title("Pressure, mean along the line of sight")
    save(figure, path)


def _picture(figure, axes, view: View, values, colours: str, limits, unit: str, light) -> None:
    scale = plt.matplotlib.colors.Normalize(*limits)
    image = plt.get_cmap(colours)(scale(np.nan_to_num(values, nan=limits[0])))
    if light is not None:
        image = shaded(image, light, 0.35)
    image[..., 3] = np.isfinite(values)
    axes.imshow(image, origin="lower", extent=view.extent, interpolation="nearest")
    outline(axes, view)
    scale_bar(axes, view)
    bare(axes)
    bar = figure.colorbar(plt.matplotlib.cm.ScalarMappable(scale, colours), ax=axes, orientation="horizontal",
                          shrink=0.7, aspect=30, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label(unit)
    bar.locator = plt.MaxNLocator(5)
    bar.update_ticks()


def _streamlines(axes, view: View, fields: Fields, cut: np.ndarray, fastest: float) -> None:
    across = view.at(cut, fields.velocity @ view.right)
    along = view.at(cut, fields.velocity @ view.up)
    planar = np.hypot(across, along)
    if not np.nanmax(planar, initial=0.0) > 1e-3 * fastest:
        return
    rows, columns = cut.shape
    x, y = ((np.arange(n) + 0.5) * view.pixel * 1e3 for n in (columns, rows))
    density = (1.6 * columns / max(rows, columns), 1.6 * rows / max(rows, columns))
    axes.streamplot(x, y, np.ma.masked_invalid(across), np.ma.masked_invalid(along), color="white", density=density,
                    linewidth=0.4 + 0.9 * np.nan_to_num(planar / fastest), arrowsize=0.7)
