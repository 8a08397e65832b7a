# SPDX-License-Identifier: BSD-3-Clause
"""A bulge of a tube, as a fusiform aneurysm or a stenosis, and the quantities of the flow through it that are compared. Units: lengths in
diameters of the tube, speeds in its mean velocity, stresses in the wall stress of steady flow in the tube."""
from dataclasses import dataclass

import numpy as np

from weft.validation.aneurysm_published import DILATION, LENGTH


@dataclass(frozen=True)
class Bulge:
    """A straight tube whose wall widens or narrows along one wave of a cosine around z = 0."""
    dilation: float  # the largest diameter, or the smallest
    length: float

    def radius(self, z: np.ndarray) -> np.ndarray:
        k = 2 * np.pi / self.length
        return 0.5 + np.where(np.abs(z) < self.length / 2, (self.dilation - 1) / 4 * (1 + np.cos(k * z)), 0.0)

    def slope(self, z: np.ndarray) -> np.ndarray:
        k = 2 * np.pi / self.length
        return np.where(np.abs(z) < self.length / 2, -(self.dilation - 1) / 4 * k * np.sin(k * z), 0.0)

    def bend(self, z: np.ndarray) -> np.ndarray:
        """The second derivative; at the ends of the bulge the mean of both sides."""
        k = 2 * np.pi / self.length
        inside = 0.5 - 0.5 * np.sign(np.round(np.abs(z) - self.length / 2, 9))
        return -(self.dilation - 1) / 4 * k * k * np.cos(k * z) * inside


ANEURYSM = Bulge(DILATION, LENGTH)


@dataclass(frozen=True)
class Flow:
    """The compared quantities; arrays are along the axis."""
    z: np.ndarray
    stress: np.ndarray      # at the wall, along it; negative where the flow is reversed
    circulating: np.ndarray  # flow that circulates in the vortex at z / flow through the tube
    vortex: tuple[float, float]  # centre of the vortex: position along the axis, distance to the axis
    reversed: float         # the largest reversed velocity along the axis
    length: float = LENGTH  # of the bulge

    def _zeros(self) -> tuple[float, float]:
        """Positions where the wall stress first becomes negative, and where it becomes positive for the last time."""
        cuts = [i for i in np.flatnonzero(self.stress[:-1] * self.stress[1:] < 0) if abs(self.z[i]) < self.length / 2]
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
        """Mean magnitude of the stress between separation and reattachment."""
        first, last = self._zeros()
        inside = np.linspace(first, last, 200)
        return float(np.mean(np.abs(np.interp(inside, self.z, self.stress))))

    @property
    def peak(self) -> tuple[float, float]:
        """Position of the largest stress, and its value."""
        inside = np.abs(self.z) < self.length / 2 + 0.5
        z, stress = self.z[inside], self.stress[inside]
        return highest(z, stress)

    @property
    def strength(self) -> float:
        return float(self.circulating.max())


def highest(z: np.ndarray, values: np.ndarray, reach: float = 0.15) -> tuple[float, float]:
    """Position and value of the maximum of a parabola that is fitted around the largest value."""
    near = np.abs(z - z[np.argmax(values)]) <= reach
    middle = z[np.argmax(values)]
    c, b, a = np.polynomial.polynomial.polyfit(z[near] - middle, values[near], 2)
    return float(middle - b / (2 * a)), float(c - b * b / (4 * a))
