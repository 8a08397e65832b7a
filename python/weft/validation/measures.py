# SPDX-License-Identifier: BSD-3-Clause
"""Errors, orders, and what is expected of them."""
from dataclasses import dataclass, field
from typing import Sequence

import numpy as np

from weft.fields import Fields
from weft.validation.surfaces import Tube, frame


@dataclass(frozen=True)
class Section:
    """The sites of a tube's middle, away from what its openings do."""
    along: np.ndarray
    r: np.ndarray
    velocity: np.ndarray  # along the axis
    gradient: float       # -dp/dz there, fitted


def middle_of(fields: Fields, tube: Tube, share: float = 1 / 3) -> Section:
    centres = fields.origin + fields.voxel * (fields.index + 0.5)
    along, r = tube.coordinates(centres)
    inside = np.abs(along - tube.length / 2) < share / 2 * tube.length
    slope = np.polyfit(along[inside], fields.pressure[inside], 1)[0]
    velocity = fields.velocity @ frame(tube.axis)[2]
    return Section(along[inside], r[inside], velocity[inside], -float(slope))


def relative_l2(found: np.ndarray, exact: np.ndarray) -> float:
    return float(np.sqrt(np.sum(np.abs(found - exact) ** 2) / np.sum(np.abs(exact) ** 2)))


def order(voxels: Sequence[float], errors: Sequence[float]) -> float:
    """p of error = c voxels^-p, fitted."""
    return -float(np.polyfit(np.log(voxels), np.log(errors), 1)[0])


@dataclass(frozen=True)
class Check:
    """What a study must not lose: a figure and its bounds."""
    what: str
    found: float
    least: float = -np.inf
    most: float = np.inf

    @property
    def holds(self) -> bool:
        return bool(self.least <= self.found <= self.most)

    @property
    def wanted(self) -> str:
        bounds = [f"at least {self.least:.3g}"] * bool(np.isfinite(self.least))
        bounds += [f"at most {self.most:.3g}"] * bool(np.isfinite(self.most))
        return ", ".join(bounds)


@dataclass
class Outcome:
    """Of a study: parts of the page by name (Markdown), and checks. Its plots are files already."""
    parts: dict[str, str] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines)


def percent(value: float) -> str:
    return f"{100 * value:.2g} %"
