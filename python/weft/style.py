# SPDX-License-Identifier: BSD-3-Clause
"""The style of all figures, and their common small parts."""
import os
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of the backend)
import numpy as np  # noqa: E402

from weft.files import mode_for  # noqa: E402
from weft.view import View  # noqa: E402

INK, QUIET = "#22262b", "#8a9099"
MMHG = 133.322387415  # Pa
DPI = 150

plt.rcParams.update({
    "font.size": 11, "axes.titlesize": 12, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "axes.edgecolor": QUIET, "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False, "lines.linewidth": 1.8,
    "figure.dpi": DPI, "savefig.dpi": DPI, "axes.titlepad": 10,
})


def time_text(seconds: float) -> str:
    if not np.isfinite(seconds):
        return "time unknown"
    return f"t = {seconds * 1e3:.4g} ms" if seconds < 1 else f"t = {seconds:.4g} s"


def bare(axes) -> None:
    """A picture, not a plot: no frame, no ticks."""
    axes.set_axis_off()
    axes.set_aspect("equal")


def scale_bar(axes, view: View) -> None:
    """A scale bar with a round length below the picture's left corner."""
    width = view.extent[1]
    length = max((m * 10.0**e for e in range(-6, 6) for m in (1, 2, 5) if m * 10.0**e <= 0.3 * width), default=width)
    y = -0.025 * view.extent[3]
    axes.plot([0, length], [y, y], color=INK, linewidth=2.5, solid_capstyle="butt", clip_on=False)
    axes.text(length / 2, 1.7 * y, f"{length:g} mm", ha="center", va="top", fontsize=10)
    axes.set_ylim(5.5 * y, view.extent[3])


def outline(axes, view: View) -> None:
    x, y = ((np.arange(n) + 0.5) * view.pixel * 1e3 for n in reversed(view.silhouette.shape))
    axes.contour(x, y, view.silhouette.astype(float), levels=[0.5], colors=INK, linewidths=0.9)


def headline(figure, text: str) -> None:
    figure.suptitle(text, x=0.02, ha="left", fontsize=15, fontweight="bold")
    figure.get_layout_engine().set(w_pad=0.15, h_pad=0.15, wspace=0.03, hspace=0.03)


def shaded(colours: np.ndarray, light: np.ndarray, strength: float) -> np.ndarray:
    """RGBA colours darkened where there is less light."""
    result = colours.copy()
    result[..., :3] *= (1 - strength * (1 - light))[..., None]
    return result


def save(figure, path: Path, dpi: float = DPI) -> None:
    """Writes a temporary file and renames it, so that readers never see a partial picture."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        figure.savefig(beside, format="png", facecolor="white", dpi=dpi)
        beside.chmod(mode_for(path))
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
        plt.close(figure)
