# SPDX-License-Identifier: BSD-3-Clause
"""Compares the results that two reports have in common: each has a ratio, its 95 % interval, and a test whose p is corrected
for the number of comparisons."""
from dataclasses import dataclass, replace
from typing import Optional, Sequence

from weft.reports import Report, Result
from weft.significance import difference_interval, holm, least_p, mann_whitney, ratio_interval

LEVEL = 0.05
MARGIN = 0.05      # the benchmarks stop at intervals of 5 % of the median: they do not resolve smaller changes
ONE_LAUNCH = 0.25  # launches of one library on a quiet machine differ by this much, which samples of one launch do not show
SHARES = ("benefit", "overlap_fraction")  # values that may be 0: compared by their difference; more is better
NOT_ASKED = ("computation", "overlap", "beta")  # T_comp and T_overlap follow T_coll; beta holds the same information as the fraction


@dataclass(frozen=True)
class Comparison:
    base: Result
    other: Result
    change: float                             # other / base; of shares: other - base
    interval: Optional[tuple[float, float]]   # 95 %, of the change
    p: Optional[float]                        # corrected; None without samples
    verdict: str

    @property
    def is_share(self) -> bool:
        return self.base.key.get("what") in SHARES


@dataclass(frozen=True)
class Compared:
    base: Report
    other: Report
    rows: tuple[Comparison, ...]
    left_out: int   # results that only one of the two reports has

    @property
    def one_launch(self) -> bool:
        return not (self.base.launches and self.other.launches)

    def count(self, verdict: str) -> int:
        return sum(row.verdict == verdict for row in self.rows)


def compare_all(base: Report, others: Sequence[Report]) -> list[Compared]:
    """Compares each report with the first one. Holm's correction is over all comparisons of all reports."""
    compared = [_compare(base, other) for other in others]
    tested = [(c, r) for c, one in enumerate(compared) for r, row in enumerate(one.rows) if row.p is not None]
    corrected = holm([compared[c].rows[r].p for c, r in tested])
    rows = [list(one.rows) for one in compared]
    for (c, r), p in zip(tested, corrected):
        margin = ONE_LAUNCH if compared[c].one_launch else MARGIN
        rows[c][r] = replace(rows[c][r], p=p, verdict=_verdict(rows[c][r], p, margin))
    return [replace(one, rows=tuple(mine)) for one, mine in zip(compared, rows)]


def hopeless(compared: Sequence[Compared]) -> bool:
    """Whether there are too few samples for so many comparisons: no difference, however large, would be found."""
    tested = [row for one in compared for row in one.rows if row.p is not None]
    return bool(tested) and all(least_p(len(r.base.samples), len(r.other.samples)) * len(tested) > LEVEL for r in tested)


def _compare(base: Report, other: Report) -> Compared:
    common = [what for what, r in base.results.items() if what in other.results and _comparable(r, other.results[what])]
    rows = tuple(_row(base.results[what], other.results[what]) for what in common)
    return Compared(base, other, rows, len(set(base.results) ^ set(other.results)))


def _comparable(a: Result, b: Result) -> bool:
    what = a.key.get("what")
    if what in SHARES:
        return a.median == a.median and b.median == b.median
    return (a.unit == b.unit != "" and a.median > 0 and b.median > 0 and what not in NOT_ASKED
            and a.key.get("experiment") != "skew")


def _row(a: Result, b: Result) -> Comparison:
    is_share = a.key.get("what") in SHARES
    change = b.median - a.median if is_share else b.median / a.median
    if not (len(a.samples) and len(b.samples)):
        return Comparison(a, b, change, None, None, "not tested")
    interval = (difference_interval if is_share else ratio_interval)(b.samples, a.samples)
    return Comparison(a, b, change, interval, mann_whitney(a.samples, b.samples), "")


def _verdict(row: Comparison, p: float, margin: float) -> str:
    """A difference needs a small p, an interval without 1 (or 0), and a change above the margin."""
    low, high = row.interval
    if row.is_share:
        below, above, names = high < 0 and row.change < -margin, low > 0 and row.change > margin, ("less", "more")
    else:
        below, above = high < 1 and row.change < 1 / (1 + margin), low > 1 and row.change > 1 + margin
        names = ("slower", "faster") if row.base.unit.endswith("/s") else ("faster", "slower")
    if p >= LEVEL or not (below or above):
        return "no difference"
    return names[0] if below else names[1]
