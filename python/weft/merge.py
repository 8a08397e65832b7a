# SPDX-License-Identifier: BSD-3-Clause
"""Merges the reports of several launches into one. Its samples are the launches' medians, since the launch is what is repeated."""
import json
import math
from pathlib import Path
from typing import Optional, Sequence

import numpy as np

from weft.errors import InputError
from weft.reports import report_of
from weft.significance import median_interval, outliers

SAME = (("benchmark",), ("mpi", "library"), ("mpi", "ranks"), ("machine", "nodes"), ("machine", "processor"))
ADDED = ("failed_checks",)  # figures that are added up: in a median a single launch's failures would vanish


def merged_text(launches: Sequence[tuple[Path, dict]], command: str) -> str:
    return json.dumps(merged(launches, command), allow_nan=False) + "\n"


def merged(launches: Sequence[tuple[Path, dict]], command: str = "") -> dict:
    for path, document in launches:
        _check(path, document, launches[0])
    documents = [document for _, document in launches]
    first, notes = documents[0], _notes(documents)
    found: dict[str, list[dict]] = {}
    for document in documents:
        for result in document["results"]:
            found.setdefault(result["what"], []).append(result)
    for what, results in found.items():
        if len(results) != len(documents):
            notes.append(f"{what}: This result is in only {len(results)} of {len(documents)} launches.")
    settings = dict(first["settings"], launches=len(documents), **({"command": command} if command else {}))
    if differing := sorted({k for d in documents for k in {*d["settings"], *first["settings"]}
                            if d["settings"].get(k) != first["settings"].get(k)}):
        notes.append(f"The launches differ in {', '.join(differing)}. The settings shown are those of the first launch.")
    mpi = dict(first["mpi"], more_ranks_than_cores=any(d["mpi"].get("more_ranks_than_cores") for d in documents))
    return {"benchmark": first["benchmark"], "machine": first["machine"], "mpi": mpi, "settings": settings,
            "results": [_result(results) for results in found.values()], "notes": notes, "figures": _figures(documents),
            "launches": documents}


def _check(path: Path, document: dict, first: tuple[Path, dict]) -> None:
    report_of(document, path)
    if "launches" in document:
        raise InputError(f"{path}: This report is already merged. Merge the launches' own reports.")
    for keys in SAME:
        mine, theirs = document, first[1]
        for key in keys:
            mine, theirs = mine.get(key), theirs.get(key)
        if mine != theirs:
            raise InputError(f"{path}: {keys[-1]} is '{mine}', but '{theirs}' in {first[0]} (only launches of the same benchmark, "
                             "MPI library, ranks and machine can be merged). To compare the two, give both to weft.report.")


def _result(results: Sequence[dict]) -> dict:
    """Samples, quartiles and interval of the launches' medians."""
    medians = [r["median"] for r in results if r["median"] is not None]
    low, middle, high = np.percentile(medians, [25, 50, 75]).tolist() if medians else (None, None, None)
    merged_result = {"what": results[0]["what"], "median": middle, "low": low, "high": high,
                     "unit": results[0].get("unit", "")}
    if keys := [r["key"] for r in results if "key" in r]:
        merged_result["key"] = _key(keys)
    if medians:
        merged_result |= {"interval": list(median_interval(medians)), "minimum": min(medians), "samples": medians,
                          "outliers": outliers(medians)}
    return merged_result


def _key(keys: Sequence[dict]) -> dict:
    key = dict(keys[0])
    if "late" in key:
        key["late"] = sum(k.get("late", 0) for k in keys)
    return key | {name: all(k.get(name, True) for k in keys) for name in ("converged", "right") if name in key}


def _figures(documents: Sequence[dict]) -> dict[str, Optional[float]]:
    figures = {}
    for name in dict.fromkeys(name for d in documents for name in d["figures"]):
        values = [float(v) for d in documents if (v := d["figures"].get(name)) is not None]
        total = sum(values) if name in ADDED else float(np.median(values)) if values else math.nan
        figures[name] = None if math.isnan(total) else total
    return figures


def _notes(documents: Sequence[dict]) -> list[str]:
    """Each note once. A note that not all launches have says how many have it."""
    said = [note for d in documents for note in dict.fromkeys(d.get("notes", ()))]
    counts = {note: said.count(note) for note in said}
    return [note if n == len(documents) else f"{note} (in {n} of {len(documents)} launches)" for note, n in counts.items()]
