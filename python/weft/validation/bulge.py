# SPDX-License-Identifier: BSD-3-Clause
"""A fusiform aneurysm and what is compared of a flow through it. Lengths are diameters of the tube, speeds its mean velocity, stresses that of
steady flow in the tube."""
from dataclasses import dataclass

import numpy as np

from weft.validation.aneurysm_published import DILATION
from weft.validation.aneurysm_published import LENGTH as BULGE


def radius(z: np.ndarray) -> np.ndarray:
    return 0.5 + np.where(np.abs(z) < BULGE / 2, (DILATION - 1) / 4 * (1 + np.cos(2 * np.pi / BULGE * z)), 0.0)


def slope(z: np.ndarray) -> np.ndarray:
    k = 2 * np.pi / BULGE
    return np.where(np.abs(z) < BULGE / 2, -(DILATION - 1) / 4 * k * np.sin(k * z), 0.0)


def bend(z: np.ndarray) -> np.ndarray:
    """The second derivative; where the bulge begins and ends the mean of both sides."""
    k = 2 * np.pi / BULGE
    inside = 0.5 - 0.5 * np.sign(np.round(np.abs(z) - BULGE / 2, 9))
    return -(DILATION - 1) / 4 * k * k * np.cos(k * z) * inside


@dataclass(frozen=True)
class Flow:
    """What is compared; lines along the axis."""
    z: np.ndarray
    stress: np.ndarray      # at the wall, along it; negative where the flow is reversed
    circulating: np.ndarray  # what flows around in the vortex there, over what flows through the tube
    vortex: tuple[float, float]  # its centre: along the axis, distance to it
    reversed: float         # the largest reversed velocity along the axis

    def _zeros(self) -> tuple[float, float]:
        """Where the stress at the wall first becomes negative and where it becomes positive again for good."""
        cuts = [i for i in np.flatnonzero(self.stress[:-1] * self.stress[1:] < 0) if abs(self.z[i]) < BULGE / 2]
        if not cuts:
            return np.nan, np.nan
        places = [self.z[i] - self.stress[i] * (self.z[i + 1] - self.z[i]) / (self.stress[i + 1] - self.stress[i]) for i in cuts]
        return float(places[0]), float(places[-1])

    @property
    def separation(self) -> float:
        return self._zeros()[0]

    @property
    def reattachment(self) -> float:
        return self._zeros()[1]

    @property
    def in_recirculation(self) -> float:
        """Mean size of the stress between separation and reattachment."""
        first, last = self._zeros()
        inside = np.linspace(first, last, 200)
        return float(np.mean(np.abs(np.interp(inside, self.z, self.stress))))

    @property
    def peak(self) -> tuple[float, float]:
        """Place of the largest stress, and the stress."""
        inside = np.abs(self.z) < BULGE / 2 + 0.5
        z, stress = self.z[inside], self.stress[inside]
        return highest(z, stress)

    @property
    def strength(self) -> float:
        return float(self.circulating.max())


def highest(z: np.ndarray, values: np.ndarray, reach: float = 0.15) -> tuple[float, float]:
    """Place and value of the top of a parabola through what lies around the largest value."""
    near = np.abs(z - z[np.argmax(values)]) <= reach
    middle = z[np.argmax(values)]
    c, b, a = np.polynomial.polynomial.polyfit(z[near] - middle, values[near], 2)
    return float(middle - b / (2 * a)), float(c - b * b / (4 * a))
