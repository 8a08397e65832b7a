# SPDX-License-Identifier: BSD-3-Clause
"""Known solutions: flow in a round tube and in a rectangular channel, and the pressure of a windkessel. SI units."""
from dataclasses import dataclass
from typing import Callable, Optional

import numpy as np

SLOWEST_DECAY = 5.783186  # j01^2: the unsteady part of a tube flow decays by a factor e in the time R^2 / (5.78 nu)


def poiseuille(gradient: float, viscosity: float, radius: float, r: np.ndarray) -> np.ndarray:
    """Velocity along the axis; gradient = -dp/dz, dynamic viscosity."""
    return gradient * (radius**2 - np.minimum(r, radius) ** 2) / (4 * viscosity)


def poiseuille_flow(gradient: float, viscosity: float, radius: float) -> float:
    return np.pi * radius**4 * gradient / (8 * viscosity)


def bessel(order: int, z: np.ndarray) -> np.ndarray:
    """J0 or J1 of a complex argument by its series (Abramowitz and Stegun 9.1.10), for |z| up to about 20."""
    z = np.asarray(z, complex)
    term = np.ones_like(z) if order == 0 else z / 2
    total = term.copy()
    for k in range(1, 80):
        term = term * (-(z / 2) ** 2 / (k * (k + order)))
        total = total + term
    return total


def womersley(gradient: complex, omega: float, density: float, viscosity: float, radius: float, r: np.ndarray) -> np.ndarray:
    """Complex amplitude of the velocity where -dp/dz = Re(gradient e^(i omega t)). Womersley, J. Physiol. 127 (1955) 553."""
    wave = np.sqrt(omega * density / viscosity) * 1j**1.5
    shape = 1 - bessel(0, wave * np.minimum(r, radius)) / bessel(0, wave * radius)
    return gradient / (1j * omega * density) * shape


def womersley_flow(gradient: complex, omega: float, density: float, viscosity: float, radius: float) -> complex:
    z = radius * np.sqrt(omega * density / viscosity) * 1j**1.5
    return complex(np.pi * radius**2 * gradient / (1j * omega * density) * (1 - 2 * bessel(1, z) / (z * bessel(0, z))))


@dataclass(frozen=True)
class Fluid:
    """The keys of the section [fluid] of a case, as documented in flow/flow/case/fluid.hpp."""
    model: str = "newtonian"
    density: float = 1000.0
    viscosity: float = 4e-3
    at_rest: float = 0.16
    time: float = 8.2
    exponent: float = 0.2128
    yasuda: float = 0.64
    yield_stress: float = 4e-3
    consistency: float = 0.02

    def viscosity_at(self, rate: np.ndarray) -> np.ndarray:
        g = np.maximum(rate, 1e-30)
        if self.model == "carreau-yasuda":
            thinned = (1 + (self.time * g) ** self.yasuda) ** ((self.exponent - 1) / self.yasuda)
            return self.viscosity + (self.at_rest - self.viscosity) * thinned
        if self.model == "casson":
            return np.minimum((np.sqrt(self.yield_stress / g) + np.sqrt(self.viscosity)) ** 2, self.at_rest)
        if self.model == "power-law":
            return np.clip(self.consistency * g ** (self.exponent - 1), self.viscosity, self.at_rest)
        return np.full_like(g, self.viscosity)

    def shear_rate(self, stress: np.ndarray) -> np.ndarray:
        """The rate g with viscosity(g) g = stress, by bisection: the stress increases with g."""
        low, high = np.asarray(stress) / self.at_rest * 0.999, np.asarray(stress) / self.viscosity * 1.001
        for _ in range(80):
            middle = (low + high) / 2
            above = self.viscosity_at(middle) * middle > stress
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        return (low + high) / 2


def sheared_profile(fluid: Fluid, gradient: float, radius: float, rings: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    """Radii and velocities of steady flow in a tube. The stress is gradient r / 2; the velocity is the integral of the shear rate."""
    r = np.linspace(0, radius, rings + 1)
    middles = (r[1:] + r[:-1]) / 2
    steps = fluid.shear_rate(abs(gradient) * middles / 2) * (radius / rings)
    return r, np.sign(gradient) * np.concatenate([np.cumsum(steps[::-1])[::-1], [0.0]])


def flow_of_profile(r: np.ndarray, velocity: np.ndarray) -> float:
    values = 2 * np.pi * r * velocity
    return float(np.sum((values[1:] + values[:-1]) / 2 * np.diff(r)))


def channel_resistance(width: float, depth: float, length: float, viscosity: float) -> float:
    """Pressure drop over flow in a rectangular channel (White, Viscous Fluid Flow, 3-48), Pa s/m^3."""
    a, b = min(width, depth), max(width, depth)
    n = np.arange(1, 200, 2)
    corners = 192 * a / (np.pi**5 * b) * np.sum(np.tanh(n * np.pi * b / (2 * a)) / n**5)
    return float(12 * viscosity * length / (a**3 * b * (1 - corners)))


def windkessel(time: np.ndarray, flow: np.ndarray, resistance: float, capacitance: float, proximal: float = 0.0,
               behind: float = 0.0, initial: Optional[float] = None) -> np.ndarray:
    """Pressure at the outlet: P + proximal Q with dP/dt = Q / C - (P - behind) / (R C), by the fourth-order Runge-Kutta method.
    The flow is linear between the given times."""
    result = np.empty(len(time))
    p = behind if initial is None else initial
    rate: Callable[[float, float], float] = lambda p, q: (q - (p - behind) / resistance) / capacitance
    result[0] = p + proximal * flow[0]
    for k in range(1, len(time)):
        h, q0, q1 = time[k] - time[k - 1], flow[k - 1], flow[k]
        k1 = rate(p, q0)
        k2 = rate(p + h / 2 * k1, (q0 + q1) / 2)
        k3 = rate(p + h / 2 * k2, (q0 + q1) / 2)
        k4 = rate(p + h * k3, q1)
        p += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        result[k] = p + proximal * q1
    return result
