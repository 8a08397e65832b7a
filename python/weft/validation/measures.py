# SPDX-License-Identifier: BSD-3-Clause
"""Errors, orders of convergence, and checks of both."""
from dataclasses import dataclass, field
from typing import Sequence

import numpy as np

from weft.fields import Fields
from weft.validation.surfaces import Tube, frame


@dataclass(frozen=True)
class Section:
    """The sites in the middle of a tube, away from the influence of its openings (inlet and outlet)."""
    along: np.ndarray
    r: np.ndarray
    velocity: np.ndarray  # along the axis
    gradient: float       # -dp/dz of these sites, fitted


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
    """The order p, fitted to error = c voxels^-p."""
    return -float(np.polyfit(np.log(voxels), np.log(errors), 1)[0])


@dataclass(frozen=True)
class Check:
    """A number and its bounds. `make validation` fails if the number is outside."""
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
    """The result of a study: parts of the page by name (Markdown), and checks. The study itself writes its plots."""
    parts: dict[str, str] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table. Of a column of percentages the head has the unit."""
    head, cells = list(head), [list(map(str, row)) for row in rows]
    for k in range(len(head)):
        column = [row[k] for row in cells if row[k]]
        if column and all(cell.endswith(" %") for cell in column):
            head[k] += " (%)"
            for row in cells:
                row[k] = row[k].removesuffix(" %")
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join(lines)


def few(values: Sequence) -> list:
    """The first, the middle and the last one, which a table shows."""
    return [values[0], values[len(values) // 2], values[-1]]


def percent(value: float) -> str:
    return f"{100 * value:.2g} %"
