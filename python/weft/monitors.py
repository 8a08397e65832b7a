# SPDX-License-Identifier: BSD-3-Clause
"""Reads monitors.csv: one row per few steps, with the state of the whole flow and of each opening (inlet or outlet).

A box has no time in seconds and no openings. It has mass and momentum in lattice units.
"""
import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

import numpy as np

from weft.errors import InputError

FLOW, PRESSURE = "_flow_m3_per_s", "_pressure_pa"
REQUIRED = ("step", "time_s", "density_min", "density_max", "mach_max", "relative_change")
REQUIRED_OF_BOX = ("step", "density_min", "density_max", "speed_max", "mass", "kinetic_energy", "relative_change")


@dataclass(frozen=True)
class Monitors:
    columns: dict[str, np.ndarray]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    def openings(self, suffix: str) -> dict[str, np.ndarray]:
        """By name of the opening: the values of its column with this suffix, in the order of the file."""
        return {name[:-len(suffix)]: values for name, values in self.columns.items() if name.endswith(suffix)}


def read_monitors(path: Path, required: Sequence[str] = REQUIRED) -> Monitors:
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: This file can't be read ({getattr(error, 'strerror', None) or error}). Name the output directory "
                         "of a run.") from error
    if len(rows) < 2:
        raise InputError(f"{path}: This file has no rows. Let weft run for longer than monitor.every.")
    header = [name.strip() for name in rows[0]]
    missing = [name for name in required if name not in header]
    if missing:
        raise InputError(f"{path}: This file has no column {', '.join(missing)}. Name the output directory of a run.")
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise InputError(f"{path}: Row {number} has {len(row)} values, but the header has {len(header)} names. Run the case "
                             "again, or remove the row.")
    try:
        table = np.array(rows[1:], dtype=float)
    except ValueError as error:
        raise InputError(f"{path}: A value is not a number ({error}). Run the case again, or correct the value.") from error
    return Monitors(dict(zip(header, table.T)))
