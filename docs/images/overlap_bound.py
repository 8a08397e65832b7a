# SPDX-License-Identifier: BSD-3-Clause
"""Draws overlap_bound.svg of docs/concepts.md: measured speed-ups by overlap, from docs/results, and their upper bound.

python docs/images/overlap_bound.py
"""
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np

# r = T_comm / T_comp, and the speed-up over the same program without overlap
MEASURED = {
    "FFT, network (Transforms)": [(1.1, 1.42), (2.2, 1.52), (9.1, 1.27)],
    "waves, network (Engine, 128^3)": [(0.65, 1.40), (1.01, 1.62), (1.43, 1.51)],
    "waves, shared memory (Engine, 128^3)": [(0.09, 1.06), (0.13, 1.01), (0.21, 1.02)],
}


def main():
    plt.rcParams.update({"svg.hashsalt": "weft", "svg.fonttype": "none", "font.size": 9})
    figure, axes = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
    ratio = np.geomspace(0.005, 20, 300)
    axes.plot(ratio, (1 + ratio) / np.maximum(1, ratio), color="0.4", label="full overlap: (1 + r) / max(1, r)")
    for marker, (name, points) in zip("os^", MEASURED.items()):
        axes.plot(*zip(*points), marker, label=name)
    axes.axhline(1, color="0.8", linewidth=0.8)
    axes.set(xscale="log", xlim=(0.005, 20), ylim=(0.95, 2.05), xlabel="r = T_comm / T_comp", ylabel="speed-up")
    axes.set_xticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
    axes.legend(frameon=False, loc="upper left")
    figure.savefig(Path(__file__).with_suffix(".svg"), metadata={"Date": None})


if __name__ == "__main__":
    main()
