# SPDX-License-Identifier: BSD-3-Clause
"""Reads reports that `weft bench NAME --json FILE` wrote, or that `python -m weft.launches` merged."""
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

import numpy as np

from weft.errors import InputError


@dataclass(frozen=True)
class Spread:
    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Result(Spread):
    """A measurement, with the details that the benchmark gives."""
    what: str = ""
    unit: str = ""
    key: dict[str, object] = field(default_factory=dict)
    interval: Optional[tuple[float, float]] = None
    samples: np.ndarray = field(default_factory=lambda: np.empty(0))
    outliers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Report:
    benchmark: str
    title: str
    settings: dict[str, object]
    results: dict[str, Result]
    figures: dict[str, float]
    path: Path = Path()
    label: str = ""
    machine: dict[str, object] = field(default_factory=dict)
    mpi: dict[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    launches: tuple[dict, ...] = ()  # of a merged report, whose samples are the launches' medians

    @property
    def name(self) -> str:
        """The name shown to the reader: that of the file, since two reports may be of the same library."""
        return self.label or self.path.stem

    def of(self, **key: object) -> list[Result]:
        """The results whose key has these entries, in the order of the file."""
        return [r for r in self.results.values() if all(r.key.get(k) == v for k, v in key.items())]


def read_document(path: Path) -> dict:
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"), parse_constant=_no_json)
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: This file can't be read ({getattr(error, 'strerror', None) or error}). Name a file that weft bench "
                         "wrote with --json.") from error
    if not isinstance(document, dict):
        raise InputError(f"{path}: This is not a report of weft bench (no object). Name a file that weft bench wrote with --json.")
    return document


def _no_json(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def read_report(path: Path) -> Report:
    return report_of(read_document(path), path)


def report_of(document: dict, path: Path) -> Report:
    try:
        mpi, machine = dict(document["mpi"]), dict(document["machine"])
        title = (f"{document['benchmark']}: {mpi['ranks']} ranks on {machine['nodes']} "
                 f"node{'' if machine['nodes'] == 1 else 's'}, {mpi['library']}")
        results = {r["what"]: _result(r) for r in document["results"]}
        if document["benchmark"] == "collectives":
            _check_keys(results)
        figures = {str(name): _number(value) for name, value in document["figures"].items()}
        return Report(str(document["benchmark"]), title, dict(document["settings"]), results, figures, path, "", machine,
                      mpi, tuple(str(n) for n in document.get("notes", ())),
                      tuple(dict(x) for x in document.get("launches", ())))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{path}: This is not a report of weft bench ({type(error).__name__}: {error}). Name a file that weft bench "
                         "wrote with --json.") from error


def _check_keys(results: dict[str, Result]) -> None:
    """The figures select results by their keys, so these must be complete."""
    for what, result in results.items():
        experiment = result.key.get("experiment")
        names = {"time": (), "overlap": ("what",), "delay": ("what", "delta_us")}.get(experiment)
        if names is None:
            continue  # no panel shows it
        if missing := [name for name in ("operation", "kind", "bytes", *names) if name not in result.key]:
            raise ValueError(f"the key of '{what}' lacks {', '.join(missing)}")
        for name in {"bytes", "delta_us"} & set(result.key):
            if not isinstance(result.key[name], (int, float)):
                raise ValueError(f"in the key of '{what}', {name} is not a number")


def _number(value: object) -> float:
    return math.nan if value is None else float(value)  # JSON has no NaN, so weft writes null


def _result(r: dict) -> Result:
    samples = np.array([_number(s) for s in r.get("samples", ())], dtype=float)
    outliers = tuple(int(i) for i in r.get("outliers", ()))
    if any(not 0 <= i < len(samples) for i in outliers):
        raise ValueError(f"'{r['what']}' has an outlier index outside its samples")
    interval = r.get("interval")
    if interval is not None:
        begin, end = interval
        interval = (_number(begin), _number(end))
    return Result(_number(r["median"]), _number(r["low"]), _number(r["high"]), str(r["what"]), str(r.get("unit", "")),
                  dict(r.get("key", {})), interval, samples, outliers)
