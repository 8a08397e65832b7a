# SPDX-License-Identifier: BSD-3-Clause
"""A table of the ranks' clocks: skew, its spread over the repeats, and its error. Same form as Niethammer et al., Table 1."""
import re

from weft import page
from weft.reports import Report, Result

OF_RANK = re.compile(r"smallest round trips: rank (\d+), (.+)")
COLUMNS = ("drift", "round trip", "error, estimated", "error", "error, later")


def clock_table(report: Report) -> str:
    ranks: dict[int, dict[str, Result]] = {}
    for what, result in report.results.items():
        if match := OF_RANK.fullmatch(what):
            ranks.setdefault(int(match[1]), {})[match[2]] = result
    if not ranks:
        return ""
    units = {name: next((r[name].unit for r in ranks.values() if name in r), "") for name in ("skew", *COLUMNS)}
    head = ["rank", f"skew ({units['skew']})", "spread of the skew (us)"]
    head += [f"{name} ({units[name]})" for name in COLUMNS]
    rows = []
    for rank, mine in sorted(ranks.items()):
        skew = mine.get("skew")
        scale = {"s": 1e6, "ms": 1e3}.get(skew.unit if skew else "", 1.0)
        rows.append([rank, f"{skew.median:+.9f}" if skew else "", (skew.high - skew.low) * scale if skew else None]
                    + [mine[name].median if name in mine else None for name in COLUMNS])
    return (page.heading(3, "Clock skew") + page.table(head, rows)
            + page.paragraph("Skew: global time minus the rank's own time, the median over the repeats (as Niethammer et al., "
                             "Table 1). Spread: the distance between the quartiles. Error: on one machine the benchmark shifts the "
                             "ranks' clocks by known amounts, and the error is the difference from these.", "quiet"))
