# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as a section of the page, and as a short table on the terminal."""
import textwrap
from typing import Iterator, Sequence

from weft import page
from weft.comparison import LEVEL, MARGIN, ONE_LAUNCH, Compared, Comparison, hopeless
from weft.comparison_figure import comparison_figures
from weft.ranks_figure import ranks_figures
from weft.sections import differing, settings_table

DIFFERENT = ("faster", "slower", "more", "less")
VERDICTS = (*DIFFERENT, "no difference", "not tested")
SHOWN = 20  # rows on the terminal
FIGURE = ("Left: medians; bands: quartiles. Each file has a colour, each kind of call a line style. Right: speed-up over the "
          "first file with its 95 % interval; above 1 is faster. Points are filled where the files differ, and hollow where no "
          "difference was shown. Same form as Niethammer et al., figures 9 and 10.")
RANKS = "As Niethammer et al., figures 4 to 8: over the number of ranks. Each delay has a colour, each kind of call a line style."
METHOD = (f"Change: the ratio of the medians (of the benefit b and the overlap fraction: their difference), with the bootstrap's "
          f"95 % interval. p: two-sided Mann-Whitney test, corrected by Holm's method over all comparisons on this page. A "
          f"difference needs p < {LEVEL}, an interval without 1 (or 0), and a change by more than {MARGIN:.0%} (with one launch "
          f"per file: {ONE_LAUNCH:.0%}). 'No difference' means that no difference was shown.")


def comparison_section(compared: Sequence[Compared]) -> Iterator[str]:
    base = compared[0].base
    yield page.heading(2, f"Comparison: {base.benchmark}, baseline {base.name}")
    for text in caveats(compared):
        yield page.banner("warning", text)
    head = ("file", *VERDICTS, "only in one file")
    yield page.table(head, [[one.other.name, *(one.count(v) for v in VERDICTS), one.left_out] for one in compared])
    for one in compared:
        names = differing(one.base, one.other)
        yield page.paragraph(f"{one.other.name} ran with the same settings as {one.base.name}." if not names else
                             f"{one.other.name} and {one.base.name} differ in: {', '.join(names)}.")
    yield page.folded("Settings side by side", settings_table([base, *(one.other for one in compared)]))
    for number, figure in enumerate(comparison_figures(compared)):
        yield page.picture("Side by side, continued" if number else "Side by side", FIGURE, figure)
    for library, figure in ranks_figures([base, *(one.other for one in compared)]):
        yield page.picture(f"Delayed start over the number of ranks, {library}", RANKS, figure)
    for one in compared:
        yield page.heading(3, f"{one.other.name} compared with {one.base.name}")
        different = [row for row in one.rows if row.verdict in DIFFERENT]
        yield _table(one, different) if different else page.paragraph("No differences.")
        yield page.folded(f"All {len(one.rows)} comparisons", _table(one, one.rows))
    yield page.paragraph(METHOD, "quiet")


def _table(one: Compared, rows: Sequence[Comparison]) -> str:
    head = ("result", one.base.name, one.other.name, "unit", "change", "95 % interval", "p, corrected", "verdict")
    return page.table(head, [_cells(row) for row in rows], looks="verdict")


def caveats(compared: Sequence[Compared]) -> Iterator[str]:
    if any(one.one_launch and any(row.p is not None for row in one.rows) for one in compared):
        yield ("There is only one launch per file, so the variation between launches can't be separated from the difference between "
               f"the files. Only changes of more than {ONE_LAUNCH:.0%} count as differences. Measure ten launches of each (python "
               "-m weft.launches).")
    if hopeless(compared):
        yield ("There are too few launches for so many comparisons: no difference, however large, could be found. "
               "Ten launches of each are enough for thousands of comparisons.")
    if any(not one.rows for one in compared):
        yield "The files have no results in common that can be compared. Give reports of the same benchmark with the same options."


def _cells(row: Comparison) -> list[object]:
    p = page.Number("" if row.p is None else f"{row.p:.2g}")
    return [row.base.what, row.base.median, row.other.median, row.base.unit, page.Number(_change(row)),
            page.interval_text(row.interval), p, row.verdict]


def _change(row: Comparison) -> str:
    return f"{row.change:+.3f}" if row.is_share else f"x {row.change:.3f}"


def terminal_table(compared: Sequence[Compared]) -> Iterator[str]:
    for one in compared:
        counts = ", ".join(f"{n} {v}" for v in VERDICTS if (n := one.count(v)))
        yield f"{one.other.name} compared with {one.base.name}: {counts or 'no results in common'}"
        if names := differing(one.base, one.other):
            yield from textwrap.wrap(f"  Their settings differ in: {', '.join(names)}", 120, subsequent_indent="    ")
        different = [row for row in one.rows if row.verdict in DIFFERENT]
        width = max((len(row.base.what) for row in different[:SHOWN]), default=0)
        for row in different[:SHOWN]:
            yield (f"  {row.base.what:{width}} {row.base.median:10.4g} {row.other.median:10.4g} {row.base.unit:3} "
                   f"{_change(row):>9}  ({page.interval_text(row.interval)})  {row.verdict}")
        if len(different) > SHOWN:
            yield f"  ... and {len(different) - SHOWN} more, see the page"
    for text in caveats(compared):
        yield from textwrap.wrap(f"note: {text}", 120, subsequent_indent="      ")
